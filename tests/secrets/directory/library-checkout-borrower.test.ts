import assert from "node:assert/strict";
import { libraryCheckoutDefinition } from "../../../sdk/secrets/directory/library-checkout";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import { useEmulator } from "../../support/use-emulator";
import { type Alteration, serviceWith } from "../altered-responses";
import { accountsOut, addLibrarySet, borrow, giveBack } from "./emulated-library";

/** A service whose status tells of each account that is out only this. */
const telling =
  (borrower: Readonly<Record<string, string>>): Alteration =>
  ({ url }, { status, body }) => {
    if (!url.endsWith("/status") || !body?.data) {
      return { status, body };
    }
    const accounts = Object.entries(body.data as Record<string, { available: boolean }>);
    const told = accounts.map(([name, { available }]) => [
      name,
      available ? { available } : { available, ...borrower },
    ]);
    return { status, body: { data: Object.fromEntries(told) as Record<string, unknown> } };
  };

describe("the borrower that secrets.directory.LibraryCheckout remembers", () => {
  const emulator = useEmulator();

  afterEach(stopServers);

  const manage = async (borrower: Readonly<Record<string, string>>, fields = {}): Promise<Managed> => {
    await addLibrarySet(emulator, ["svc-1"], fields);
    const settings = await serviceWith(emulator, telling(borrower));
    const managed = new Managed(libraryCheckoutDefinition, emulator, settings);
    await managed.up({ setName: "operators" });
    return managed;
  };
  /** The account is returned, and somebody else has it now. */
  const takeOver = async (): Promise<void> => {
    await giveBack(emulator, "svc-1");
    await borrow(emulator, emulator.secrets.addToken());
  };

  it("is known again, but cannot be read out of state, even where a service shows whole tokens", async () => {
    const { token } = emulator.secrets;
    const managed = await manage({ borrower_client_token: token, borrower_entity_id: "entity-1" });
    assert.ok(!JSON.stringify([managed.id, managed.outputs]).includes(token));
    assert.equal(await managed.refresh(), true);
    assert.ok(!JSON.stringify([managed.id, managed.outputs]).includes(token));
    await managed.destroy();
    assert.deepEqual(accountsOut(emulator), []);
  });

  describe("where the service names nobody", () => {
    it("is everybody whom the service lets check the account in", async () => {
      const managed = await manage({});
      assert.deepEqual(managed.outputs.__memory, { proven: false });
      assert.equal(await managed.refresh(), true);
      await managed.destroy();
      assert.deepEqual(accountsOut(emulator), []);
    });

    it("does not prevent a destroy when it is somebody else's by then", async () => {
      const managed = await manage({});
      await takeOver();
      await managed.destroy();
      assert.deepEqual(accountsOut(emulator), ["svc-1"]);
    });

    it("is left alone where the service lets anybody check anything in", async () => {
      const managed = await manage({}, { disable_check_in_enforcement: true });
      await takeOver();
      await managed.destroy();
      assert.deepEqual(accountsOut(emulator), ["svc-1"]);
    });
  });
});
