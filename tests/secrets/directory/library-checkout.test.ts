import assert from "node:assert/strict";
import { inspect } from "node:util";
import type * as pulumi from "@pulumi/pulumi";
import { messageOf } from "../../../sdk/base/errors";
import { processRedactor } from "../../../sdk/base/redactor";
import type { WaitRuntime } from "../../../sdk/base/timing";
import type { RemoteState } from "../../../sdk/resource/definition";
import {
  checkIn as runCheckIn,
  checkOut as runCheckOut,
  forceCheckIn as runForceCheckIn,
  LibraryCheckout,
  libraryCheckoutDefinition,
  whenFree,
} from "../../../sdk/secrets/directory/library-checkout";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { stopServers } from "../../http/server";
import { declared, useMocks } from "../../resource/mocks";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { inClear } from "../../support/values";
import { type Alteration, serviceWith } from "../altered-responses";
import { secretsClientOf, stepAt, textOf } from "../emulated-client";
import {
  accountsOut,
  addLibrarySet,
  borrow,
  checkOuts,
  configureDirectory,
  giveBack,
} from "./emulated-directory";

const checkOut = { method: "POST", path: "/v1/ldap/library/:name/check-out" };
const checkIn = { method: "POST", path: "/v1/ldap/library/:name/check-in" };
const manageCheckIn = { method: "POST", path: "/v1/ldap/library/manage/:name/check-in" };
const setPath = "/v1/ldap/library/:name";
const status = { method: "GET", path: `${setPath}/status` };
const denied = { status: 403, body: { errors: ["permission denied"] }, times: Number.POSITIVE_INFINITY };
const base: Properties = { setName: "operators" };
const set = { mount: "ldap", name: "operators" };
const past = "2020-01-01T00:00:00.000Z";

const account = ({ outputs }: FakeEngine): string => textOf(outputs.serviceAccountName);

let processes = 0;
/** Settings of a process that has not checked out anything yet. */
const newProcess = (): Record<string, string> => ({
  "trivium:secretsRequestTimeout": `${200 + (processes += 1)}s`,
});

/** Runs `work` when the status has been read for the first time. */
function afterFirstStatus(work: () => unknown): Alteration {
  let isRead = false;
  return async ({ url }, response) => {
    if (url.endsWith("/status") && !isRead) {
      isRead = true;
      await work();
    }
    return response;
  };
}

/** A service whose status has only these members for an account that is checked out. */
const statusWith =
  (borrower: Readonly<Record<string, string>>): Alteration =>
  ({ url }, { status: code, body }) => {
    if (!url.endsWith("/status") || !body?.data) {
      return { status: code, body };
    }
    const accounts = Object.entries(body.data as Record<string, { available: boolean }>);
    const shown = accounts.map(([name, { available }]) => [
      name,
      { available, ...(available ? {} : borrower) },
    ]);
    return { status: code, body: { data: Object.fromEntries(shown) as Record<string, unknown> } };
  };

