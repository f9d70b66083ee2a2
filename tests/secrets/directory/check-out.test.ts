import assert from "node:assert/strict";
import { z } from "zod";
import { ContractError } from "../../../sdk/base/errors";
import { processRedactor } from "../../../sdk/base/redactor";
import type { WaitRuntime } from "../../../sdk/base/runtime";
import type { Dialect } from "../../../sdk/base/settings";
import { connect } from "../../../sdk/connection/connect";
import type { SecretsClient } from "../../../sdk/secrets/client";
import {
  checkInAccounts,
  checkOutAccount,
  type CheckOutRequest,
  checkOutWhenFree,
  fingerprintOf,
  type HeldAccount,
  holdingOf,
  returnAccount,
} from "../../../sdk/secrets/directory/check-out";
import { checkIn, checkOut, forceCheckIn } from "../../../sdk/secrets/directory/library-checkout";
import {
  accountNames,
  borrowed,
  describeHolders,
  getLibrarySet,
  getLibrarySetOutput,
  getLibraryStatus,
  getLibraryStatusOutput,
  type LibraryAccounts,
  librarySetDefinition,
  librarySets,
  listLibrarySets,
  listLibrarySetsOutput,
} from "../../../sdk/secrets/directory/library-set";
import { secretsService } from "../../../sdk/secrets/service";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { ManualClock } from "../../http/clock";
import { json, startServer, stopServers, type TestServer } from "../../http/server";
import { useMocks, valueOf } from "../../resource/mocks";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-responses";
import { secretsClientOf } from "../emulated-client";
import { accountsOut, addLibrarySet, borrow, checkOuts, giveBack, stepAt } from "./emulated-directory";

const takeOut = { method: "POST", path: "/v1/ldap/library/:name/check-out" };
const bringBack = { method: "POST", path: "/v1/ldap/library/:name/check-in" };
const bringBackByForce = { method: "POST", path: "/v1/ldap/library/manage/:name/check-in" };

