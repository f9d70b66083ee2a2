import assert from "node:assert/strict";
import type { JsonObject } from "../../../sdk/base/json";
import type { RemoteState } from "../../../sdk/resource/definition";
import { fingerprintOf } from "../../../sdk/secrets/directory/check-out";
import { libraryCheckoutDefinition } from "../../../sdk/secrets/directory/library-checkout";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-responses";
import {
  accountsOut,
  addLibrarySet,
  borrow,
  checkOuts,
  configureDirectory,
  giveBack,
} from "./emulated-library";
import { stepAt } from "./step";

const checkOut = { method: "POST", path: "/v1/ldap/library/:name/check-out" };
const checkIn = { method: "POST", path: "/v1/ldap/library/:name/check-in" };
const manageCheckIn = { method: "POST", path: "/v1/ldap/library/manage/:name/check-in" };
const status = { method: "GET", path: "/v1/ldap/library/:name/status" };
const long = "2020-01-01T00:00:00.000Z";

describe("secrets.directory.LibraryCheckout", () => {
  const emulator = useEmulator();
  const base: Properties = { setName: "operators" };

  afterEach(stopServers);

  const addSet = (accounts: readonly string[], fields = {}): Promise<void> =>
    addLibrarySet(emulator, accounts, fields);
  const manage = async (args: Properties = base, settings = {}): Promise<Managed> => {
    const managed = new Managed(libraryCheckoutDefinition, emulator, settings);
    await managed.up(args);
    emulator.journal.clear();
    return managed;
  };
  /** The same resource, seen by a process with other settings. */
  const seenWith = (managed: Managed, settings: Readonly<Record<string, string>>): Managed =>
    Object.assign(new Managed(libraryCheckoutDefinition, emulator, settings), {
      id: managed.id,
      inputs: managed.inputs,
      outputs: managed.outputs,
    });
  const checkIns = (): number => emulator.journal.count(checkIn) + emulator.journal.count(manageCheckIn);
  const account = ({ outputs }: Managed): string => textOf(outputs.serviceAccountName);

  it("checks out one account, tells its password and when it ends", async () => {
    await addSet(["svc-1", "svc-2"], { ttl: "10h" });
    const before = Date.now();
    const managed = new Managed(libraryCheckoutDefinition, emulator);
    emulator.journal.clear();
    assert.equal(await managed.up({ ...base, ttl: "1h" }), "created");
    const [request, ...others] = emulator.journal.requests(checkOut);
    assert.deepEqual([request?.body, others], [{ name: "operators", ttl: 3600 }, []]);
    const [lent = assert.fail()] = emulator
      .inspect()
      .secrets.directoryLibraryAccounts.filter(({ checkOut: lease }) => lease !== null);
    const { __managed, __at, __memory, expiresAt, ...outputs } = managed.outputs;
    assert.deepEqual(outputs, {
      mount: "ldap",
      setName: "operators",
      ttl: 3600,
      serviceAccountName: "svc-1",
      password: lent.password,
      leaseId: lent.checkOut?.leaseId,
      leaseDuration: 3600,
      renewable: true,
    });
    assert.equal(managed.id, lent.checkOut?.leaseId);
    assert.deepEqual(__memory, {
      proven: true,
      borrower: fingerprintOf({
        available: false,
        borrowerClientToken: lent.checkOut?.borrowerClientToken ?? "",
      }),
    });
    const left = Date.parse(textOf(expiresAt)) - before;
    assert.ok(left >= 3_600_000 && left <= Date.now() - before + 3_600_000, textOf(expiresAt));
    assert.ok(!JSON.stringify([managed.id, __memory, __managed]).includes(lent.password));
  });

  it("is the same check-out over five runs, with and without refreshes", async () => {
    await addSet(["svc-1", "svc-2"]);
    const managed = await manage();
    for (const refresh of [false, true, false, true, true]) {
      assert.equal(refresh ? await managed.refresh() : true, true);
      assert.equal(await managed.up(base), "same");
    }
    assert.equal(emulator.journal.count(checkOut), 0);
    assert.deepEqual(accountsOut(emulator), [account(managed)]);
  });

  it("lasts no longer than the set allows", async () => {
    await addSet(["svc-1"], { ttl: "1h" });
    assert.equal((await manage({ ...base, ttl: "9h" })).outputs.leaseDuration, 3600);
  });

  it("never ends when nothing limits it", async () => {
    await addSet(["svc-1"], { ttl: 0, max_ttl: 0 });
    const managed = await manage({ ...base, ttl: 0 });
    assert.deepEqual([managed.outputs.leaseDuration, managed.outputs.expiresAt], [0, null]);
    emulator.advance("400d");
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up({ ...base, ttl: "0s" }), "same");
  });

  it("lives on any mount", async () => {
    emulator.secrets.addMount({ type: "directory", path: "teams/a b" });
    await addLibrarySet(emulator, ["svc-9"], {}, { mount: "teams/a%20b" });
    const managed = await manage({ ...base, mount: "teams/a b" });
    assert.equal(await managed.refresh(), true);
    await managed.destroy();
    assert.deepEqual(accountsOut(emulator), []);
  });

  it("has an id of its own where the service gives no lease", async () => {
    await addSet(["svc 1"], { ttl: 0, max_ttl: 0 });
    const settings = await serviceWith(emulator, ({ url }, { status: code, body }) => ({
      status: code,
      body: url.endsWith("/check-out") && body ? { data: body.data } : body,
    }));
    const managed = await manage(base, settings);
    assert.match(managed.id ?? "", /^ldap\/operators\/svc%201\/\d{4}-\d\d-\d\dT\d\d%3A/);
    const { leaseId, leaseDuration, renewable, expiresAt } = managed.outputs;
    assert.deepEqual([leaseId, leaseDuration, renewable, expiresAt], ["", 0, false, null]);
  });

  it("says that there is no such set", async () => {
    await configureDirectory(emulator, []);
    await assert.rejects(manage(), {
      message: 'The library set "operators" of the mount ldap does not exist.',
    });
  });

  it("makes no request when only its behaviour changes, and keeps the account", async () => {
    await addSet(["svc-1"]);
    const managed = await manage();
    assert.equal(await managed.up({ ...base, force: true, waitFor: "10m" }), "updated");
    assert.equal(await managed.up({ ...base, force: true, waitFor: 600 }), "same");
    assert.equal(emulator.journal.count(), 0);
  });

  describe("when it is destroyed", () => {
    it("checks in exactly its account", async () => {
      await addSet(["svc-1", "svc-2", "svc-3"]);
      await borrow(emulator, emulator.secrets.token);
      const managed = await manage();
      await borrow(emulator, emulator.secrets.token);
      emulator.journal.clear();
      await managed.destroy();
      const [request] = emulator.journal.requests(checkIn);
      assert.deepEqual(request?.body, { name: "operators", service_account_names: ["svc-2"] });
      assert.deepEqual(accountsOut(emulator), ["svc-1", "svc-3"]);
    });

    it("leaves an account alone that was returned", async () => {
      await addSet(["svc-1"]);
      const managed = await manage();
      await giveBack(emulator, "svc-1");
      emulator.journal.clear();
      await managed.destroy();
      assert.equal(checkIns(), 0);
    });

    for (const [what, force] of [
      ["", false],
      [", not even by force", true],
    ] as const) {
      it(`never checks in an account that was returned and is somebody else's now${what}`, async () => {
        await addSet(["svc-1"]);
        const managed = await manage({ ...base, force });
        await giveBack(emulator, "svc-1");
        await borrow(emulator, emulator.secrets.addToken());
        emulator.journal.clear();
        await managed.destroy();
        assert.equal(checkIns(), 0);
        assert.deepEqual(accountsOut(emulator), ["svc-1"]);
      });
    }

    it("treats the same entity with another token as somebody else", async () => {
      await addSet(["svc-1"]);
      const { id } = emulator.secrets.addEntity({});
      const [first, second] = [0, 1].map(() => emulator.secrets.addToken({ entityId: id }));
      const managed = await manage(base, { "trivium:secretsToken": first });
      await giveBack(emulator, "svc-1");
      await borrow(emulator, second ?? "");
      assert.equal(await managed.refresh(), false);
      await seenWith(managed, { "trivium:secretsToken": second ?? "" }).destroy();
      assert.deepEqual(accountsOut(emulator), ["svc-1"]);
    });

    it("leaves an expired account alone, no matter who has it now", async () => {
      await addSet(["svc-1"]);
      const managed = await manage();
      emulator.advance("25h");
      await borrow(emulator, emulator.secrets.token);
      managed.outputs = { ...managed.outputs, expiresAt: long };
      emulator.journal.clear();
      await managed.destroy();
      assert.equal(emulator.journal.count(), 0);
      assert.deepEqual(accountsOut(emulator), ["svc-1"]);
    });

    it("says in a refresh why it is gone", async () => {
      const said: string[] = [];
      const step = (memory: JsonObject = {}) => ({
        ...stepAt(emulator),
        memory,
        announce: (kind: string, message: string) => said.push(`${kind}: ${message}`),
      });
      await addSet(["svc-1"]);
      const desired = { mount: "ldap", setName: "operators", ttl: undefined };
      const made = await libraryCheckoutDefinition.create(step(), desired);
      const read = (state: RemoteState) =>
        libraryCheckoutDefinition.read(step(made.memory), made.id, { ...desired, ...made.state, ...state });
      await giveBack(emulator, "svc-1");
      assert.equal(await read({}), undefined);
      assert.equal(await read({ expiresAt: long }), undefined);
      assert.equal(said.length, 2);
      assert.match(said[0] ?? "", /^information: .*svc-1 of the set operators has ended before its time/);
      assert.match(said[1] ?? "", /^information: .*svc-1 of the set operators .*2020-01-01/);
    });

    it("is done when the set is gone", async () => {
      await addSet(["svc-1"]);
      const managed = await manage();
      emulator.secrets.removeDirectoryLibrarySet("operators");
      await managed.destroy();
      assert.equal(checkIns(), 0);
    });

    it("is done when the account has left the set", async () => {
      await addSet(["svc-1", "svc-2"]);
      const managed = await manage();
      emulator.secrets.changeDirectoryLibrarySet("operators", { serviceAccountNames: ["svc-2"] });
      await managed.destroy();
      assert.equal(checkIns(), 0);
    });

    it("says what to do when the service does not let this token check it in", async () => {
      await addSet(["svc-1"]);
      const managed = await manage();
      const other = { "trivium:secretsToken": emulator.secrets.addToken() };
      await assert.rejects(seenWith(managed, other).destroy(), {
        message: /wasn't checked out by the caller\. Only the token or the entity .* set force: true/,
      });
      const forced = seenWith(managed, other);
      await forced.up({ ...base, force: true });
      await forced.destroy();
      assert.equal(emulator.journal.count(manageCheckIn), 1);
      assert.deepEqual(accountsOut(emulator), []);
    });

    it("is done when the response is lost after the check-in", async () => {
      await addSet(["svc-1"]);
      const managed = await manage();
      emulator.faults.add({ ...checkIn, drop: "after" });
      await managed.destroy();
      assert.deepEqual([checkIns(), accountsOut(emulator)], [1, []]);
    });

    it("fails, and can be tried again, when the request is lost before the check-in", async () => {
      await addSet(["svc-1"]);
      const managed = await manage();
      emulator.faults.add({ ...checkIn, drop: "before" });
      await assert.rejects(managed.destroy(), {
        message: /^Could not check in svc-1 of the library set "operators"/,
      });
      assert.equal(checkIns(), 1);
      await managed.destroy();
      assert.deepEqual(accountsOut(emulator), []);
    });
  });

  describe("whose time is over", () => {
    it("is noticed by a refresh", async () => {
      await addSet(["svc-1"]);
      const managed = await manage();
      emulator.advance("25h");
      assert.equal(await managed.refresh(), false);
      assert.equal(await managed.up(base), "created");
    });

    it("is noticed by a refresh when it is over by this machine's clock, without a request", async () => {
      await addSet(["svc-1"]);
      const managed = await manage();
      managed.outputs = { ...managed.outputs, expiresAt: long };
      assert.equal(await managed.refresh(), false);
      assert.equal(emulator.journal.count(), 0);
    });

    it("is replaced without a refresh, and nothing is checked in", async () => {
      await addSet(["svc-1"]);
      const managed = await manage();
      const former = managed.id;
      emulator.advance("25h");
      managed.outputs = { ...managed.outputs, expiresAt: long };
      assert.equal(await managed.up(base), "replaced");
      assert.notEqual(managed.id, former);
      assert.deepEqual([emulator.journal.count(checkOut), checkIns()], [1, 0]);
    });

    it("is announced in one line", () => {
      const outputs = { setName: "operators", serviceAccountName: "svc-1", password: "x", expiresAt: long };
      const ended = (state: Properties, now: number): string | undefined =>
        libraryCheckoutDefinition.ended?.(state, base, now);
      assert.equal(
        ended(outputs, Date.parse(long)),
        `The check-out of svc-1 of the set operators has expired (${long}) and will be replaced.`,
      );
      assert.equal(ended(outputs, Date.parse(long) - 1), undefined);
      assert.equal(ended({ ...outputs, expiresAt: null }, Date.now()), undefined);
      const { password, ...lost } = outputs;
      assert.equal(
        ended(lost, 0),
        "The check-out of svc-1 of the set operators has no password, because its response was lost: the account is checked in, " +
          "and an account is checked out again.",
      );
    });

    it("is gone when somebody has returned it, or checked it out", async () => {
      await addSet(["svc-1"]);
      const managed = await manage();
      await giveBack(emulator, "svc-1");
      const { id } = managed;
      assert.equal(await managed.refresh(), false);
      await borrow(emulator, emulator.secrets.addToken());
      managed.id = id;
      assert.equal(await managed.refresh(), false);
    });
  });

  it("checks in before it checks out when it is replaced, so that one account is enough", async () => {
    await addSet(["svc-1"]);
    const managed = await manage();
    assert.equal(await managed.up({ ...base, ttl: "1h" }), "replaced");
    assert.equal(managed.outputs.leaseDuration, 3600);
    await addLibrarySet(emulator, ["svc-2"], {}, { name: "others" });
    assert.equal(await managed.up({ ...base, ttl: "1h", setName: "others" }), "replaced");
    assert.deepEqual(accountsOut(emulator), ["svc-2"]);
  });

  it("says who holds what when no account is free, and asks for none", async () => {
    await addSet(["svc-1", "svc-2"]);
    const { id } = emulator.secrets.addEntity({});
    await borrow(emulator, emulator.secrets.addToken({ entityId: id }));
    await borrow(emulator, emulator.secrets.addToken());
    emulator.journal.clear();
    await assert.rejects(manage(), {
      message:
        'No account of the library set "operators" of the mount ldap is free: ' +
        `svc-1 (checked out by the entity ${id}), svc-2 (checked out by a token with the hash ${checkOuts(emulator)["svc-2"]?.slice(0, 8)}). ` +
        "Wait until an account is checked in, or add accounts to the set. To wait in a program, set waitFor of LibraryCheckout.",
    });
    assert.equal(emulator.journal.count(checkOut), 0);
  });

  it("says so too when the last free account goes to somebody quicker", async () => {
    await addSet(["svc-1"]);
    const token = emulator.secrets.addToken();
    let quicker: string | undefined;
    const settings = await serviceWith(emulator, async ({ url }, response) => {
      if (url.endsWith("/status")) {
        quicker ??= await borrow(emulator, token);
      }
      return response;
    });
    await assert.rejects(manage(base, settings), {
      message: /is free: svc-1 \(checked out by a token with the hash /,
    });
  });

  it("repeats the service's words when it refuses for another reason", async () => {
    await addSet(["svc-1"]);
    emulator.faults.add({ ...checkOut, status: 400, body: { errors: ["not on Sundays"] } });
    await assert.rejects(manage(), { message: /returned 400: not on Sundays/ });
    assert.equal(emulator.journal.count(checkOut), 1);
  });

  it("gives each of several its own account", async () => {
    await addSet(["svc-1", "svc-2", "svc-3"]);
    const several = await Promise.all([manage(), manage(), manage()]);
    assert.deepEqual(several.map(account).toSorted(), ["svc-1", "svc-2", "svc-3"]);
    await Promise.all(several.map((managed) => managed.destroy()));
    assert.deepEqual(accountsOut(emulator), []);
  });

  it("is kept although it cannot be found out who counts as the borrower; the service then decides", async () => {
    await addSet(["svc-1"]);
    emulator.faults.add({ ...status, skip: 1, status: 500, body: { errors: ["no"] } });
    const managed = await manage();
    assert.deepEqual(managed.outputs.__memory, { proven: false });
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up(base), "same");
    await managed.destroy();
    assert.deepEqual(accountsOut(emulator), []);
  });

  it("then leaves alone what the service does not let it check in", async () => {
    await addSet(["svc-1"]);
    emulator.faults.add({ ...status, skip: 1, status: 500, body: { errors: ["no"] } });
    const managed = await manage();
    await giveBack(emulator, "svc-1");
    await borrow(emulator, emulator.secrets.addToken());
    await managed.destroy();
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
  });

  const wrong: readonly [Properties, string[]][] = [
    [{}, ["setName is required"]],
    [{ setName: "" }, ["setName must not be empty"]],
    [{ ...base, ttl: "-1s" }, ['ttl must be a duration such as 30, "30s" or "1h30m"']],
    [{ ...base, waitFor: true }, ["waitFor must be a duration"]],
    [
      { ...base, serviceAccountName: "svc-1" },
      ["serviceAccountName is not a valid argument; expected one of mount, setName, ttl, force, waitFor"],
    ],
  ];
  for (const [args, problems] of wrong) {
    it(`is refused at preview: ${problems.join("; ")}`, async () => {
      assert.deepEqual(await new Managed(libraryCheckoutDefinition, emulator).problems(args), problems);
    });
  }
});

function textOf(value: unknown): string {
  return typeof value === "string" ? value : assert.fail(`${typeof value} is no text`);
}
