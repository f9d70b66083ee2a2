import assert from "node:assert/strict";
import { libraryCheckoutDefinition } from "../../../sdk/secrets/directory/library-checkout";
import type { Emulator } from "../../../sdk/testing";
import { inClear } from "../../contract/support/values";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { type Alteration, serviceWith } from "../altered-responses";
import { accountsOut, addLibrarySet, borrow, checkOuts } from "./emulated-library";

const checkOut = { method: "POST", path: "/v1/ldap/library/:name/check-out" };
const checkIn = { method: "POST", path: "/v1/ldap/library/:name/check-in" };
const manageCheckIn = { method: "POST", path: "/v1/ldap/library/manage/:name/check-in" };
const status = { method: "GET", path: "/v1/ldap/library/:name/status" };

describe("secrets.directory.LibraryCheckout whose answer is lost", () => {
  const emulator = useEmulator();
  const base: Properties = { setName: "operators" };

  afterEach(stopServers);

  const addSet = (accounts: readonly string[], fields = {}): Promise<void> =>
    addLibrarySet(emulator, accounts, fields);
  const account = ({ outputs }: Managed): string => textOf(outputs.serviceAccountName);
  let processes = 0;
  /** Settings of a process that has not checked out anything yet. */
  const freshProcess = (): Record<string, string> => ({
    "trivium:secretsRequestTimeout": `${200 + (processes += 1)}s`,
  });
  /** Creates it, which fails, and keeps what the engine keeps. */
  const lose = async (
    args: Properties = base,
    settings = freshProcess(),
  ): Promise<{ managed: Managed; error: Error }> => {
    const managed = new Managed(libraryCheckoutDefinition, emulator, settings);
    const error: unknown = await managed.up(args).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Error);
    const { id, properties } = error as { readonly id?: string; readonly properties?: Properties };
    if (id !== undefined && properties !== undefined) {
      Object.assign(managed, { id, inputs: args, outputs: inClear(properties) });
    }
    return { managed, error };
  };
  /** Somebody else checks out an account as soon as the status was read for the first time. */
  const takenElsewhere = (token: string): Alteration => {
    let taken = false;
    return async ({ url }, response) => {
      if (url.endsWith("/status") && !taken) {
        taken = true;
        await borrow(emulator, token);
      }
      return response;
    };
  };

  const losses: readonly [string, object][] = [
    ["the connection breaks", { drop: "after" }],
    ["it is cut in the middle", { truncate: true }],
    ["a proxy answers 502", { status: 502, when: "after" }],
    ["it is not as documented", { status: 200, when: "after", body: { data: { account: "svc-1" } } }],
  ];
  for (const [what, fault] of losses) {
    it(`is kept without a password when ${what}, and replaced by the next run: never two accounts`, async () => {
      await addSet(["svc-1", "svc-2", "svc-3"]);
      emulator.faults.add({ ...checkOut, ...fault } as Parameters<Emulator["faults"]["add"]>[0]);
      const { managed, error } = await lose();
      assert.match(
        error.message,
        /svc-1 was checked out in the meantime; its password is lost\. The resource is kept in state: the next `pulumi up`/,
      );
      assert.match(managed.id ?? "", /^ldap\/operators\/svc-1\//);
      assert.deepEqual([account(managed), managed.outputs.password], ["svc-1", undefined]);
      assert.deepEqual(accountsOut(emulator), ["svc-1"]);
      assert.equal(emulator.journal.count(checkOut), 1);
      assert.equal(await managed.up(base), "replaced");
      assert.equal(typeof managed.outputs.password, "string");
      assert.deepEqual(accountsOut(emulator), [account(managed)]);
      await managed.destroy();
      assert.deepEqual(accountsOut(emulator), []);
    });
  }

  it("is returned when it is destroyed before the next run, also after a refresh", async () => {
    await addSet(["svc-1", "svc-2"]);
    emulator.faults.add({ ...checkOut, drop: "after" });
    const { managed } = await lose();
    assert.equal(await managed.refresh(), true);
    await managed.destroy();
    assert.deepEqual(accountsOut(emulator), []);
  });

  it("ends with the set's time at the latest, so that nothing is returned after it", async () => {
    await addSet(["svc-1"], { ttl: "2h" });
    emulator.faults.add({ ...checkOut, drop: "after" });
    const before = Date.now();
    const { managed } = await lose({ ...base, ttl: "1h" });
    const left = Date.parse(textOf(managed.outputs.expiresAt)) - before;
    assert.ok(left >= 3_600_000 && left < 7_200_000, textOf(managed.outputs.expiresAt));
  });

  it("was not processed when the status shows no new check-out: says so, and keeps nothing", async () => {
    await addSet(["svc-1", "svc-2"]);
    await borrow(emulator, emulator.secrets.addToken());
    emulator.faults.add({ ...checkOut, drop: "before" });
    const { managed, error } = await lose();
    assert.match(error.message, /checked out no account of the library set "operators" of the mount ldap/);
    assert.equal(managed.id, undefined);
    assert.equal(await managed.up(base), "created");
    assert.equal(accountsOut(emulator).length, 2);
  });

  it("is distinguished from another check-out once this process knows its own borrower", async () => {
    await addSet(["svc-1", "svc-2", "svc-3"], { disable_check_in_enforcement: true });
    const take = takenElsewhere(emulator.secrets.addToken());
    let alter: Alteration = (_request, response) => response;
    const service = await serviceWith(emulator, (request, response) => alter(request, response));
    const settings = { ...freshProcess(), ...service };
    const first = new Managed(libraryCheckoutDefinition, emulator, settings);
    await first.up(base);
    alter = take;
    emulator.faults.add({ ...checkOut, drop: "after", skip: 1 });
    const { managed, error } = await lose(base, settings);
    assert.equal(accountsOut(emulator).length, 3);
    assert.match(error.message, /The resource is kept in state/);
    assert.equal(checkOuts(emulator)[account(managed)], checkOuts(emulator)[account(first)]);
    await managed.destroy();
    await first.destroy();
    assert.equal(accountsOut(emulator).length, 1);
  });

  it("is not guessed when somebody else has checked out an account at the same time: names both", async () => {
    await addSet(["svc-1", "svc-2", "svc-3"]);
    const settings = await serviceWith(emulator, takenElsewhere(emulator.secrets.addToken()));
    emulator.faults.add({ ...checkOut, drop: "after", skip: 1 });
    const { managed, error } = await lose(base, { ...freshProcess(), ...settings });
    assert.match(
      error.message,
      /cannot find out which of them by this request: svc-1 \(checked out by .*\), svc-2 \(checked out by .*\)\. .* check in \(checkIn\)/,
    );
    assert.equal(managed.id, undefined);
    assert.equal(accountsOut(emulator).length, 2);
  });

  it("may be of an account that somebody else still had when the status was read first", async () => {
    await addSet(["svc-1", "svc-2"], { ttl: "1h" });
    await borrow(emulator, emulator.secrets.addToken());
    let statuses = 0;
    const service = await serviceWith(emulator, ({ url }, response) => {
      if (url.endsWith("/status") && (statuses += 1) === 1) {
        emulator.advance("1h");
      }
      return response;
    });
    emulator.faults.add({ ...checkOut, drop: "after" });
    const { managed } = await lose(base, { ...freshProcess(), ...service });
    assert.equal(account(managed), "svc-1");
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
  });

  it("is not guessed where the service lets anybody check in", async () => {
    await addSet(["svc-1", "svc-2"], { disable_check_in_enforcement: true });
    emulator.faults.add({ ...checkOut, drop: "after" });
    const { managed, error } = await lose();
    assert.match(
      error.message,
      /cannot find out which of them by this request: svc-1 \(checked out by a token with the hash/,
    );
    assert.equal(managed.id, undefined);
  });

  it("is nobody's mistake when it was somebody else's: the service does not let it be checked in", async () => {
    await addSet(["svc-1", "svc-2"]);
    const settings = await serviceWith(emulator, takenElsewhere(emulator.secrets.addToken()));
    emulator.faults.add({ ...checkOut, drop: "before", skip: 1 });
    const { managed } = await lose({ ...base, force: true }, { ...freshProcess(), ...settings });
    assert.equal(account(managed), "svc-1");
    await managed.destroy();
    assert.equal(emulator.journal.count(manageCheckIn), 0);
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
  });

  it("is left alone when by then the service lets anybody check in", async () => {
    await addSet(["svc-1"]);
    emulator.faults.add({ ...checkOut, drop: "after" });
    const { managed } = await lose();
    emulator.secrets.changeDirectoryLibrarySet("operators", { disableCheckInEnforcement: true });
    await managed.destroy();
    assert.equal(emulator.journal.count(checkIn), 0);
  });

  it("says that it could not be found out when the status cannot be read either", async () => {
    await addSet(["svc-1"]);
    emulator.faults.add({ ...checkOut, drop: "after" });
    emulator.faults.add({ ...status, skip: 1, status: 503 });
    const { managed, error } = await lose();
    assert.match(
      error.message,
      /may nevertheless be checked out, and the search for it failed: .* 503 .*\(getLibraryStatus\)/s,
    );
    assert.equal(managed.id, undefined);
  });
});

function textOf(value: unknown): string {
  return typeof value === "string" ? value : assert.fail(`${typeof value} is no text`);
}