describe("functions about the library of the directory engine", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    await addLibrarySet(emulator, ["svc-1", "svc-2"], { ttl: "1h" });
    emulator.journal.clear();
  });

  describe("that only read", () => {
    it("read a set", async () => {
      assert.deepEqual(await getLibrarySet({ name: "operators" }), {
        mount: "ldap",
        name: "operators",
        serviceAccountNames: ["svc-1", "svc-2"],
        ttl: 3600,
        maxTtl: 86_400,
        disableCheckInEnforcement: false,
      });
    });

    it("list the sets, none as well", async () => {
      await addLibrarySet(emulator, ["svc-3"], {}, { name: "audits" });
      assert.deepEqual(await listLibrarySets(), { names: ["audits", "operators"] });
      emulator.secrets.addMount({ type: "directory", path: "teams/ldap" });
      assert.deepEqual(await listLibrarySets({ mount: "teams/ldap" }), { names: [] });
    });

    it("list the sets of a service that lists data.keys", async () => {
      const path = "/v1/ldap/library";
      emulator.faults.add({ method: "GET", path, status: 200, body: { data: { keys: ["a", "b"] } } });
      assert.deepEqual(await listLibrarySets({}), { names: ["a", "b"] });
    });

    it("read who has which account", async () => {
      const { id } = emulator.secrets.addEntity({});
      await borrow(emulator, emulator.secrets.addToken({ entityId: id }));
      assert.deepEqual(await getLibraryStatus({ name: "operators" }), {
        accounts: {
          "svc-1": {
            available: false,
            borrowerClientToken: checkOuts(emulator)["svc-1"],
            borrowerEntityId: id,
          },
          "svc-2": { available: true },
        },
      });
    });

    for (const [name, call] of [
      ["getLibrarySet", () => getLibrarySet({ name: "none" })],
      ["getLibraryStatus", () => getLibraryStatus({ name: "none" })],
    ] as const) {
      it(`say that there is no such set: ${name}`, async () => {
        assert.equal(
          (await failure(call())).message,
          'The library set "none" of the mount ldap does not exist.',
        );
      });
    }
  });

  describe("for scripts", () => {
    it("check out an account and check it in", async () => {
      const account = await checkOut({ name: "operators", ttl: "30m" });
      const [lent] = emulator.inspect().secrets.directoryLibraryAccounts;
      assert.deepEqual(account, {
        serviceAccountName: "svc-1",
        password: lent?.password,
        leaseId: lent?.checkOut?.leaseId,
        leaseDuration: 1800,
        renewable: true,
      });
      assert.deepEqual(await checkIn({ name: "operators" }), { checkIns: ["svc-1"] });
      assert.deepEqual(await checkIn({ name: "operators", serviceAccountNames: "svc-1,svc-2" }), {
        checkIns: [],
      });
    });

    it("work on any mount", async () => {
      emulator.secrets.addMount({ type: "directory", path: "teams/ldap" });
      await addLibrarySet(emulator, ["svc-9"], {}, { mount: "teams/ldap", name: "on call" });
      const set = { mount: "teams/ldap", name: "on call" };
      assert.equal((await checkOut(set)).serviceAccountName, "svc-9");
      assert.deepEqual(await forceCheckIn(set), { checkIns: ["svc-9"] });
    });

    it("check in what somebody else has checked out only by force", async () => {
      const held = await borrow(emulator, emulator.secrets.addToken());
      const error = await failure(checkIn({ name: "operators", serviceAccountNames: [held] }));
      assert.match(
        error.message,
        /^Could not check in svc-1 of the library set .* wasn't checked out by the caller/,
      );
      assert.deepEqual(await forceCheckIn({ name: "operators", serviceAccountNames: [held] }), {
        checkIns: [held],
      });
    });

    it("never check out a second account when the response is lost, and name the first", async () => {
      process.env.SECRETS_REQUEST_TIMEOUT = "77s";
      emulator.faults.add({ ...takeOut, drop: "after" });
      const error = await failure(checkOut({ name: "operators" }));
      assert.match(error.message, /svc-1 was checked out in the meantime; .* Check it in with checkIn/);
      assert.equal(error.mayHaveBeenProcessed, true);
      assert.equal(emulator.journal.count(takeOut), 1);
      assert.deepEqual(accountsOut(emulator), ["svc-1"]);
    });

    it("end when they are cancelled", async () => {
      const signal = AbortSignal.abort();
      await failure(checkOut({ name: "operators" }, { signal }));
      assert.deepEqual(accountsOut(emulator), []);
    });

    it("refuse arguments that cannot be right, without a request", async () => {
      const error = await failure(checkIn({ name: "operators", serviceAccountNames: [""] }));
      assert.equal(error.message, "secrets.directory.checkIn: serviceAccountNames[0] must not be empty.");
      assert.match(
        (await failure(checkOut({ name: "operators", ttl: "x" }))).message,
        /: ttl must be a duration/,
      );
      assert.equal(emulator.journal.count(), 0);
    });
  });
});

describe("functions about the library, in a program", () => {
  const emulator = useEmulator({ resets: false });

  before(async () => {
    await addLibrarySet(emulator, ["svc-1"]);
  });
  useEnvironment(() => emulator.environment);
  useMocks();

  it("return outputs when they only read", async () => {
    assert.deepEqual(await valueOf(listLibrarySetsOutput()), { names: ["operators"] });
    assert.deepEqual(
      (await valueOf(getLibrarySetOutput({ name: Promise.resolve("operators") }))).serviceAccountNames,
      ["svc-1"],
    );
    assert.deepEqual(await valueOf(getLibraryStatusOutput({ name: "operators", mount: "ldap" })), {
      accounts: { "svc-1": { available: true } },
    });
  });

  for (const [name, call] of [
    ["checkOut", () => checkOut({ name: "operators" })],
    ["checkIn", () => checkIn({ name: "operators" })],
    ["forceCheckIn", () => forceCheckIn({ name: "operators" })],
  ] as const) {
    it(`are refused when they change something: ${name}`, async () => {
      assert.equal(
        (await failure(call())).message,
        `secrets.directory.${name} makes changes, but a Pulumi program also runs in previews and destroys: ` +
          "use the resource secrets.directory.LibraryCheckout instead.",
      );
    });
  }
});

