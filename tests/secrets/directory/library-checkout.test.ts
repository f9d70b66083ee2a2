import assert from "node:assert/strict";
import { inspect } from "node:util";
import type * as pulumi from "@pulumi/pulumi";
import type { JsonObject } from "../../../sdk/base/json";
import type { RemoteState } from "../../../sdk/resource/definition";
import { fingerprintOf } from "../../../sdk/secrets/directory/check-out";
import {
  checkOut as runCheckOut,
  LibraryCheckout,
  libraryCheckoutDefinition,
} from "../../../sdk/secrets/directory/library-checkout";
import type { Emulator } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";
import { inClear } from "../../support/values";
import { failure } from "../../http/calls";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { declared, useMocks } from "../../resource/mocks";
import { type Alteration, serviceWith } from "../altered-responses";
import {
  accountsOut,
  addLibrarySet,
  borrow,
  checkOuts,
  configureDirectory,
  giveBack,
  stepAt,
} from "./emulated-directory";

const checkOut = { method: "POST", path: "/v1/ldap/library/:name/check-out" };
const checkIn = { method: "POST", path: "/v1/ldap/library/:name/check-in" };
const manageCheckIn = { method: "POST", path: "/v1/ldap/library/manage/:name/check-in" };
const setPath = "/v1/ldap/library/:name";
const status = { method: "GET", path: `${setPath}/status` };
const base: Properties = { setName: "operators" };
const account = ({ outputs }: Managed): string => textOf(outputs.serviceAccountName);
const denied = { status: 403, body: { errors: ["permission denied"] }, times: Number.POSITIVE_INFINITY };
const long = "2020-01-01T00:00:00.000Z";

describe("secrets.directory.LibraryCheckout", () => {
  const emulator = useEmulator();

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
});

describe("secrets.directory.LibraryCheckout whose response is lost", () => {
  const emulator = useEmulator();

  afterEach(stopServers);

  const addSet = (accounts: readonly string[], fields = {}): Promise<void> =>
    addLibrarySet(emulator, accounts, fields);
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
    ["a proxy responds with 502", { status: 502, when: "after" }],
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

describe("a LibraryCheckout whose token may not read the status of the set", () => {
  const emulator = useEmulator();
  let said: string[];

  useEnvironment(() => emulator.environment);
  beforeEach(() => {
    said = [];
  });

  const addSet = async (fields = {}, more: readonly string[] = []): Promise<void> => {
    await addLibrarySet(emulator, ["svc-1"], fields);
    for (const path of [status.path, ...more]) {
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
    await addSet({}, [setPath]);
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
    assert.equal(emulator.journal.count(checkIn), 0);
  });

  it("fails when the right to check out is missing, too", async () => {
    await addSet();
    emulator.faults.add({ ...checkOut, ...denied });
    await assert.rejects(manage(), { message: /403/ });
  });

  it("says when no account is free, in the service's words", async () => {
    await addSet();
    await borrow(emulator, emulator.secrets.token);
    const { message } = await failure(runCheckOut({ name: "operators" }));
    assert.match(
      message,
      /^No account of the library set "operators" .* is free: the token may not read the borrowers/,
    );
    assert.match(message, /No service accounts available for check-out/);
  });

  it("does not treat a set that does not exist as one without a free account", async () => {
    await addSet();
    const { message } = await failure(runCheckOut({ name: "nothing" }));
    assert.match(message, /"nothing" doesn't exist/);
    assert.doesNotMatch(message, /is free/);
  });

  it("never checks out twice when the response is lost, and says what may be checked out", async () => {
    await addSet();
    emulator.faults.add({ ...checkOut, drop: "after" });
    const { message } = await failure(runCheckOut({ name: "operators" }));
    assert.match(message, /may nevertheless be checked out.*The library cannot find out which/);
    assert.equal(emulator.journal.count(checkOut), 1);
  });

  it("is proven again once the status may be read", async () => {
    await addLibrarySet(emulator, ["svc-1"]);
    const managed = await manage();
    const fault = emulator.faults.add({ method: "GET", path: status.path, ...denied });
    assert.equal(await managed.refresh(), true);
    fault.remove();
    await giveBack(emulator, "svc-1");
    assert.equal(await managed.refresh(), false);
  });
});

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
  });
});

describe("the options of a secrets.directory.LibraryCheckout", () => {
  useMocks();

  const cases: readonly object[] = [{}, { deleteBeforeReplace: undefined }, { deleteBeforeReplace: false }];
  for (const options of cases) {
    it(`always let it check in before it checks out, also with ${inspect(options)}`, async () => {
      const seen: (boolean | undefined)[] = [];
      const transformation: pulumi.ResourceTransformation = ({ opts }) => {
        seen.push((opts as pulumi.CustomResourceOptions).deleteBeforeReplace);
        return undefined;
      };
      const resource = new LibraryCheckout(
        "operator",
        { setName: "operators" },
        { ...options, transformations: [transformation] },
      );
      await declared(resource);
      assert.deepEqual(seen, [true]);
    });
  }
});

function textOf(value: unknown): string {
  return typeof value === "string" ? value : assert.fail(`${typeof value} is no text`);
}
