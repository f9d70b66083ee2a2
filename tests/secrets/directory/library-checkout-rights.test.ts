import assert from "node:assert/strict";
import type { JsonObject } from "../../../sdk/base/json";
import { checkOut } from "../../../sdk/secrets/directory/library-checkout";
import { libraryCheckoutDefinition } from "../../../sdk/secrets/directory/library-checkout";
import { useEnvironment } from "../../connection/environment";
import { Managed } from "../../support/managed";
import { failure } from "../../http/calls";
import { useEmulator } from "../../support/use-emulator";
import { accountsOut, addLibrarySet, borrow, giveBack } from "./emulated-library";
import { stepAt } from "./step";

const set = "/v1/ldap/library/:name";
const checkOuts = { method: "POST", path: `${set}/check-out` };
const checkIns = { method: "POST", path: `${set}/check-in` };
const denied = { status: 403, body: { errors: ["permission denied"] }, times: Number.POSITIVE_INFINITY };

describe("a LibraryCheckout whose token may not read the status of the set", () => {
  const emulator = useEmulator();
  let said: string[];

  useEnvironment(() => emulator.environment);
  beforeEach(() => {
    said = [];
  });

  const addSet = async (fields = {}, more: readonly string[] = []): Promise<void> => {
    await addLibrarySet(emulator, ["svc-1"], fields);
    for (const path of [`${set}/status`, ...more]) {
      emulator.faults.add({ method: "GET", path, ...denied });
    }
  };
  const manage = async (): Promise<Managed> => {
    const managed = new Managed(libraryCheckoutDefinition, emulator);
    await managed.up({ setName: "operators" });
    return managed;
  };
  const step = (memory: JsonObject = {}) => ({
    ...stepAt(emulator),
    memory,
    announce: (kind: string, message: string) => said.push(`${kind}: ${message}`),
  });

  it("is made, says what is not proven, and is checked in again", async () => {
    await addSet();
    const managed = await manage();
    assert.equal(managed.outputs.serviceAccountName, "svc-1");
    assert.equal(typeof managed.outputs.password, "string");
    assert.deepEqual(managed.outputs.__memory, { proven: false });
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up({ setName: "operators" }), "same");
    await managed.destroy();
    assert.deepEqual(accountsOut(emulator), []);
  });

  it("warns at its creation and at each refresh", async () => {
    await addSet();
    const desired = { mount: "ldap", setName: "operators" };
    const made = await libraryCheckoutDefinition.create(step(), { ...desired, ttl: undefined });
    await libraryCheckoutDefinition.read(step(made.memory), made.id, made.state);
    assert.equal(said.length, 2);
    for (const warning of said) {
      assert.match(
        warning,
        /^warning: The token may not read the status .* cannot verify who checked out svc-1/,
      );
    }
  });

  it("needs no right to read the set either", async () => {
    await addSet({}, [set]);
    const managed = await manage();
    await managed.destroy();
    assert.deepEqual(accountsOut(emulator), []);
  });

  it("does not fail when the service refuses the check-in of what somebody else has by then", async () => {
    await addSet();
    const managed = await manage();
    await giveBack(emulator, "svc-1");
    await borrow(emulator, emulator.secrets.addToken());
    await managed.destroy();
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
  });

  it("leaves the account where the set lets anybody check in", async () => {
    await addSet({ disable_check_in_enforcement: true });
    const managed = await manage();
    await managed.destroy();
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
    assert.equal(emulator.journal.count(checkIns), 0);
  });

  it("fails when the right to check out is missing, too", async () => {
    await addSet();
    emulator.faults.add({ ...checkOuts, ...denied });
    await assert.rejects(manage(), { message: /403/ });
  });

  it("says when no account is free, in the service's words", async () => {
    await addSet();
    await borrow(emulator, emulator.secrets.token);
    const { message } = await failure(checkOut({ name: "operators" }));
    assert.match(
      message,
      /^No account of the library set "operators" .* is free: the token may not read the borrowers/,
    );
    assert.match(message, /No service accounts available for check-out/);
  });

  it("does not treat a set that does not exist as one without a free account", async () => {
    await addSet();
    const { message } = await failure(checkOut({ name: "nothing" }));
    assert.match(message, /"nothing" doesn't exist/);
    assert.doesNotMatch(message, /is free/);
  });

  it("never checks out twice when the response is lost, and says what may be checked out", async () => {
    await addSet();
    emulator.faults.add({ ...checkOuts, drop: "after" });
    const { message } = await failure(checkOut({ name: "operators" }));
    assert.match(message, /may nevertheless be checked out.*The library cannot find out which/);
    assert.equal(emulator.journal.count(checkOuts), 1);
  });

  it("is proven again once the status may be read", async () => {
    await addLibrarySet(emulator, ["svc-1"]);
    const managed = await manage();
    const fault = emulator.faults.add({ method: "GET", path: `${set}/status`, ...denied });
    assert.equal(await managed.refresh(), true);
    fault.remove();
    await giveBack(emulator, "svc-1");
    assert.equal(await managed.refresh(), false);
  });
});
