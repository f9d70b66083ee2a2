import assert from "node:assert/strict";
import { endOf, expiryAfter } from "../../sdk/secrets/leased";
import { unknownValues } from "../support/values";
import type { JsonObject } from "../../sdk/base/json";
import { dynamicCredentialDefinition } from "../../sdk/secrets/directory/dynamic-credential";
import { tokenDefinition } from "../../sdk/secrets/scheduler/token";
import { libraryCheckoutDefinition } from "../../sdk/secrets/directory/library-checkout";
import { FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { addDynamicRole, addLibrarySet } from "./directory/emulated-directory";
import { ask, bodiesSentTo, hashicorp, stepAt, textOf } from "./emulated-client";

const now = Date.parse("2030-01-01T00:00:00.000Z");
const inAnHour = "2030-01-01T01:00:00.000Z";

describe("what is issued for a time", () => {
  for (const [seconds, end] of [
    [3600, inAnHour],
    [0.5, "2030-01-01T00:00:00.500Z"],
    [0, null],
    [Number.MAX_SAFE_INTEGER, null],
  ] as const) {
    it(`an issued object expires ${seconds} s after it was requested: ${String(end)}`, () =>
      assert.equal(expiryAfter(now, seconds), end));
  }

  const secondBefore = "2029-12-31T23:59:59.000Z";
  const ends: readonly (readonly [expiresAt: unknown, renewBefore: unknown, sentence?: string])[] = [
    ["2030-01-01T00:00:00.000Z", null, "has expired (2030-01-01T00:00:00.000Z) and will be replaced."],
    [secondBefore, "1h", `has expired (${secondBefore}) and will be replaced.`],
    [inAnHour, "1h", `expires at ${inAnHour}, within renewBefore (3600 s), and will be replaced.`],
    [inAnHour, 7200, `expires at ${inAnHour}, within renewBefore (7200 s), and will be replaced.`],
    [inAnHour, undefined],
    [inAnHour, null],
    [inAnHour, "59m"],
    [inAnHour, unknownValues.string],
    // What is not a time never expires.
    ...[null, undefined, "", "soon", 12].map((never) => [never, "100d"] as const),
  ];
  for (const [expiresAt, renewBefore, sentence] of ends) {
    const times = `expires ${JSON.stringify(expiresAt)}, renewBefore ${JSON.stringify(renewBefore)}`;
    it(`an issued object is ${sentence === undefined ? "kept" : "replaced, and says why"}: ${times}`, () => {
      const text = endOf("The token t-1", { expiresAt } as JsonObject, { renewBefore } as JsonObject, now);
      assert.equal(text, sentence && `The token t-1 ${sentence}`);
    });
  }
});

describe("what a token issues that ends before the lease", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  beforeEach(async () => {
    await addDynamicRole(emulator);
    await addLibrarySet(emulator, ["svc-1", "svc-2"]);
    emulator.secrets.addSchedulerRole({ name: "reports", type: "management" });
  });

  const kinds = [
    [dynamicCredentialDefinition, { roleName: "reports" }],
    [tokenDefinition, { mount: "nomad", roleName: "reports" }],
    [libraryCheckoutDefinition, { setName: "operators" }],
  ] as const;
  const issue = async (token: string, announced: string[]): Promise<unknown[]> => {
    const step = stepAt(emulator, announced, { settings: { ...hashicorp, "trivium:secretsToken": token } });
    const ends: unknown[] = [];
    for (const [definition, args] of kinds) {
      const { state } = await definition.create(step, { mount: "ldap", ...args } as never);
      ends.push(state.expiresAt);
    }
    return ends;
  };
  const lookUps = () => emulator.journal.count({ path: "/v1/auth/token/lookup-self" });

  it("an object issued by a token that ends first ends with the token, with a warning, after one look-up of the token", async () => {
    const announced: string[] = [];
    const ends = await issue(emulator.secrets.addToken({ ttl: "25s" }), announced);
    for (const end of ends) {
      assert.ok(Date.parse(textOf(end)) < Date.now() + 26_000, textOf(end));
    }
    const warning = /^warning: It ends with the token that issued it, in 2\d s, and not with its lease/;
    assert.deepEqual([announced.length, lookUps()], [kinds.length, 1]);
    announced.forEach((text) => assert.match(text, warning));
  });

  it("an object issued by a token that ends first comes with one warning where the token has a limited number of uses", async () => {
    const body = { data: { expire_time: null, num_uses: 4 } };
    emulator.faults.add({ path: "/v1/auth/token/lookup-self", status: 200, body });
    const announced: string[] = [];
    await issue(emulator.secrets.addToken(), announced);
    assert.equal(lookUps(), 1);
    const found = announced.join();
    assert.match(found, /^warning: The token can be used 4 more times, .* 403\. Use a token without/);
    assert.equal(announced.length, 1);
  });

  for (const [what, prepare] of [
    ["has no end", () => undefined],
    [
      "may not look itself up",
      () => emulator.faults.add({ path: "/v1/auth/token/lookup-self", status: 403 }),
    ],
  ] as const) {
    it(`an object issued by a token that ends first ends with its lease where the token ${what}`, async () => {
      prepare();
      const announced: string[] = [];
      const ends = await issue(emulator.secrets.addToken(), announced);
      assert.ok(ends.every((end) => Date.parse(textOf(end)) > Date.now() + 3_000_000));
      assert.deepEqual([announced, lookUps()], [[], 1]);
    });
  }
});