describe("waiting for a free account", () => {
  const emulator = useEmulator({ resets: false });
  const progress: string[] = [];
  const set = { mount: "ldap", name: "operators" };
  const callerWith = (signal = new AbortController().signal) => ({
    signal,
    progress: (message: string) => void progress.push(message),
    announce: () => undefined,
  });
  const wait = (runtime: WaitRuntime, more: Partial<CheckOutRequest> = {}, caller = callerWith()) =>
    checkOutWhenFree(
      secretsClientOf(emulator, caller),
      caller,
      { set, ttl: undefined, waitFor: 60, ...more },
      runtime,
    );
  /** A clock on which waits take no time, but pass; `during` is called in each of them. */
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
    emulator.reset();
    await addLibrarySet(emulator, ["svc-1"]);
  });

  it("takes no time when one is free, and says nothing", async () => {
    const clock = clockWith();
    const outcome = await wait(clock);
    assert.ok("account" in outcome);
    assert.deepEqual([clock.pauses, progress], [[], []]);
  });

  it("goes on until one is checked in, and says so", async () => {
    await borrow(emulator, emulator.secrets.token);
    emulator.journal.clear();
    const clock = clockWith((sleeps) => (sleeps === 6 ? giveBack(emulator, "svc-1") : undefined));
    const outcome = await wait(clock);
    assert.ok("account" in outcome);
    assert.deepEqual(clock.pauses, [1, 2, 4, 8, 10, 10]);
    assert.deepEqual(progress, [
      ...[0, 1, 3, 7, 15, 25].map(
        (waited) => `waiting for a free account of operators (${waited} s of 60 s)`,
      ),
      "an account was free",
    ]);
    assert.equal(emulator.journal.count(takeOut), 1, "nothing is asked for while none is free");
  });

  it("goes on when somebody else is quicker", async () => {
    const token = emulator.secrets.addToken();
    let quicker: string | undefined;
    const settings = await serviceWith(emulator, async ({ url }, response) => {
      if (url.endsWith("/status")) {
        quicker ??= await borrow(emulator, token);
      }
      return response;
    });
    const clock = clockWith(() => giveBack(emulator, "svc-1"));
    const caller = callerWith();
    const client = secretsClientOf(emulator, caller, settings);
    const outcome = await checkOutWhenFree(client, caller, { set, ttl: null, waitFor: 60 }, clock);
    assert.ok("account" in outcome);
    assert.deepEqual(clock.pauses, [1]);
  });

  it("gives up when the time is over, and says who holds what", async () => {
    await borrow(emulator, emulator.secrets.token);
    const clock = clockWith();
    const error = await failure(wait(clock, { waitFor: 20 }));
    assert.match(
      error.message,
      /^No account of .* is free: svc-1 \(checked out by a token with the hash \w+\)\. No account became free within 20 s. To wait longer, raise waitFor \(now 20 s\)\.$/,
    );
    assert.deepEqual(clock.pauses, [1, 2, 4, 8, 5]);
    assert.equal(error.mayHaveBeenProcessed, false);
  });

  for (const waitFor of [undefined, null, 0]) {
    it(`is not done when nobody asked for it: ${String(waitFor)}`, async () => {
      await borrow(emulator, emulator.secrets.token);
      const clock = clockWith();
      const error = await failure(wait(clock, { waitFor }));
      assert.match(error.message, /To wait in a program, set waitFor of LibraryCheckout\.$/);
      assert.deepEqual(clock.pauses, []);
    });
  }

  it("is of no use in a set without accounts, and says that", async () => {
    const status = { method: "GET", path: "/v1/ldap/library/:name/status" };
    emulator.faults.add({ ...status, status: 200, body: { data: {} } });
    const error = await failure(wait(clockWith(), { waitFor: 0 }));
    assert.match(error.message, /is free: it has no accounts\./);
  });

  it("ends at once when it is cancelled; nothing was checked out", async () => {
    await borrow(emulator, emulator.secrets.token);
    const cancellation = new AbortController();
    const clock = new ManualClock();
    const asleep = new Promise<void>((resolve) => {
      const { sleep } = clock;
      Object.assign(clock, {
        sleep: (milliseconds: number, signal?: AbortSignal) => {
          resolve();
          return sleep(milliseconds, signal);
        },
      });
    });
    const waiting = failure(wait(clock, {}, callerWith(cancellation.signal)));
    await asleep;
    cancellation.abort();
    const { message } = await waiting;
    assert.equal(
      message,
      'Cancelled while waiting for a free account of the library set "operators" of the mount ldap. None was checked out.',
    );
    assert.equal(clock.asleep, 0);
  });

  it("waits by the real clock by default, and can be cancelled there too", async () => {
    await borrow(emulator, emulator.secrets.token);
    const cancellation = new AbortController();
    const caller = {
      ...callerWith(cancellation.signal),
      progress: () => setImmediate(() => cancellation.abort()),
    };
    const waiting = checkOutWhenFree(secretsClientOf(emulator, caller), caller, {
      set,
      ttl: 60,
      waitFor: 86_400,
    });
    assert.match((await failure(waiting)).message, /^Cancelled while waiting/);
  });

  it("finds out after Ctrl-C what a response that did not come has taken", async () => {
    const cancellation = new AbortController();
    const settings = await serviceWith(emulator, ({ url }, response) => {
      if (!url.endsWith("/check-out")) {
        return response;
      }
      cancellation.abort();
      return undefined;
    });
    const caller = callerWith(cancellation.signal);
    const client = secretsClientOf(emulator, caller, settings);
    const outcome = await checkOutWhenFree(client, caller, { set, ttl: null, waitFor: null });
    assert.equal(cancellation.signal.aborted, true);
    assert.ok("lost" in outcome);
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
  });
});