describe("secrets.directory.LibraryCheckout", () => {
  const emulator = useEmulator();
  let announced: string[];

  useEnvironment(() => emulator.environment);
  beforeEach(() => {
    announced = [];
  });
  afterEach(stopServers);

  const addSet = (accounts: readonly string[], fields = {}): Promise<void> =>
    addLibrarySet(emulator, accounts, fields);
  const changeSet = (fields: Parameters<typeof emulator.secrets.changeDirectoryLibrarySet>[1]) =>
    emulator.secrets.changeDirectoryLibrarySet("operators", fields);
  const letAnybodyCheckIn = () => changeSet({ disableCheckInEnforcement: true });
  const manage = async (args: Properties = base, settings = {}): Promise<FakeEngine> => {
    const managed = await FakeEngine.create(libraryCheckoutDefinition, emulator, args, settings);
    emulator.journal.clear();
    return managed;
  };
  /** The same resource in a process with other settings. */
  const seenWith = (managed: FakeEngine, settings: Readonly<Record<string, string>>): FakeEngine =>
    Object.assign(new FakeEngine(libraryCheckoutDefinition, emulator, settings), {
      id: managed.id,
      inputs: managed.inputs,
      outputs: managed.outputs,
    });
  const stepOf = ({ outputs }: FakeEngine) =>
    stepAt(emulator, announced, { memory: outputs.__private as never });
  const destroyListening = (managed: FakeEngine): Promise<void> =>
    libraryCheckoutDefinition.delete(stepOf(managed), managed.id ?? "", managed.outputs);
  const readListening = (managed: FakeEngine): Promise<RemoteState | undefined> =>
    libraryCheckoutDefinition.read(stepOf(managed), managed.id ?? "", managed.outputs);
  const checkIns = (): readonly [ordinary: number, forced: number] => [
    emulator.journal.count(checkIn),
    emulator.journal.count(manageCheckIn),
  ];

  it("a check-out has one account, its password and when it ends", async () => {
    await addSet(["svc-1", "svc-2"], { ttl: "10h" });
    const before = Date.now();
    const managed = new FakeEngine(libraryCheckoutDefinition, emulator);
    emulator.journal.clear();
    assert.equal(await managed.up({ ...base, ttl: "1h" }), "created");
    const bodies = emulator.journal.requests(checkOut).map(({ body }) => body);
    assert.deepEqual(bodies, [{ name: "operators", ttl: 3600 }]);
    const [lent = assert.fail()] = emulator.inspect().secrets.directoryLibraryAccounts;
    const { __managed, __at, __private, expiresAt, ...outputs } = managed.outputs;
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
    const left = Date.parse(textOf(expiresAt)) - before;
    assert.ok(left >= 3_600_000 && left <= Date.now() - before + 3_600_000, textOf(expiresAt));
    assert.ok(!JSON.stringify([managed.id, __private, __managed]).includes(lent.password));
    assert.ok(!processRedactor.redact(`the password is ${lent.password}`).includes(lent.password));
  });

  it("a check-out lasts no longer than the set allows", async () => {
    await addSet(["svc-1"], { ttl: "1h" });
    assert.equal((await manage({ ...base, ttl: "9h" })).outputs.leaseDuration, 3600);
  });

  it("a check-out never ends when nothing limits it", async () => {
    await addSet(["svc-1"], { ttl: 0, max_ttl: 0 });
    const managed = await manage({ ...base, ttl: 0 });
    assert.deepEqual([managed.outputs.leaseDuration, managed.outputs.expiresAt], [0, null]);
    emulator.advance("400d");
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up({ ...base, ttl: "0s" }), "same");
  });

  it("a check-out has an id of its own where the service gives no lease", async () => {
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

  const nothingFree = (holders: string): string =>
    `No account of the library set "operators" of the mount ldap is free: ${holders}. ` +
    "Wait until an account is checked in, or add accounts to the set. To wait in a program, set waitFor of LibraryCheckout.";
  const refusals: readonly [
    what: string,
    prepare: () => unknown,
    message: RegExp | string,
    requests: number,
  ][] = [
    [
      "says that there is no such set",
      () => configureDirectory(emulator, []),
      'The library set "operators" of the mount ldap does not exist.',
      0,
    ],
    [
      "says that a set without accounts has none free",
      async () => {
        await addSet(["svc-1"]);
        emulator.faults.add({ ...status, times: 9, status: 200, body: { data: {} } });
      },
      nothingFree("it has no accounts"),
      0,
    ],
    [
      "repeats the service's words for another reason",
      async () => {
        await addSet(["svc-1"]);
        emulator.faults.add({ ...checkOut, status: 400, body: { errors: ["not on Sundays"] } });
      },
      /returned 400: not on Sundays/,
      1,
    ],
  ];
  for (const [what, prepare, message, requests] of refusals) {
    it(`a check-out that is refused ${what}`, async () => {
      await prepare();
      await assert.rejects(manage(), { message });
      assert.equal(emulator.journal.count(checkOut), requests);
    });
  }

  it("a check-out shows who has each account when none is free, and sends no request", async () => {
    await addSet(["svc-1", "svc-2"]);
    const { id } = emulator.secrets.addEntity({});
    await borrow(emulator, emulator.secrets.addToken({ entityId: id }));
    await borrow(emulator, emulator.secrets.addToken());
    emulator.journal.clear();
    const hash = checkOuts(emulator)["svc-2"]?.slice(0, 8);
    const holders = `svc-1 (checked out by the entity ${id}), svc-2 (checked out by a token with the hash ${hash})`;
    await assert.rejects(manage(), { message: nothingFree(holders) });
    assert.equal(emulator.journal.count(checkOut), 0);
  });

  it("several check-outs get an account each", async () => {
    await addSet(["svc-1", "svc-2", "svc-3"]);
    const several = await Promise.all([manage(), manage(), manage()]);
    assert.deepEqual(several.map(account).toSorted(), ["svc-1", "svc-2", "svc-3"]);
    await Promise.all(several.map((managed) => managed.destroy()));
    assert.deepEqual(accountsOut(emulator), []);
  });

  it("a check-out that is replaced checks in before it checks out, so that one account is enough", async () => {
    await addSet(["svc-1"]);
    const managed = await manage();
    assert.equal(await managed.up({ ...base, ttl: "1h" }), "replaced");
    assert.deepEqual([managed.outputs.leaseDuration, accountsOut(emulator)], [3600, ["svc-1"]]);
  });

  it("an expired check-out is replaced without a refresh, and nothing is checked in", async () => {
    await addSet(["svc-1"]);
    const managed = await manage();
    const { id } = managed;
    emulator.advance("25h");
    managed.outputs = { ...managed.outputs, expiresAt: past };
    assert.equal(await managed.up(base), "replaced");
    assert.notEqual(managed.id, id);
    assert.deepEqual([emulator.journal.count(checkOut), checkIns()], [1, [0, 0]]);
  });

  it("a check-out says in a refresh why it is gone", async () => {
    await addSet(["svc-1"]);
    const managed = await manage();
    await giveBack(emulator, "svc-1");
    assert.equal(await readListening(managed), undefined);
    managed.outputs = { ...managed.outputs, expiresAt: past };
    emulator.journal.clear();
    assert.equal(await readListening(managed), undefined);
    assert.equal(emulator.journal.count(), 0);
    const [returned = "", expired = "", ...others] = announced;
    assert.match(returned, /^information: .*svc-1 of the set operators has ended before its time/);
    assert.match(expired, /^information: .*svc-1 of the set operators .*2020-01-01/);
    assert.deepEqual(others, []);
  });

  it("a destroyed check-out checks in exactly its account, by the ordinary path", async () => {
    await addSet(["svc-1", "svc-2", "svc-3"]);
    await borrow(emulator, emulator.secrets.token);
    const managed = await manage();
    await borrow(emulator, emulator.secrets.token);
    emulator.journal.clear();
    await destroyListening(managed);
    const requests = emulator.journal.requests(checkIn).map(({ body }) => body);
    assert.deepEqual(requests, [{ name: "operators", service_account_names: ["svc-2"] }]);
    assert.deepEqual([accountsOut(emulator), announced], [["svc-1", "svc-3"], []]);
  });

  const lendAgain = async (): Promise<void> => {
    await giveBack(emulator, "svc-1");
    await borrow(emulator, emulator.secrets.addToken());
  };
  const expire = async (managed: FakeEngine): Promise<void> => {
    emulator.advance("25h");
    await borrow(emulator, emulator.secrets.token);
    managed.outputs = { ...managed.outputs, expiresAt: past };
  };
  const refuse = (code: number, error: string): unknown =>
    emulator.faults.add({ ...checkIn, status: code, body: { errors: [error] } });
  const hideOpenSet = (): void => {
    letAnybodyCheckIn();
    emulator.faults.add({ method: "GET", path: setPath, ...denied });
  };
  const force = /^error: .*not yours\..*Only the token or the entity .* force: true/;
  const isDenied = /^error: .*permission denied/;
  const byAnother = /^warning: svc-1 of the library set .* stays checked out: .*wasn't checked out by[^]*$/;
  const unverified =
    /^warning: The library cannot verify that svc-1 of the library set "operators" of the mount ldap was checked out by this resource, so it stays checked out\. If it is not in use, check it in with checkIn\.$/;
  type Borrower = "proven" | "proven, force" | "unproven" | "unproven, force";
  const destructions: readonly [
    string,
    Borrower,
    between: (managed: FakeEngine) => unknown,
    requests: number,
    out: readonly string[],
    said?: RegExp,
  ][] = [
    ["was returned", "proven", () => giveBack(emulator, "svc-1"), 0, []],
    ["was returned and lent again", "proven", lendAgain, 0, ["svc-1"]],
    ["was returned and lent again", "proven, force", lendAgain, 0, ["svc-1"]],
    ["left with its set", "proven", () => emulator.secrets.removeDirectoryLibrarySet("operators"), 0, []],
    ["left the set", "proven", () => changeSet({ serviceAccountNames: ["svc-2"] }), 0, []],
    ["expired, no matter who has it now", "proven", expire, 0, ["svc-1"]],
    ["is refused with 403", "proven", () => refuse(403, "not yours"), 1, ["svc-1"], force],
    ["is refused with 409", "proven", () => refuse(409, "not yours"), 1, ["svc-1"], force],
    ["is refused with 422", "proven", () => refuse(422, "not yours"), 1, ["svc-1"], force],
    ["was returned and lent again", "unproven, force", lendAgain, 1, ["svc-1"], byAnother],
    ["is refused to the token", "unproven", () => refuse(403, "permission denied"), 1, ["svc-1"], isDenied],
    ["is of a set that cannot be read", "unproven", hideOpenSet, 0, ["svc-1"], isDenied],
    ["may be checked in by anybody", "unproven", letAnybodyCheckIn, 0, ["svc-1"], unverified],
  ];
  for (const [what, borrower, between, requests, out, said] of destructions) {
    it(`a destroyed check-out takes nothing from others if its account ${what} (borrower: ${borrower})`, async () => {
      await addSet(["svc-1", ...(borrower.startsWith("proven") ? ["svc-2"] : [])]);
      if (borrower.startsWith("unproven")) {
        emulator.faults.add({ ...status, skip: 1, status: 500, body: { errors: ["no"] } });
      }
      const managed = await manage({ ...base, force: borrower.endsWith("force") });
      assert.equal((managed.outputs.__private as Properties).proven, borrower.startsWith("proven"));
      await between(managed);
      emulator.journal.clear();
      const error = await destroyListening(managed).then(() => undefined, messageOf);
      assert.deepEqual([checkIns(), accountsOut(emulator)], [[requests, 0], out]);
      const heard = [...(error === undefined ? [] : [`error: ${error}`]), ...announced];
      assert.match(heard.join("\n"), said ?? /^$/);
      assert.equal(heard.length, said === undefined ? 0 : 1);
    });
  }

  it("a check-out treats the same entity with another token as somebody else", async () => {
    await addSet(["svc-1"]);
    const { id } = emulator.secrets.addEntity({});
    const [first = "", second = ""] = [0, 1].map(() => emulator.secrets.addToken({ entityId: id }));
    const managed = await manage(base, { "trivium:secretsToken": first });
    await giveBack(emulator, "svc-1");
    await borrow(emulator, second);
    await seenWith(managed, { "trivium:secretsToken": second }).destroy();
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
    assert.equal(await managed.refresh(), false);
  });

  it("a check-out says what to do when the service does not let this token check it in, which force can", async () => {
    await addSet(["svc-1"]);
    const other = seenWith(await manage(), { "trivium:secretsToken": emulator.secrets.addToken() });
    await assert.rejects(other.destroy(), {
      message: /wasn't checked out by the caller\. Only the token or the entity .* set force: true/,
    });
    emulator.journal.clear();
    await other.up({ ...base, force: true });
    await other.destroy();
    assert.deepEqual([checkIns(), accountsOut(emulator)], [[0, 1], []]);
  });

  for (const [where, skip, warnings] of [
    ["from the beginning, without a warning", 1, 0],
    ["any more, with a warning in a refresh", 2, 1],
  ] as const) {
    it(`a check-out whose status does not name the borrower ${where} is checked in if the service allows it`, async () => {
      await addSet(["svc-1"]);
      const data = { "svc-1": { available: false } };
      emulator.faults.add({ ...status, skip, times: 9, status: 200, body: { data } });
      const managed = await manage();
      assert.deepEqual(await readListening(managed), {});
      assert.equal(announced.length, warnings, announced.join());
      await managed.destroy();
      assert.deepEqual([checkIns(), accountsOut(emulator)], [[1, 0], []]);
    });
  }

  it("a borrower cannot be read out of state, even where a service shows whole tokens, and is known again", async () => {
    await addSet(["svc-1"]);
    const borrower = { borrower_client_token: "hash-1", borrower_entity_id: "entity-1" };
    const managed = await manage(base, await serviceWith(emulator, statusWith(borrower)));
    // Former versions have the same in state.
    assert.deepEqual(managed.outputs.__private, { proven: true, borrower: "8YmrW4lWAoAzudKF" });
    assert.equal(await managed.refresh(), true);
    await managed.destroy();
    assert.deepEqual(accountsOut(emulator), []);
  });

  const manageDenied = async (more: readonly string[] = []): Promise<FakeEngine> => {
    await addSet(["svc-1"]);
    [status.path, ...more].forEach((path) => emulator.faults.add({ method: "GET", path, ...denied }));
    return manage();
  };

  for (const [what, more] of [
    ["may not read the status is made, says what is not proven, and is checked in again", []],
    ["may not read the set either is made and checked in", [setPath]],
  ] as const) {
    it(`a check-out whose token ${what}`, async () => {
      const managed = await manageDenied(more);
      assert.deepEqual(managed.outputs.__private, { proven: false });
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up(base), "same");
      await managed.destroy();
      assert.deepEqual(accountsOut(emulator), []);
    });
  }

  it("a check-out whose token may not read the status warns at its creation and at each refresh", async () => {
    const managed = await manageDenied();
    await managed.destroy();
    await libraryCheckoutDefinition.create(stepOf(managed), { mount: "ldap", setName: "operators" });
    await readListening(managed);
    const [created = "", refreshed = "", ...others] = announced;
    assert.match(created, /^warning: Could not read the borrower of svc-1 .*service decides .* denied/);
    assert.match(refreshed, /^warning: The status does not say who has checked out svc-1 .*service decides/);
    assert.deepEqual(others, []);
  });

  it("a check-out is proven again once the status may be read", async () => {
    await addSet(["svc-1"]);
    const managed = await manage();
    const fault = emulator.faults.add({ ...status, ...denied });
    assert.equal(await managed.refresh(), true);
    fault.remove();
    await giveBack(emulator, "svc-1");
    assert.equal(await managed.refresh(), false);
  });

  const failures: readonly [what: string, cause: () => unknown, message: RegExp, name?: string][] = [
    ["may not check out either", () => emulator.faults.add({ ...checkOut, ...denied }), /403/],
    [
      "finds no account free",
      () => borrow(emulator, emulator.secrets.token),
      /^No account of .* is free: the token may not read the borrowers\. .*No service accounts available/,
    ],
    ["names a wrong set", () => undefined, /^(?!.*is free).*"nothing" doesn't exist/, "nothing"],
    [
      "gets no response, and is not tried again",
      () => emulator.faults.add({ ...checkOut, drop: "after" }),
      /may nevertheless be checked out.*The library cannot find out which/,
    ],
  ];
  for (const [what, cause, message, name = "operators"] of failures) {
    it(`a script whose token may not read the status says what is wrong when it ${what}`, async () => {
      await addSet(["svc-1"]);
      emulator.faults.add({ ...status, ...denied });
      await cause();
      emulator.journal.clear();
      assert.match((await failure(runCheckOut({ name }))).message, message);
      assert.equal(emulator.journal.count(checkOut), 1);
    });
  }

  describe("whose response is lost", () => {
    /** Creates it, which fails, and keeps what the engine keeps. */
    const lose = async (
      args: Properties = base,
      settings = newProcess(),
    ): Promise<{ managed: FakeEngine; message: string }> => {
      const managed = new FakeEngine(libraryCheckoutDefinition, emulator, settings);
      const error: unknown = await managed.up(args).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Error);
      const { id, properties } = error as { readonly id?: string; readonly properties?: Properties };
      if (id !== undefined && properties !== undefined) {
        Object.assign(managed, { id, inputs: args, outputs: inClear(properties) });
      }
      return { managed, message: error.message };
    };
    /** In a process whose service does `work` between the status and the check-out. */
    const between = async (work: () => unknown): Promise<Record<string, string>> => ({
      ...newProcess(),
      ...(await serviceWith(emulator, afterFirstStatus(work))),
    });
    const takenByAnother = () => between(() => borrow(emulator, emulator.secrets.addToken()));

    it("a lost check-out is kept without a password, and replaced by the next run: never two accounts", async () => {
      await addSet(["svc-1", "svc-2", "svc-3"]);
      emulator.faults.add({ ...checkOut, drop: "after" });
      const { managed, message } = await lose();
      assert.match(
        message,
        /svc-1 was checked out in the meantime; its password is lost\. The resource is kept in state: the next `pulumi up`/,
      );
      assert.match(managed.id ?? "", /^ldap\/operators\/svc-1\//);
      assert.deepEqual([account(managed), managed.outputs.password], ["svc-1", undefined]);
      assert.deepEqual([accountsOut(emulator), emulator.journal.count(checkOut)], [["svc-1"], 1]);
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up(base), "replaced");
      assert.equal(typeof managed.outputs.password, "string");
      assert.deepEqual(accountsOut(emulator), [account(managed)]);
      await managed.destroy();
      assert.deepEqual(accountsOut(emulator), []);
    });

    const ends: readonly [what: string, args: Properties, fields: object, seconds: number | null][] = [
      ["its own time", { ttl: "1h" }, { ttl: "2h" }, 3600],
      ["the set's time at the latest", { ttl: "9h" }, { ttl: "2h" }, 7200],
      ["the set's time by default", {}, { ttl: "2h" }, 7200],
      ["nothing where nothing limits it", { ttl: 0 }, { ttl: 0, max_ttl: 0 }, null],
    ];
    for (const [what, args, limits, expected] of ends) {
      it(`a lost check-out ends with ${what}, so that nothing is returned after it`, async () => {
        await addSet(["svc-1"], limits);
        emulator.faults.add({ ...checkOut, drop: "after" });
        const before = Date.now();
        const { expiresAt } = (await lose({ ...base, ...args })).managed.outputs;
        const left =
          expiresAt === null ? null : Math.floor((Date.parse(textOf(expiresAt)) - before) / 60_000);
        assert.equal(left, expected === null ? null : expected / 60);
      });
    }

    it("a lost check-out is distinguished from another one once any status has told this process its own borrower", async () => {
      await addSet(["svc-1", "svc-2", "svc-3", "svc-4"], { disable_check_in_enforcement: true });
      let alter: Alteration = (_request, response) => response;
      const service = await serviceWith(emulator, (request, response) => alter(request, response));
      const settings = { ...newProcess(), ...service };
      const first = new FakeEngine(libraryCheckoutDefinition, emulator, settings);
      await first.up(base);
      emulator.faults.add({ ...status, skip: 1, status: 500, body: { errors: ["no"] } });
      await new FakeEngine(libraryCheckoutDefinition, emulator, settings).up(base);
      alter = afterFirstStatus(() => borrow(emulator, emulator.secrets.addToken()));
      emulator.faults.add({ ...checkOut, drop: "after", skip: 1 });
      const { managed, message } = await lose(base, settings);
      assert.match(message, /The resource is kept in state/);
      assert.equal(checkOuts(emulator)[account(managed)], checkOuts(emulator)[account(first)]);
      await managed.destroy();
      await first.destroy();
      assert.equal(accountsOut(emulator).length, 2);
    });

    it("a lost check-out may be of an account that somebody else still had when the status was read first", async () => {
      await addSet(["svc-1", "svc-2"], { ttl: "1h" });
      await borrow(emulator, emulator.secrets.addToken());
      emulator.faults.add({ ...checkOut, drop: "after" });
      const { managed } = await lose(base, await between(() => emulator.advance("1h")));
      assert.equal(account(managed), "svc-1");
      assert.deepEqual(accountsOut(emulator), ["svc-1"]);
    });

    it("a lost check-out that was somebody else's harms nobody: the service does not let it be checked in", async () => {
      await addSet(["svc-1", "svc-2"]);
      emulator.faults.add({ ...checkOut, drop: "before", skip: 1 });
      const { managed } = await lose({ ...base, force: true }, await takenByAnother());
      assert.equal(account(managed), "svc-1");
      await managed.destroy();
      assert.deepEqual([emulator.journal.count(manageCheckIn), accountsOut(emulator)], [0, ["svc-1"]]);
    });

    const unknown: readonly [what: string, cause: () => unknown, out: number, message: RegExp][] = [
      [
        "was not processed: the status shows no new check-out",
        () => emulator.faults.add({ ...checkOut, drop: "before" }),
        0,
        /checked out no account of the library set "operators" of the mount ldap/,
      ],
      [
        "may be another one, because somebody else has checked out an account at the same time: names both",
        () => {
          emulator.faults.add({ ...checkOut, drop: "after", skip: 1 });
          return takenByAnother();
        },
        2,
        /cannot find out which of them by this request: svc-1 \(checked out by .*\), svc-2 \(checked out by .*\)\. .* check in \(checkIn\)/,
      ],
      [
        "may be another one, and the set lets anybody check in",
        () => {
          emulator.faults.add({ ...checkOut, drop: "after" });
          letAnybodyCheckIn();
        },
        1,
        /cannot find out which of them by this request: svc-1 \(checked out by a token with the hash/,
      ],
      [
        "cannot be looked up",
        () => {
          emulator.faults.add({ ...checkOut, drop: "after" });
          emulator.faults.add({ ...status, skip: 1, status: 503 });
        },
        1,
        /may nevertheless be checked out, and the search for it failed: .* 503 .*\(getLibraryStatus\)/s,
      ],
      [
        "may be another one, because the token may not read whether the set lets anybody check in",
        () => {
          emulator.faults.add({ ...checkOut, drop: "after" });
          emulator.faults.add({ method: "GET", path: setPath, ...denied });
        },
        1,
        /may nevertheless be checked out, and the search for it failed: .* 403.*\(getLibraryStatus\)/s,
      ],
    ];
    for (const [what, cause, out, expected] of unknown) {
      it(`a lost check-out is not kept when it ${what}`, async () => {
        await addSet(["svc-1", "svc-2", "svc-3"]);
        const settings = (await cause()) as Record<string, string> | undefined;
        const isSettings = settings !== undefined && !("remove" in settings);
        const { managed, message } = await lose(base, isSettings ? settings : newProcess());
        assert.match(message, expected);
        assert.deepEqual([managed.id, accountsOut(emulator).length], [undefined, out]);
      });
    }
  });
});

describe("check-outs in scripts", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  afterEach(stopServers);
  beforeEach(async () => {
    await addLibrarySet(emulator, ["svc-1", "svc-2"], { ttl: "1h" });
    emulator.journal.clear();
  });

  it("scripts check out an account and check it in", async () => {
    const checkedOut = await runCheckOut({ name: "operators", ttl: "30m" });
    const [lent] = emulator.inspect().secrets.directoryLibraryAccounts;
    assert.deepEqual(checkedOut, {
      serviceAccountName: "svc-1",
      password: lent?.password,
      leaseId: lent?.checkOut?.leaseId,
      leaseDuration: 1800,
      renewable: true,
    });
    assert.deepEqual(await runCheckIn({ name: "operators" }), { checkIns: ["svc-1"] });
    assert.deepEqual(emulator.journal.requests(checkIn)[0]?.body, { name: "operators" });
    assert.deepEqual(await runCheckIn({ name: "operators", serviceAccountNames: "svc-1,svc-2" }), {
      checkIns: [],
    });
  });

  it("scripts check in what somebody else has checked out only by force", async () => {
    const held = await borrow(emulator, emulator.secrets.addToken());
    const args = { name: "operators", serviceAccountNames: [held] };
    assert.match(
      (await failure(runCheckIn(args))).message,
      /^Could not check in svc-1 of the library set .* wasn't checked out by the caller/,
    );
    assert.deepEqual(await runForceCheckIn(args), { checkIns: [held] });
    const names = Array.from({ length: 50 }, (_each, index) => `svc-${index}`);
    assert.match(
      (await failure(runCheckIn({ ...args, serviceAccountNames: names }))).message,
      /^Could not check in 50 accounts of the library set/,
    );
  });

  it("checkIn returns the accounts that were checked in, and none if the service does not say", async () => {
    for (const data of [null, { check_ins: null }, {}]) {
      emulator.faults.add({ ...checkIn, status: 200, body: { data } });
      assert.deepEqual(await runCheckIn({ name: "operators" }), { checkIns: [] });
    }
  });

  it("checkOut never takes a second account when the response is lost, and names the first", async () => {
    process.env.SECRETS_REQUEST_TIMEOUT = "77s";
    emulator.faults.add({ ...checkOut, drop: "after" });
    const error = await failure(runCheckOut({ name: "operators" }));
    assert.match(error.message, /svc-1 was checked out in the meantime; .* Check it in with checkIn/);
    assert.equal(error.mayHaveBeenProcessed, true);
    assert.equal(emulator.journal.count(checkOut), 1);
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
  });

  it("checkOut finds out after Ctrl-C what a response that did not come has taken", async () => {
    const cancellation = new AbortController();
    const settings = await serviceWith(emulator, ({ url }, response) => {
      if (!url.endsWith("/check-out")) {
        return response;
      }
      cancellation.abort();
      return undefined;
    });
    process.env.SECRETS_ADDR = settings["trivium:secretsAddress"];
    const { message } = await failure(runCheckOut({ name: "operators" }, { signal: cancellation.signal }));
    assert.match(message, /svc-1 was checked out in the meantime; .* Check it in with checkIn/);
  });

  it("checkOut ends when it is cancelled", async () => {
    await failure(runCheckOut({ name: "operators" }, { signal: AbortSignal.abort() }));
    assert.deepEqual(accountsOut(emulator), []);
  });
});