const revocation = { method: "POST", path: "/v1/sys/leases/revoke" };
const past = "2020-01-01T00:00:00.000Z";

describe("what is issued for a time, in the documented dialect", () => {
  const emulator = useEmulator();

  it("an issued object without a lease stays valid when it is destroyed, and a warning says until when", async () => {
    await addDynamicRole(emulator);
    const { outputs } = await FakeEngine.create(dynamicCredentialDefinition, emulator, {
      roleName: "reports",
    });
    for (const [expiresAt, time] of [
      [outputs.expiresAt, `until ${textOf(outputs.expiresAt)}`],
      [null, "forever"],
    ]) {
      const announced: string[] = [];
      await dynamicCredentialDefinition.delete(stepAt(emulator, announced), "", { ...outputs, expiresAt });
      const what = `The credential ${textOf(outputs.username)} of the role reports`;
      const reason = "the documented interface has no request to revoke it";
      assert.deepEqual(announced, [`warning: ${what} is valid ${textOf(time)}: ${reason}.`]);
    }
  });
});

describe("leases in the hashicorp dialect", () => {
  const emulator = useEmulator({ dialect: { secrets: "hashicorp" } });

  const manage = async (definition: unknown, args: Properties): Promise<FakeEngine> => {
    const managed = await FakeEngine.create(definition, emulator, args, hashicorp);
    emulator.journal.clear();
    return managed;
  };
  const fail = (status: number, text: string) =>
    emulator.faults.add({ ...revocation, status, body: { errors: [text] } });
  const step = (announced: string[], memory?: JsonObject) =>
    stepAt(emulator, announced, { settings: hashicorp, ...(memory && { memory }) });
  const revoked = (): unknown[] => bodiesSentTo(emulator, "sys/leases/revoke");

  describe("of a secrets.directory.DynamicCredential", () => {
    let managed: FakeEngine;
    beforeEach(async () => {
      await addDynamicRole(emulator);
      managed = await manage(dynamicCredentialDefinition, { roleName: "reports" });
    });

    const accounts = () => emulator.inspect().secrets.directoryIssuedAccounts.map(({ username }) => username);
    const destroyed = async (known: Properties): Promise<string[]> => {
      const announced: string[] = [];
      await dynamicCredentialDefinition.delete(step(announced), "", known);
      return announced;
    };

    it("the lease of a credential is revoked when that is destroyed, and its account is gone then", async () => {
      await managed.destroy();
      assert.deepEqual(accounts(), []);
      assert.deepEqual(revoked(), [{ lease_id: managed.outputs.leaseId, sync: true }]);
    });

    it("the lease of a credential is revoked when that is replaced, once there is another", async () => {
      const { leaseId, username } = managed.outputs;
      assert.equal(await managed.up({ roleName: "reports", renewBefore: "3h" }), "replaced");
      assert.notEqual(managed.outputs.username, username);
      assert.deepEqual(accounts(), [managed.outputs.username]);
      assert.deepEqual(revoked(), [{ lease_id: leaseId, sync: true }]);
    });

    it("the lease of a credential is not revoked if it has expired by the service's clock, or if there is none", async () => {
      assert.deepEqual(await destroyed({ ...managed.outputs, leaseId: "" }), []);
      assert.deepEqual(await destroyed({ roleName: "reports" }), []);
      await managed.refresh();
      managed.outputs = { ...managed.outputs, expiresAt: past };
      await managed.destroy();
      assert.deepEqual(revoked(), []);
    });

    it("a credential without its lease is gone, whatever ended that", async () => {
      emulator.secrets.revokeLease(textOf(managed.outputs.leaseId));
      assert.equal(await managed.refresh(), false);
    });

    it("the lease of a credential counts as before where the token may not look it up", async () => {
      emulator.secrets.revokeLease(textOf(managed.outputs.leaseId));
      emulator.faults.add({ path: "/v1/sys/leases/lookup", status: 403, body: { errors: ["denied"] } });
      assert.equal(await managed.refresh(), true);
    });

    it("the lease of a credential may be shorter since", async () => {
      const { leaseId } = managed.outputs;
      await ask(emulator, "POST", "sys/leases/renew", { lease_id: leaseId, increment: 60 });
      assert.equal(await managed.refresh(), true);
      assert.ok(Date.parse(textOf(managed.outputs.expiresAt)) < Date.now() + 61_000);
    });

    const gone: readonly [string, RegExp, (() => void)?][] = [
      ["Cannot delete nonexistent tokens: 1a", /was deleted by another client, and its lease expires at/],
      ['LDAP Result Code 32 "No Such Object": ', /was deleted by another client, and its lease expires at/],
      [
        "internal error",
        /could not be revoked, but its lease no longer exists/,
        () => emulator.secrets.revokeLease(textOf(managed.outputs.leaseId)),
      ],
    ];
    for (const [saying, message, prepare] of gone) {
      it(`a credential whose lease is gone does not stay in state, which is announced: ${saying}`, async () => {
        prepare?.();
        fail(400, `failed to revoke entry: ${saying}`);
        const [announced = "", ...others] = await destroyed(managed.outputs);
        assert.match(announced, message);
        assert.deepEqual(others, []);
      });
    }

    it("a credential stays in state when the plugin of the engine is not loaded, unless the user says that it is gone", async () => {
      const nil = 'no handler for route "ldap/creds/reports". route entry found, but backend is nil.';
      fail(404, `failed to revoke entry: resp: (*logical.Response)(nil) err: ${nil}`);
      await assert.rejects(managed.destroy(), { message: /backend is nil/ });
    });

    for (const status of [403, 404, 405]) {
      it(`a lease that may not be revoked (${status}) does not keep its credential from being destroyed, which is announced`, async () => {
        fail(status, "permission denied");
        const { username, expiresAt, password } = managed.outputs;
        const [announced = "", ...others] = await destroyed(managed.outputs);
        assert.deepEqual(others, []);
        const revocable = `warning: The credential ${textOf(username)} of the role reports could not be revoked`;
        assert.ok(announced.startsWith(`${revocable}: it expires at ${textOf(expiresAt)}. `), announced);
        assert.match(announced, /: permission denied/);
        assert.ok(!announced.includes(textOf(password)));
        assert.deepEqual(accounts(), [username]);
      });
    }

    it("a lease that cannot be revoked for now keeps its credential in state, with advice", async () => {
      fail(400, "failed to revoke: directory is down");
      await assert.rejects(managed.destroy(), {
        message: /directory is down.*expires at .*pulumi state delete/s,
      });
      await managed.destroy();
      assert.deepEqual(accounts(), []);
    });
  });

  describe("of a secrets.directory.LibraryCheckout", () => {
    let managed: FakeEngine;
    beforeEach(async () => {
      await addLibrarySet(emulator, ["svc-1"]);
      managed = await manage(libraryCheckoutDefinition, { setName: "operators" });
    });

    const borrowers = () =>
      emulator
        .inspect()
        .secrets.directoryLibraryAccounts.map(({ checkOut }) => checkOut?.borrowerClientToken ?? null);
    const writes = () => emulator.journal.requests({ method: "POST" }).map(({ path }) => path);

    it("the lease of a check-out is revoked when that is destroyed, after the account was checked in", async () => {
      await managed.destroy();
      assert.deepEqual(borrowers(), [null]);
      assert.deepEqual(writes(), ["/v1/ldap/library/operators/check-in", "/v1/sys/leases/revoke"]);
    });

    it("the lease of a check-out is kept when another client has borrowed the account since: its end would take it away", async () => {
      const accounts = { service_account_names: "svc-1" };
      await ask(emulator, "POST", "ldap/library/manage/operators/check-in", accounts);
      await ask(emulator, "POST", "ldap/library/operators/check-out", {}, emulator.secrets.addToken());
      const before = borrowers();
      emulator.journal.clear();
      await managed.destroy();
      assert.deepEqual(borrowers(), before);
      assert.deepEqual(writes(), []);
    });

    it("the lease of a check-out is kept when the service rejects the check-in", async () => {
      const path = "/v1/ldap/library/operators/check-in";
      emulator.faults.add({ method: "POST", path, status: 400, body: { errors: ["not by you"] } });
      await assert.rejects(managed.destroy(), { message: /not by you/ });
      assert.deepEqual(revoked(), []);
    });

    for (const status of [403, 500]) {
      it(`the lease of a check-out that cannot be revoked (${status}) is a warning: the account is checked in`, async () => {
        fail(status, "no");
        const announced: string[] = [];
        const memory = managed.outputs.__private as JsonObject;
        await libraryCheckoutDefinition.delete(step(announced, memory), "", managed.outputs);
        assert.deepEqual(borrowers(), [null]);
        assert.equal(announced.length, 1);
        assert.match(announced[0] ?? "", /^warning: svc-1 is checked in, but its lease /);
        assert.ok(!announced.join().includes(textOf(managed.outputs.password)));
      });
    }

    it("the lease of a check-out needs no request when the check-out has expired", async () => {
      await managed.refresh();
      emulator.journal.clear();
      const known = { ...managed.outputs, expiresAt: past };
      await libraryCheckoutDefinition.delete(step([]), "", known);
      assert.equal(emulator.journal.count(), 0);
    });
  });
});