describe("the return of an account", () => {
  const emulator = useEmulator({ resets: false });
  let said: string[];
  const set = { mount: "ldap", name: "operators" };

  beforeEach(async () => {
    said = [];
    emulator.reset();
    await addLibrarySet(emulator, ["svc-1"]);
  });

  const step = () => stepAt(emulator, (kind, message) => void said.push(`${kind}: ${message}`));
  /** What a resource remembers that has checked it out with this token. */
  const held = async (token: string, more: Partial<HeldAccount> = {}): Promise<HeldAccount> => {
    const serviceAccountName = await borrow(emulator, token);
    const borrowerClientToken = checkOuts(emulator)[serviceAccountName] ?? assert.fail();
    const borrower = fingerprintOf({ available: false, borrowerClientToken });
    return { set, serviceAccountName, borrower, proven: true, ...more };
  };
  const giveBackBy = (account: HeldAccount, force = false): Promise<void> => {
    const { client, ...caller } = step();
    return returnAccount(client, caller, account, force);
  };

  it("uses the ordinary path, without a warning", async () => {
    await giveBackBy(await held(emulator.secrets.token));
    assert.deepEqual([emulator.journal.count(bringBack), emulator.journal.count(bringBackByForce)], [1, 0]);
    assert.deepEqual([accountsOut(emulator), said], [[], []]);
  });

  it("is by the path for highly privileged callers when it is forced", async () => {
    await giveBackBy(await held(emulator.secrets.addToken()), true);
    assert.deepEqual([emulator.journal.count(bringBack), emulator.journal.count(bringBackByForce)], [0, 1]);
    assert.deepEqual(accountsOut(emulator), []);
  });

  it("is not forced upon somebody who is not proven to be the borrower; the service refuses, which is said", async () => {
    await giveBackBy(await held(emulator.secrets.addToken(), { proven: false }), true);
    assert.equal(emulator.journal.count(bringBackByForce), 0);
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
    assert.equal(said.length, 1);
    assert.match(
      said[0] ?? "",
      /^warning: svc-1 of the library set .* stays checked out: .*wasn't checked out by/,
    );
  });

  for (const status of [400, 403, 409, 422]) {
    it(`says what to do when the service refuses it with ${status}`, async () => {
      const account = await held(emulator.secrets.token);
      emulator.faults.add({ ...bringBack, status, body: { errors: ["not yours"] } });
      await assert.rejects(giveBackBy(account), {
        message: /not yours\..*Only the token or the entity .* force: true/,
      });
    });
  }

  it("fails where it is not certain who holds the account and the token may have no right at all", async () => {
    const account = await held(emulator.secrets.token, { proven: false });
    emulator.faults.add({ ...bringBack, status: 403, body: { errors: ["permission denied"] } });
    await assert.rejects(giveBackBy(account), { message: /permission denied/ });
    assert.deepEqual(said, []);
  });

  it("is left to people where neither the borrower is known nor the service would refuse", async () => {
    const account = await held(emulator.secrets.token, { proven: false });
    emulator.secrets.changeDirectoryLibrarySet("operators", { disableCheckInEnforcement: true });
    await giveBackBy(account);
    assert.equal(emulator.journal.count(bringBack), 0);
    assert.equal(
      said.join(),
      'warning: The library cannot verify that svc-1 of the library set "operators" of the mount ldap was checked out by this ' +
        "resource, so it stays checked out. If it is not in use, check it in with checkIn.",
    );
  });

  it("fails where the status no longer says who has it, and checks nothing in", async () => {
    const account = await held(emulator.secrets.token);
    const data = { "svc-1": { available: false } };
    emulator.faults.add({
      method: "GET",
      path: "/v1/ldap/library/:name/status",
      status: 200,
      body: { data },
    });
    await assert.rejects(giveBackBy(account), {
      message: /no longer names the borrower of svc-1, as it did .* State is unchanged\.$/,
    });
    assert.equal(emulator.journal.count(bringBack), 0);
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
  });

  it("looks at nothing but whether it is still out when the borrower could not be found out", async () => {
    const account = await held(emulator.secrets.token, { borrower: undefined, proven: false });
    const { client } = step();
    assert.equal(await holdingOf(client, account), "held");
    await giveBack(emulator, "svc-1");
    assert.equal(await holdingOf(client, account), "ended");
  });
});