for (const [dialect, name] of [
  ["documented", { name: "operators" }],
  ["hashicorp", {}],
] as const) {
  describe(`the requests of scripts in the ${dialect} dialect`, () => {
    const emulator = useEmulator({ dialect });
    useEnvironment(() => emulator.environment);

    it("the requests of scripts have the name of the set in their body only as documented, and an unlimited ttl as 0", async () => {
      await addLibrarySet(emulator, ["svc-1"]);
      const args = { name: "operators", serviceAccountNames: ["svc-1"] };
      await runCheckOut({ name: "operators", ttl: 0 });
      await runCheckIn(args);
      await runForceCheckIn(args);
      const body = { ...name, service_account_names: ["svc-1"] };
      assert.deepEqual(
        [checkOut, checkIn, manageCheckIn].map((each) => emulator.journal.requests(each)[0]?.body),
        [{ ...name, ttl: 0 }, body, body],
      );
    });
  });
}

describe("waiting for a free account", () => {
  const emulator = useEmulator();
  const progress: string[] = [];
  const callerWith = (signal = new AbortController().signal) => ({
    signal,
    progress: (message: string): void => void progress.push(message),
    announce: () => undefined,
  });
  const desired = { mount: "ldap", ...base } as never;
  /** @returns the account */
  const wait = (
    runtime?: WaitRuntime,
    settings = {},
    waitFor = 60,
    caller = callerWith(),
  ): Promise<unknown> => {
    const client = secretsClientOf(emulator, caller, settings);
    const step = { ...stepAt(emulator), client };
    const attempt = async (): Promise<unknown> => {
      const look = await libraryCheckoutDefinition.find?.(step, desired);
      return (await libraryCheckoutDefinition.create(step, desired, look?.seen)).state.serviceAccountName;
    };
    return whenFree(client, { ...set, waitFor }, attempt, runtime);
  };
  /** Waits take no time, but the clock goes on; `during` is called in each of them. */
  const clockWith = (during: (sleeps: number) => unknown = () => undefined) => {
    let time = 5_000_000;
    const pauses: number[] = [];
    return {
      pauses,
      now: () => time,
      sleep: async (milliseconds: number): Promise<void> => {
        time += milliseconds;
        pauses.push(milliseconds / 1000);
        await during(pauses.length);
      },
    };
  };

  afterEach(stopServers);
  beforeEach(async () => {
    progress.length = 0;
    await addLibrarySet(emulator, ["svc-1"]);
  });

  it("the wait for an account lasts until one is checked in, and shows its progress", async () => {
    await borrow(emulator, emulator.secrets.token);
    emulator.journal.clear();
    const clock = clockWith((sleeps) => (sleeps === 6 ? giveBack(emulator, "svc-1") : undefined));
    assert.equal(await wait(clock), "svc-1");
    assert.deepEqual(clock.pauses, [1, 2, 4, 8, 10, 10]);
    assert.deepEqual(progress, [
      ...[0, 1, 3, 7, 15, 25].map(
        (waited) => `waiting for a free account of operators (${waited} s of 60 s)`,
      ),
      "an account was free",
    ]);
    assert.equal(emulator.journal.count(checkOut), 1, "nothing is asked for while none is free");
  });

  it("the wait for an account goes on when somebody else is quicker", async () => {
    const another = emulator.secrets.addToken();
    const settings = await serviceWith(
      emulator,
      afterFirstStatus(() => borrow(emulator, another)),
    );
    const clock = clockWith(() => giveBack(emulator, "svc-1"));
    assert.equal(await wait(clock, settings), "svc-1");
    assert.deepEqual(clock.pauses, [1]);
  });

  it("the wait for an account gives up when the time is over, and says who holds what", async () => {
    await borrow(emulator, emulator.secrets.token);
    const clock = clockWith();
    const error = await failure(wait(clock, {}, 20));
    assert.match(
      error.message,
      /^No account of .* is free: svc-1 \(checked out by a token with the hash \w+\)\. No account became free within 20 s. To wait longer, raise waitFor\.$/,
    );
    assert.deepEqual(clock.pauses, [1, 2, 4, 8, 5]);
    assert.equal(error.mayHaveBeenProcessed, false);
  });

  it("the wait for an account goes by the real clock by default, and ends at once when it is cancelled", async () => {
    await borrow(emulator, emulator.secrets.token);
    const cancellation = new AbortController();
    const caller = {
      ...callerWith(cancellation.signal),
      progress: () => void setImmediate(() => cancellation.abort()),
    };
    assert.equal(
      (await failure(wait(undefined, {}, 86_400, caller))).message,
      'Cancelled while waiting for a free account of the library set "operators" of the mount ldap. None was checked out.',
    );
  });
});

describe("the options of a secrets.directory.LibraryCheckout", () => {
  useMocks();

  for (const options of [{}, { deleteBeforeReplace: false }]) {
    it(`the options of a check-out always let it check in before it checks out, also with ${inspect(options)}`, async () => {
      const seen: (boolean | undefined)[] = [];
      const transformation: pulumi.ResourceTransformation = ({ opts }) => {
        seen.push((opts as pulumi.CustomResourceOptions).deleteBeforeReplace);
        return undefined;
      };
      const all = { ...options, transformations: [transformation] };
      await declared(new LibraryCheckout("operator", { setName: "operators" }, all));
      assert.deepEqual(seen, [true]);
    });
  }
});
