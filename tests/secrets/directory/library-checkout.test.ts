import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { messageOf } from "../../../sdk/base/errors";
import { processRedactor } from "../../../sdk/base/redactor";
import type { Caller } from "../../../sdk/base/caller";
import { directory } from "../../../sdk/secrets";
import { libraryCheckoutDefinition, whenFree } from "../../../sdk/secrets/directory/library-checkout";
import type { Emulator } from "../../../sdk/testing";
import { failure } from "../../http/calls";
import { impatientClock, type ManualClock } from "../../http/clock";
import { declared, useMocks } from "../../resource/mocks";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { type Alteration, serviceWith } from "../altered-responses";
import { secretsClientOf, stepAt, textOf, useSecrets } from "../emulated-client";
import { accountsOut, addLibrarySet, borrow, checkOuts, giveBack } from "./emulated-directory";

const setPath = "/v1/ldap/library/:name";
const checkOut = { method: "POST", path: `${setPath}/check-out` };
const checkIn = { method: "POST", path: `${setPath}/check-in` };
const manageCheckIn = { method: "POST", path: "/v1/ldap/library/manage/:name/check-in" };
const status = { method: "GET", path: `${setPath}/status` };
const denied = { status: 403, body: { errors: ["permission denied"] }, times: Number.POSITIVE_INFINITY };
const base = { setName: "operators" };
const set = { name: "operators" };
const mounted = { mount: "ldap", ...base };
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

/** What a check-out has of the first account. */
function lentBy(emulator: Emulator) {
  const [{ name, password, checkOut: lease } = assert.fail()] =
    emulator.inspect().secrets.directoryLibraryAccounts;
  return { serviceAccountName: name, password, leaseId: lease?.leaseId, renewable: true };
}