const accounts: LibraryAccounts = {
  free: { available: true },
  entity: { available: false, borrowerClientToken: "hash-1", borrowerEntityId: "entity-1" },
  token: { available: false, borrowerClientToken: "hash-2" },
  nobody: { available: false },
};

describe("the accounts of a library set", () => {
  it("have a borrower when they are checked out", () => {
    assert.equal(borrowed(accounts, "free"), undefined);
    assert.equal(borrowed(accounts, "elsewhere"), undefined);
    assert.equal(borrowed(accounts, "toString"), undefined);
    assert.equal(borrowed(undefined, "free"), undefined);
    assert.equal(borrowed(accounts, "entity"), accounts.entity);
  });

  const borrower = { available: false, borrowerClientToken: "hash-1", borrowerEntityId: "entity-1" };

  it("are checked out again when the same entity comes with another token", () => {
    assert.notEqual(fingerprintOf(borrower), fingerprintOf({ ...borrower, borrowerClientToken: "hash-9" }));
  });

  it("have a borrower who is known again without being told", () => {
    assert.equal(fingerprintOf(borrower), "8YmrW4lWAoAzudKF");
    assert.equal(fingerprintOf({ ...borrower }), fingerprintOf(borrower));
    const others = [
      { available: false, borrowerClientToken: "entity-1" },
      { available: false, borrowerEntityId: "entity-1" },
      { available: false, borrowerClientToken: "hash-1" },
      { available: false, borrowerEntityId: "hash-1" },
    ];
    assert.equal(new Set([borrower, ...others].map(fingerprintOf)).size, 5);
    assert.equal(fingerprintOf({ available: false }), undefined, "that could be anybody");
  });

  it("are described by who holds them", () => {
    assert.equal(
      describeHolders(accounts),
      "entity (checked out by the entity entity-1), token (checked out by a token with the hash hash-2), " +
        "nobody (checked out by a borrower that the service does not name)",
    );
    assert.equal(
      describeHolders(accounts, ["token", "free", "elsewhere"]),
      "token (checked out by a token with the hash hash-2)",
    );
  });

  it("are never described by the whole token, should a service show it", () => {
    const borrowed = { "svc-1": { available: false, borrowerClientToken: "s.0123456789" } };
    assert.equal(describeHolders(borrowed), "svc-1 (checked out by a token with the hash s.012345)");
  });
});

const nightShift = { mount: "teams/ldap", name: "night shift" };
const checkedOut = {
  lease_id: "lease-1",
  lease_duration: 60,
  renewable: true,
  data: { service_account_name: "svc-1", password: "canary-checked-out" },
};

describe("the library of the directory engine on the wire", () => {
  afterEach(stopServers);

  /** A client of a service with one response to everything. */
  const clientOf = async (
    responseBody: unknown,
    dialect: Dialect = "documented",
    status = 200,
  ): Promise<{ client: SecretsClient; server: TestServer }> => {
    const server = await startServer((response) => json(response, status, responseBody));
    const environment = {
      SECRETS_ADDR: server.address,
      SECRETS_TOKEN: "token",
      SECRETS_DIALECT: dialect,
      SECRETS_MAX_RETRIES: "0",
    };
    const connection = connect({ configuration: undefined, environment }, secretsService);
    const signal = new AbortController().signal;
    const caller = { signal, progress: () => undefined, announce: () => undefined };
    return { client: connection.clientFor(caller), server };
  };
  const bodies = ({ received }: TestServer): unknown[] =>
    received.map(({ method, url, body }) => [`${method} ${url}`, JSON.parse(body) as unknown]);
  const path = "/v1/teams/ldap/library/night%20shift";
  const managePath = "/v1/teams/ldap/library/manage/night%20shift/check-in";

  const writes: readonly [string, unknown, (client: SecretsClient) => Promise<unknown>, string, object][] = [
    [
      "a write",
      { data: null },
      (client) =>
        librarySetDefinition.create({ client } as never, {
          ...nightShift,
          serviceAccountNames: ["svc-1"],
          ttl: 0,
        }),
      path,
      { service_account_names: ["svc-1"], ttl: 0 },
    ],
    [
      "a check-out",
      checkedOut,
      (client) => checkOutAccount(client, nightShift, undefined),
      `${path}/check-out`,
      {},
    ],
    [
      "a check-out for a time",
      checkedOut,
      (client) => checkOutAccount(client, nightShift, 60),
      `${path}/check-out`,
      { ttl: 60 },
    ],
    [
      "a check-out without an end",
      checkedOut,
      (client) => checkOutAccount(client, nightShift, 0),
      `${path}/check-out`,
      { ttl: 0 },
    ],
    [
      "a check-in",
      { data: { check_ins: ["svc-1"] } },
      (client) => checkInAccounts(client, nightShift, ["svc-1"], false),
      `${path}/check-in`,
      { service_account_names: ["svc-1"] },
    ],
    [
      "a check-in of the only one",
      { data: { check_ins: [] } },
      (client) => checkInAccounts(client, nightShift, undefined, false),
      `${path}/check-in`,
      {},
    ],
    [
      "a forced check-in",
      { data: null },
      (client) => checkInAccounts(client, nightShift, ["svc-1"], true),
      managePath,
      { service_account_names: ["svc-1"] },
    ],
  ];
  for (const [what, responseBody, call, target, body] of writes) {
    it(`names the set in the body of ${what}, as documented`, async () => {
      const { client, server } = await clientOf(responseBody);
      await call(client);
      assert.deepEqual(bodies(server), [[`POST ${target}`, { name: "night shift", ...body }]]);
    });

    it(`leaves it to the path of ${what} in the hashicorp dialect`, async () => {
      const { client, server } = await clientOf(responseBody, "hashicorp");
      await call(client);
      assert.deepEqual(bodies(server), [[`POST ${target}`, body]]);
    });
  }

  it("keeps the password out of every message from the moment it is there", async () => {
    const { client } = await clientOf(checkedOut);
    const { password } = await checkOutAccount(client, nightShift, undefined);
    assert.ok(!processRedactor.redact(`the password is ${password}`).includes(password));
  });

  it("tells which accounts were checked in, none where the service says nothing", async () => {
    const named = await clientOf({ data: { check_ins: ["svc-1", "svc-2"] } });
    assert.deepEqual(await checkInAccounts(named.client, nightShift, undefined, false), ["svc-1", "svc-2"]);
    for (const data of [null, { check_ins: null }, {}]) {
      const { client } = await clientOf({ data, lease_id: "" });
      assert.deepEqual(await checkInAccounts(client, nightShift, undefined, false), []);
    }
  });

  for (const data of [null, {}, { password: "x" }, { service_account_name: "", password: "x" }]) {
    it(`does not treat ${JSON.stringify(data)} as a check-out, which may have happened`, async () => {
      const { client } = await clientOf({ data, lease_id: "lease-1" });
      const error = await failure(checkOutAccount(client, nightShift, undefined));
      assert.ok(ContractError.isInstance(error));
      assert.equal(error.mayHaveBeenProcessed, true);
    });
  }

  it("reads what a response does not say as unknown", async () => {
    const { client } = await clientOf({ data: { ttl: 60, something: "else" } });
    const fields = await librarySets.read(client, nightShift);
    assert.deepEqual(fields, { ttl: 60 });
  });

  for (const [given, names] of [
    ["svc-1", ["svc-1"]],
    [" svc-2,svc-1 ,, svc-2", ["svc-2", "svc-1"]],
    [
      ["svc-1 ", "svc-1", "a b"],
      ["svc-1", "a b"],
    ],
  ] as const) {
    it(`treats ${JSON.stringify(given)} as the accounts ${names.join(" and ")}`, () => {
      assert.deepEqual(accountNames(z).parse(given), names);
    });
  }
});