describe("secrets.directory.LibraryCheckout", () => {
  const emulator = useSecrets();
  const announced: string[] = [];
  beforeEach(() => {
    announced.length = 0;
  });

  const addSet = (accounts: readonly string[], fields = {}) => addLibrarySet(emulator, accounts, fields);
  const changeSet = (fields: Parameters<typeof emulator.secrets.changeDirectoryLibrarySet>[1]) =>
    emulator.secrets.changeDirectoryLibrarySet("operators", fields);
  const removeSet = () => emulator.secrets.removeDirectoryLibrarySet("operators");
  const letAnybodyCheckIn = () => changeSet({ disableCheckInEnforcement: true });
  const drop = (when: "before" | "after", skip = 0) => emulator.faults.add({ ...checkOut, drop: when, skip });
  const manage = (args: Properties = base, settings = {}) =>
    FakeEngine.create(libraryCheckoutDefinition, emulator, args, settings);
  const stepOf = ({ outputs }: FakeEngine, settings = {}) =>
    stepAt(emulator, announced, { privateState: outputs.__private as never, settings });
  const destroyListening = (managed: FakeEngine, settings = {}) =>
    libraryCheckoutDefinition.delete(stepOf(managed, settings), managed.id ?? "", {
      ...managed.outputs,
      ...mounted,
    });
  const readListening = (managed: FakeEngine) =>
    libraryCheckoutDefinition.read(stepOf(managed), managed.id ?? "", managed.outputs);
  const checkIns = (): readonly [ordinary: number, forced: number] => [
    emulator.journal.count(checkIn),
    emulator.journal.count(manageCheckIn),
  ];
  /** Creates it, which fails. */
  const lose = async (args: Properties = base, settings = newProcess()) => {
    const managed = new FakeEngine(libraryCheckoutDefinition, emulator, settings);
    const message = await managed.up(args).then(() => assert.fail("it was created"), messageOf);
    return { managed, message };
  };
  /** In a process whose service does `work` between the status and the check-out. */
  const between = async (work: () => unknown) => ({
    ...newProcess(),
    ...(await serviceWith(emulator, afterFirstStatus(work))),
  });
  const takenByAnother = () => between(() => borrow(emulator, emulator.secrets.addToken()));

  it("a check-out has one account, its password and its expiry", async () => {
    await addSet(["svc-1", "svc-2"], { ttl: "10h" });
    const managed = await manage({ ...base, ttl: "1h" });
    assert.deepEqual(emulator.journal.requests(checkOut)[0]?.body, { ...set, ttl: 3600 });
    const { __managed, __at, __private, expiresAt, ...outputs } = managed.outputs;
    const lent = lentBy(emulator);
    assert.deepEqual(outputs, { ...lent, ...mounted, ttl: 3600, leaseDuration: 3600 });
    assert.equal(managed.id, lent.leaseId);
    assert.ok(!JSON.stringify([managed.id, __private, __managed]).includes(lent.password));
    assert.ok(!processRedactor.redact(`the password is ${lent.password}`).includes(lent.password));
  });

  const ends: readonly [what: string, args: Properties, limits: object, minutes: number | null][] = [
    ["its own lifetime", { ttl: "1h" }, { ttl: "2h" }, 60],
    ["the set's maximum lifetime", { ttl: "9h" }, { ttl: "2h" }, 120],
    ["the set's default lifetime", {}, { ttl: "2h" }, 120],
    ["nothing if nothing limits it", { ttl: 0 }, { ttl: 0, max_ttl: 0 }, null],
  ];
  for (const [what, args, limits, minutes] of ends) {
    it(`a check-out expires with ${what}, even if its response is lost`, async () => {
      await addSet(["svc-1", "svc-2"], limits);
      const before = Date.now();
      const managed = await manage({ ...base, ...args });
      drop("after");
      const { managed: lost } = await lose({ ...base, ...args });
      for (const { expiresAt } of [managed.outputs, lost.outputs]) {
        const left = expiresAt === null ? null : (Date.parse(textOf(expiresAt)) - before) / 60_000;
        assert.equal(left && Math.floor(left), minutes);
      }
      assert.equal(managed.outputs.leaseDuration, (minutes ?? 0) * 60);
      emulator.advance(minutes === null ? "400d" : "30m");
      assert.equal(await managed.refresh(), true);
    });
  }

  it("a check-out has its own ID if the service does not return a lease", async () => {
    await addSet(["svc 1"], { ttl: 0, max_ttl: 0 });
    const settings = await serviceWith(emulator, ({ url }, { status: code, body }) => ({
      status: code,
      body: url.endsWith("/check-out") && body ? { data: body.data } : body,
    }));
    const { id = "", outputs } = await manage(base, settings);
    assert.match(id, /^ldap\/operators\/svc%201\/\d{4}-\d\d-\d\dT\d\d%3A/);
    const { leaseId, leaseDuration, renewable, expiresAt } = outputs;
    assert.deepEqual([leaseId, leaseDuration, renewable, expiresAt], ["", 0, false, null]);
  });

  const toWait =
    "Wait until an account is checked in, or add accounts to the set. To wait in a program, set waitFor of LibraryCheckout.";
  const lendAll = async (): Promise<void> => {
    const entityId = emulator.secrets.addEntity({ id: "e-1" }).id;
    await borrow(emulator, emulator.secrets.addToken({ entityId }));
    await borrow(emulator, emulator.secrets.addToken());
  };
  const empty = () => emulator.faults.add({ ...status, times: 9, status: 200, body: { data: {} } });
  const holders =
    "svc-1 \\(checked out by the entity e-1\\), svc-2 \\(checked out by a token with the hash \\w{8}\\)";
  const noneFree = (why: string) =>
    new RegExp(`^No account of the library set "operators" of the mount ldap is free: ${why}\\. ${toWait}$`);
  const refuse = (code: number, error: string, request = checkIn) =>
    emulator.faults.add({ ...request, status: code, body: { errors: [error] }, times: 9 });
  const forbid = () => emulator.faults.add({ ...status, ...denied });
  const removeHidden = (): void => {
    forbid();
    removeSet();
  };
  const unread =
    "the token is not allowed to read the borrowers\\. .*No service accounts available for check-out";
  const noSet = /^The library set "operators" of the mount ldap does not exist\.$/;
  const unknownSet = /^(?!.*is free).*"operators" doesn't exist/;
  const lostUnread = /might still be checked out.*The library cannot tell which/;
  const refuseDay = () => refuse(400, "not on Sundays", checkOut);
  const refusals: readonly [string, cause: () => unknown, message: RegExp, requests: number][] = [
    ["there is no such set", removeSet, noSet, 0],
    ["the set has no accounts", empty, noneFree("it has no accounts"), 0],
    ["each account is checked out", lendAll, noneFree(holders), 0],
    ["the service does not explain more", refuseDay, /400: not on Sundays/, 1],
    ["the token is not allowed to do anything", () => [forbid(), refuse(403, "denied", checkOut)], /403/, 1],
    [
      "the token is not allowed to read who has the accounts",
      () => [forbid(), lendAll()],
      noneFree(unread),
      1,
    ],
    ["the token is not allowed to read that there is no set", removeHidden, unknownSet, 1],
    ["the token is not allowed to read what was lost", () => [forbid(), drop("after")], lostUnread, 1],
  ];
  for (const who of ["program", "script"]) {
    for (const [why, cause, message, requests] of refusals) {
      it(`a check-out of a ${who} fails once, and the error says why and who has each account: ${why}`, async () => {
        await addSet(["svc-1", "svc-2"]);
        await Promise.all([cause()].flat());
        emulator.journal.clear();
        await assert.rejects(who === "program" ? manage() : directory.checkOut(set), { message });
        assert.equal(emulator.journal.count(checkOut), requests);
      });
    }
  }

  it("an expired check-out is replaced without a refresh or a check-in, unlike one with another ttl", async () => {
    await addSet(["svc-1"]);
    const managed = await manage();
    const { id } = managed;
    emulator.advance("25h");
    managed.outputs = { ...managed.outputs, expiresAt: past };
    assert.equal(await managed.up(base), "replaced");
    assert.notEqual(managed.id, id);
    assert.deepEqual([emulator.journal.count(checkOut), checkIns()], [2, [0, 0]]);
    assert.equal(await managed.up({ ...base, ttl: "1h" }), "replaced", "one account is enough");
    assert.deepEqual([managed.outputs.leaseDuration, checkIns()], [3600, [1, 0]]);
  });

  it("a check-out that has ended is reported with the reason in a refresh", async () => {
    await addSet(["svc-1"]);
    const managed = await manage();
    await giveBack(emulator, "svc-1");
    assert.equal(await readListening(managed), undefined);
    managed.outputs = { ...managed.outputs, expiresAt: past };
    emulator.journal.clear();
    assert.equal(await readListening(managed), undefined);
    assert.equal(emulator.journal.count(), 1, "the status counts");
    const [returned = "", expired = "", ...others] = announced;
    assert.match(returned, /^information: .*svc-1 of the set operators ended early/);
    assert.match(expired, /^information: .*svc-1 of the set operators .*2020-01-01/);
    assert.deepEqual(others, []);
  });

  it("a destroyed check-out checks in exactly its account, through the ordinary path", async () => {
    await addSet(["svc-1", "svc-2", "svc-3"]);
    await borrow(emulator, emulator.secrets.token);
    const managed = await manage();
    await borrow(emulator, emulator.secrets.token);
    emulator.journal.clear();
    await destroyListening(managed);
    const requests = emulator.journal.requests(checkIn).map(({ body }) => body);
    assert.deepEqual(requests, [{ ...set, service_account_names: ["svc-2"] }]);
    assert.deepEqual([accountsOut(emulator), announced], [["svc-1", "svc-3"], []]);
  });

  const unnamed = { ...status, times: 9, status: 200, body: { data: { "svc-1": { available: false } } } };
  const deniedSet = { method: "GET", path: setPath, ...denied };
  /** What the status tells a check-out of its borrower, by what happens to requests. */
  const borrowers = {
    proven: [],
    unproven: [{ ...status, skip: 1, status: 500, body: { errors: ["no"] } }],
    "never named": [{ ...unnamed, skip: 1 }],
    "no longer named": [{ ...unnamed, skip: 2 }],
    "not readable": [{ ...status, ...denied }],
    "not readable, like the set": [{ ...status, ...denied }, deniedSet],
  };

  const lendAgain = async (): Promise<void> => {
    await giveBack(emulator, "svc-1");
    await borrow(emulator, emulator.secrets.addToken());
  };
  const expire = async (managed: FakeEngine): Promise<void> => {
    emulator.advance("25h");
    await borrow(emulator, emulator.secrets.token);
    managed.outputs = { ...managed.outputs, expiresAt: past };
  };
  const hideOpenSet = () => {
    letAnybodyCheckIn();
    emulator.faults.add(deniedSet);
  };
  const keep = async (managed: FakeEngine) => assert.deepEqual(await readListening(managed), {});
  const silent = /^warning: The status does not say who has checked out svc-1 .*service decides/;
  /** @returns the token that destroys it */
  const changeToken = () => emulator.secrets.addToken();
  const notYours =
    /^error: .*(not yours|wasn't checked out by the caller)\. Only the token or the entity .* set force: true/;
  const isDenied = /^error: .*permission denied/;
  const byAnother = /^warning: svc-1 of the library set .* stays checked out: .*wasn't checked out by[^]*$/;
  const unverified =
    /^warning: The library cannot verify that svc-1 of the library set "operators" of the mount ldap was checked out by this resource, so it stays checked out\. If it is not in use, check it in with checkIn\.$/;
  type Happening = (managed: FakeEngine) => unknown;
  type Requests = readonly [ordinary: number, forced: number];
  const destructions: readonly [string, string, Happening, Requests, isLent: boolean, said?: RegExp][] = [
    ["was returned", "proven", () => giveBack(emulator, "svc-1"), [0, 0], false],
    ["was checked in and checked out again", "proven", lendAgain, [0, 0], true],
    ["was checked in and checked out again", "proven, force", lendAgain, [0, 0], true],
    ["was deleted with its set", "proven", removeSet, [0, 0], false],
    [
      "was removed from the set",
      "proven",
      () => changeSet({ serviceAccountNames: ["svc-2"] }),
      [0, 0],
      false,
    ],
    // The same borrower might have it again: the expiry in state has passed, and there is no lease to look up.
    ["expired, no matter who has it now", "proven", expire, [0, 0], true, unverified],
    ["is refused with 403", "proven", () => refuse(403, "not yours"), [1, 0], true, notYours],
    ["is refused with 409", "proven", () => refuse(409, "not yours"), [1, 0], true, notYours],
    ["is refused with 422", "proven", () => refuse(422, "not yours"), [1, 0], true, notYours],
    ["belongs to another token", "proven", changeToken, [1, 0], true, notYours],
    ["belongs to another token", "proven, force", changeToken, [0, 1], false],
    ["was checked in and checked out again", "unproven, force", lendAgain, [1, 0], true, byAnother],
    [
      "is not available to the token",
      "unproven",
      () => refuse(403, "permission denied"),
      [1, 0],
      true,
      isDenied,
    ],
    ["belongs to a set that cannot be read", "unproven", hideOpenSet, [0, 0], true, isDenied],
    ["can be checked in by anybody", "unproven", letAnybodyCheckIn, [0, 0], true, unverified],
    ["is still checked out by it", "never named", keep, [1, 0], false],
    ["is still checked out by it", "no longer named", keep, [1, 0], false, silent],
    ["is still checked out by it", "no longer named, force", keep, [1, 0], false, silent],
    ["is still checked out by it", "not readable", keep, [1, 0], false, silent],
    ["is still checked out by it", "not readable, like the set", keep, [1, 0], false, silent],
  ];
  for (const [what, borrower, happening, requests, isLent, said] of destructions) {
    it(`a destroyed check-out does not affect others if its account ${what} (borrower: ${borrower})`, async () => {
      const isForced = borrower.endsWith(", force");
      const known = borrower.replace(", force", "") as keyof typeof borrowers;
      await addSet(["svc-1"]);
      borrowers[known].forEach((fault) => emulator.faults.add(fault));
      const managed = await manage({ ...base, force: isForced });
      const { proven } = managed.outputs.__private as Properties;
      assert.equal(proven, ["proven", "no longer named"].includes(known));
      const token = await happening(managed);
      emulator.journal.clear();
      const settings = typeof token === "string" ? { "trivium:secretsToken": token } : {};
      const say = (error: unknown): unknown => announced.push(`error: ${messageOf(error)}`);
      await destroyListening(managed, settings).catch(say);
      assert.deepEqual([checkIns(), accountsOut(emulator)], [requests, isLent ? ["svc-1"] : []]);
      assert.match(announced.join("\n"), said ?? /^$/);
      assert.ok(announced.length < 2, announced.join("\n"));
    });
  }

  it("a check-out whose token is not allowed to read the status causes a warning at creation, and changes nothing afterwards", async () => {
    await addSet(["svc-1", "svc-2"]);
    forbid();
    assert.equal(await (await manage()).up(base), "same");
    await libraryCheckoutDefinition.create(stepAt(emulator, announced), mounted);
    const said = /^warning: Could not read the borrower of svc-2 .*service decides [^\n]* denied[^\n]*$/;
    assert.match(announced.join("\n"), said);
  });

  it("a borrower cannot be read from state, even if a service shows whole tokens, but is recognized", async () => {
    await addSet(["svc-1"]);
    const borrower = { borrower_client_token: "hash-1", borrower_entity_id: "entity-1" };
    const data = { "svc-1": { available: false, ...borrower } };
    emulator.faults.add({ ...status, skip: 1, times: 9, status: 200, body: { data } });
    const managed = await manage();
    assert.deepEqual(managed.outputs.__private, { proven: true, borrower: "8YmrW4lWAoAzudKF" });
    assert.equal(await managed.refresh(), true);
    await managed.destroy();
    assert.deepEqual(accountsOut(emulator), []);
  });

  it("a lost check-out is kept without a password, and replaced by the next run without a second account", async () => {
    await addSet(["svc-1", "svc-2", "svc-3"]);
    drop("after");
    const { managed, message } = await lose();
    const kept =
      /svc-1 was checked out in the meantime; its password is lost\. The resource is kept in state: the next `pulumi up`/;
    assert.match(message, kept);
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

  it("a lost check-out is distinguished from another one once this process has learned its own borrower from a status", async () => {
    await addSet(["svc-1", "svc-2", "svc-3", "svc-4"], { disable_check_in_enforcement: true });
    let alter: Alteration = (_request, response) => response;
    const service = await serviceWith(emulator, (request, response) => alter(request, response));
    const settings = { ...newProcess(), ...service };
    const first = await manage(base, settings);
    emulator.faults.add({ ...status, skip: 1, status: 500, body: { errors: ["no"] } });
    await manage(base, settings);
    alter = afterFirstStatus(() => borrow(emulator, emulator.secrets.addToken()));
    drop("after", 1);
    const { managed, message } = await lose(base, settings);
    assert.match(message, /The resource is kept in state/);
    assert.equal(checkOuts(emulator)[account(managed)], checkOuts(emulator)[account(first)]);
    await managed.destroy();
    await first.destroy();
    assert.equal(accountsOut(emulator).length, 2);
  });

  it("a lost check-out of an account that somebody else had before, or has now, does not affect them", async () => {
    await addSet(["svc-1", "svc-2"], { ttl: "1h" });
    await borrow(emulator, emulator.secrets.addToken());
    drop("after");
    const { managed: own } = await lose(base, await between(() => emulator.advance("1h")));
    assert.deepEqual([account(own), accountsOut(emulator)], ["svc-1", ["svc-1"]]);
    drop("before", 1);
    const { managed: other } = await lose({ ...base, force: true }, await takenByAnother());
    assert.equal(account(other), "svc-2");
    await other.destroy();
    assert.deepEqual([emulator.journal.count(manageCheckIn), accountsOut(emulator)], [0, ["svc-1", "svc-2"]]);
  });

  const lostWith = (fault: Parameters<typeof emulator.faults.add>[0]): void => {
    drop("after");
    emulator.faults.add(fault);
  };
  const which = "cannot tell which of them this request checked out: svc-1 \\(checked out by";
  const both = new RegExp(`${which} .*\\), svc-2 \\(checked out by .*\\)\\. .* check in \\(checkIn\\)`);
  const one = new RegExp(`${which} a token with the hash`);
  const searchFailed =
    /might still be checked out, but looking for it failed: .* (503|403).*\(getLibraryStatus\)/s;
  const noneOut = /status of the library set "operators" of .*, the request did not check out an account/;
  const unclear: readonly [string, cause: () => unknown, out: number, message: RegExp][] = [
    ["was not processed", () => drop("before"), 0, noneOut],
    ["might be another client's, which is named too", () => drop("after", 1), 2, both],
    [
      "might be another one, because anybody can check in",
      () => [drop("after"), letAnybodyCheckIn()],
      1,
      one,
    ],
    ["cannot be looked up", () => lostWith({ ...status, skip: 1, status: 503 }), 1, searchFailed],
    ["belongs to a set that cannot be read", () => lostWith(deniedSet), 1, searchFailed],
  ];
  for (const [what, cause, out, expected] of unclear) {
    it(`a lost check-out is not kept when it ${what}`, async () => {
      await addSet(["svc-1", "svc-2", "svc-3"]);
      cause();
      const { managed, message } = await lose(base, out === 2 ? await takenByAnother() : newProcess());
      assert.match(message, expected);
      assert.deepEqual([managed.id, accountsOut(emulator).length], [undefined, out]);
    });
  }
});

describe("check-outs in scripts", () => {
  const emulator = useSecrets();
  beforeEach(async () => {
    await addLibrarySet(emulator, ["svc-1", "svc-2"], { ttl: "1h" });
    emulator.journal.clear();
  });

  it("scripts check out an account and check it in", async () => {
    const checkedOut = await directory.checkOut({ ...set, ttl: "30m" });
    assert.deepEqual(checkedOut, { ...lentBy(emulator), leaseDuration: 1800 });
    assert.deepEqual(await directory.checkIn(set), { checkIns: ["svc-1"] });
    assert.deepEqual(emulator.journal.requests(checkIn)[0]?.body, set);
    const again = await directory.checkIn({ ...set, serviceAccountNames: "svc-1,svc-2" });
    assert.deepEqual(again, { checkIns: [] });
    for (const data of [null, { check_ins: null }, {}]) {
      emulator.faults.add({ ...checkIn, status: 200, body: { data } });
      assert.deepEqual(await directory.checkIn(set), { checkIns: [] }, "the service does not say");
    }
  });

  it("scripts check in accounts that somebody else has checked out only by force", async () => {
    const held = await borrow(emulator, emulator.secrets.addToken());
    const args = { ...set, serviceAccountNames: [held] };
    const { message } = await failure(directory.checkIn(args));
    assert.match(message, /^Could not check in svc-1 of the library set .* wasn't checked out by the caller/);
    assert.deepEqual(await directory.forceCheckIn(args), { checkIns: [held] });
    const names = Array.from({ length: 50 }, (_each, index) => `svc-${index}`);
    const many = await failure(directory.checkIn({ ...args, serviceAccountNames: names }));
    assert.match(many.message, /^Could not check in 50 accounts of the library set/);
  });

  it("checkOut determines which account was checked out if the response is lost, even after Ctrl-C, and never checks out a second one", async () => {
    const cancellation = new AbortController();
    const settings = await serviceWith(emulator, ({ url }, response) => {
      if (!url.endsWith("/check-out")) {
        return response;
      }
      cancellation.abort();
      return undefined;
    });
    process.env.SECRETS_ADDR = settings["trivium:secretsAddress"];
    const error = await failure(directory.checkOut(set, { signal: cancellation.signal }));
    assert.match(error.message, /svc-1 was checked out in the meantime; .* Check it in with checkIn/);
    assert.equal(error.mayHaveBeenProcessed, true);
    assert.deepEqual([emulator.journal.count(checkOut), accountsOut(emulator)], [1, ["svc-1"]]);
  });
});

for (const [dialect, name] of [
  ["documented", set],
  ["hashicorp", {}],
] as const) {
  describe(`the requests of scripts in the ${dialect} dialect`, () => {
    const emulator = useSecrets({ dialect });

    it("the requests of scripts contain the name of the set in the body only if documented, and 0 for an unlimited ttl", async () => {
      await addLibrarySet(emulator, ["svc-1"]);
      const args = { ...set, serviceAccountNames: ["svc-1"] };
      await directory.checkOut({ ...set, ttl: 0 });
      await directory.checkIn(args);
      await directory.forceCheckIn(args);
      const bodies = emulator.journal
        .requests({ method: "POST" })
        .slice(-3)
        .map((request) => request.body);
      const body = { ...name, service_account_names: ["svc-1"] };
      assert.deepEqual(bodies, [{ ...name, ttl: 0 }, body, body]);
    });
  });
}

describe("waiting for a free account", () => {
  const emulator = useSecrets();
  const progress: string[] = [];
  const tell = (message: string): void => void progress.push(message);
  /** The account is checked in after the sixth wait. */
  const wait = (clock?: ManualClock, waitFor = 60, caller: Partial<Caller> = { progress: tell }) => {
    const step = { ...stepAt(emulator), client: secretsClientOf(emulator, caller) };
    const attempt = async () => {
      await (clock?.sleeps.length === 6 ? giveBack(emulator, "svc-1") : undefined);
      return libraryCheckoutDefinition.look?.(step, mounted);
    };
    return whenFree(step.client, { ...set, mount: "ldap", waitFor }, attempt, clock);
  };

  beforeEach(async () => {
    progress.length = 0;
    await addLibrarySet(emulator, ["svc-1"]);
    await borrow(emulator, emulator.secrets.token);
  });

  it("the wait for an account lasts until one is checked in, and shows its progress", async () => {
    const clock = impatientClock();
    await wait(clock);
    assert.deepEqual(clock.sleeps, [1000, 2000, 4000, 8000, 10_000, 10_000]);
    const waits = [0, 1, 3, 7, 15, 25].map((waited) => `${waited} s of 60 s`);
    const told = waits.map((waited) => `waiting for a free account of operators (${waited})`);
    assert.deepEqual(progress, [...told, "an account was free"]);
  });

  it("the wait for an account continues if somebody else is faster, and does not mistake that check-out for its own", async () => {
    await giveBack(emulator, "svc-1");
    const token = emulator.secrets.addToken();
    const afterStatuses = [() => borrow(emulator, token), () => giveBack(emulator, "svc-1")];
    const settings = await serviceWith(emulator, async ({ url }, response) => {
      await (url.endsWith("/status") ? afterStatuses.shift()?.() : undefined);
      return response;
    });
    const args = { ...base, waitFor: 60 };
    const managed = await FakeEngine.create(libraryCheckoutDefinition, emulator, args, settings);
    assert.deepEqual([account(managed), emulator.journal.count(checkOut)], ["svc-1", 4]);
  });

  it("the wait for an account ends when its time is over, and the error names the borrowers", async () => {
    const clock = impatientClock();
    const error = await failure(wait(clock, 20));
    const told =
      /^No account of .* is free: svc-1 \(checked out by a token with the hash \w+\)\. No account became free within 20 s. To wait longer, raise waitFor\.$/;
    assert.match(error.message, told);
    assert.deepEqual([clock.sleeps, error.mayHaveBeenProcessed], [[1000, 2000, 4000, 8000, 5000], false]);
  });

  it("the wait for an account uses the real clock by default, and ends at once when it is canceled", async () => {
    const cancellation = new AbortController();
    const { signal } = cancellation;
    const abort = () => void setImmediate(() => cancellation.abort());
    const { message } = await failure(wait(undefined, 86_400, { signal, progress: abort }));
    const cancelled =
      'Canceled while waiting for a free account of the library set "operators" of the mount ldap. None was checked out.';
    assert.equal(message, cancelled);
  });
});

describe("the options of a secrets.directory.LibraryCheckout", () => {
  useMocks();

  it("the options of a check-out always let it check in before it checks out", async () => {
    let seen: pulumi.CustomResourceOptions = {};
    const transformation: pulumi.ResourceTransformation = ({ opts }) => void (seen = opts);
    const options = { deleteBeforeReplace: false, transformations: [transformation] };
    await declared(new directory.LibraryCheckout("one", base, options));
    assert.equal(seen.deleteBeforeReplace, true);
  });
});
