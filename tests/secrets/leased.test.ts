import assert from "node:assert/strict";
import type { JsonObject } from "../../sdk/base/json";
import { dynamicCredentialDefinition } from "../../sdk/secrets/directory/dynamic-credential";
import { libraryCheckoutDefinition } from "../../sdk/secrets/directory/library-checkout";
import { endOf, expiryAfter } from "../../sdk/secrets/leased";
import { tokenDefinition } from "../../sdk/secrets/scheduler/token";
import { FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { unknownValues } from "../support/values";
import { accountsOut, addDynamicRole, addLibrarySet, borrow } from "./directory/emulated-directory";
import { checkOuts, giveBack, mintedAccounts } from "./directory/emulated-directory";
import { ask, bodiesSentTo, hashicorp, stepAt, textOf, useSecrets } from "./emulated-client";

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
    ...[undefined, null, "59m", unknownValues.string].map((renewBefore) => [inAnHour, renewBefore] as const),
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
  const emulator = useSecrets({ dialect: "hashicorp" });
  const path = "/v1/auth/token/lookup-self";
  const kinds = [
    [dynamicCredentialDefinition, { roleName: "reports" }],
    [tokenDefinition, { mount: "nomad", roleName: "reports" }],
    [libraryCheckoutDefinition, { setName: "operators" }],
  ] as const;
  const limited = { path, status: 200, body: { data: { expire_time: null, num_uses: 4 } } };
  const isShort =
    /^(warning: It ends with the token that issued it, in 2\d s, and not with its lease[^,]*,.*){3}$/s;
  const isLimited = /^warning: The token can be used 4 more times, [^]* 403\. Use a token without[^:]*$/;
  for (const [what, ttl, fault, said] of [
    ["ends first", "25s", undefined, isShort],
    ["has a limited number of uses", undefined, limited, isLimited],
    ["has no end", undefined, undefined, /^$/],
    ["may not look itself up", undefined, { path, status: 403 }, /^$/],
  ] as const) {
    it(`an object ends with the token that issued it or with its lease, with a warning, after one look-up where the token ${what}`, async () => {
      await addDynamicRole(emulator);
      await addLibrarySet(emulator, ["svc-1", "svc-2"]);
      emulator.secrets.addSchedulerRole({ name: "reports", type: "management" });
      const token = emulator.secrets.addToken(ttl === undefined ? {} : { ttl });
      const announced: string[] = [];
      const step = stepAt(emulator, announced, { settings: { ...hashicorp, "trivium:secretsToken": token } });
      if (fault !== undefined) {
        emulator.faults.add(fault);
      }
      for (const [definition, args] of kinds) {
        const { state } = await definition.create(step, { mount: "ldap", ...args } as never);
        const left = Date.parse(textOf(state.expiresAt)) - Date.now();
        assert.ok(ttl === undefined ? left > 3_000_000 : left < 26_000, String(left));
      }
      assert.match(announced.join("\n"), said);
      assert.equal(emulator.journal.count({ path }), 1);
    });
  }
});

const past = "2020-01-01T00:00:00.000Z";

describe("what is issued for a time, in the documented dialect", () => {
  const emulator = useSecrets();

  it("an issued object without a lease stays valid when it is destroyed, and a warning says until when", async () => {
    await addDynamicRole(emulator);
    const managed = await FakeEngine.create(dynamicCredentialDefinition, emulator, { roleName: "reports" });
    const { expiresAt: end, username } = managed.outputs;
    for (const [expiresAt, time] of [
      [end, `until ${textOf(end)}`],
      [null, "forever"],
    ] as const) {
      const announced: string[] = [];
      const outputs = { ...managed.outputs, expiresAt };
      await dynamicCredentialDefinition.delete(stepAt(emulator, announced), "", outputs);
      const what = `The credential ${textOf(username)} of the role reports`;
      const reason = "the documented interface has no request to revoke it";
      assert.deepEqual(announced, [`warning: ${what} is valid ${time}: ${reason}.`]);
    }
  });
});

describe("leases in the hashicorp dialect", () => {
  const emulator = useSecrets({ dialect: { secrets: "hashicorp" } });
  let managed: FakeEngine;

  const fail = (status: number, text: string) =>
    emulator.faults.add({ path: "/v1/sys/leases/revoke", status, body: { errors: [text] } });
  const revoked = (): unknown[] => bodiesSentTo(emulator, "sys/leases/revoke");
  const destroyed = async (definition: typeof dynamicCredentialDefinition, known: Properties) => {
    const announced: string[] = [];
    const privateState = managed.outputs.__private as JsonObject;
    await definition.delete(stepAt(emulator, announced, { privateState, settings: hashicorp }), "", known);
    return announced;
  };

  describe("of a secrets.directory.DynamicCredential", () => {
    beforeEach(async () => {
      await addDynamicRole(emulator);
      managed = await FakeEngine.create(dynamicCredentialDefinition, emulator, { roleName: "reports" });
    });

    const endLease = () => emulator.secrets.revokeLease(textOf(managed.outputs.leaseId));
    const destroy = (known: Properties = managed.outputs) => destroyed(dynamicCredentialDefinition, known);

    it("the lease of a credential is revoked when that is destroyed, and its account is gone then", async () => {
      await managed.destroy();
      assert.deepEqual(mintedAccounts(emulator), []);
      assert.deepEqual(revoked(), [{ lease_id: managed.outputs.leaseId, sync: true }]);
    });

    it("the lease of a credential is not revoked if it has expired by the service's clock, or if there is none", async () => {
      assert.deepEqual(await destroy({ ...managed.outputs, leaseId: "" }), []);
      assert.deepEqual(await destroy({ roleName: "reports" }), []);
      await managed.refresh();
      managed.outputs = { ...managed.outputs, expiresAt: past };
      await managed.destroy();
      assert.deepEqual(revoked(), []);
    });

    it("a credential without its lease is gone, whatever ended that, unless the token may not look it up", async () => {
      endLease();
      emulator.faults.add({ path: "/v1/sys/leases/lookup", status: 403, body: { errors: ["denied"] } });
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.refresh(), false);
    });

    it("the lease of a credential may be shorter since", async () => {
      const { leaseId } = managed.outputs;
      await ask(emulator, "POST", "sys/leases/renew", { lease_id: leaseId, increment: 60 });
      assert.equal(await managed.refresh(), true);
      assert.ok(Date.parse(textOf(managed.outputs.expiresAt)) < Date.now() + 61_000);
    });

    const byAnother = /was deleted by another client, and its lease expires at/;
    const denied = /could not be revoked: it expires at \d{4}-[-:.\dTZ]+\. .*: permission denied/;
    const gone: readonly (readonly [status: number, text: string, RegExp, prepare?: () => void])[] = [
      [400, "failed to revoke entry: Cannot delete nonexistent tokens: 1a", byAnother],
      [400, 'failed to revoke entry: LDAP Result Code 32 "No Such Object": ', byAnother],
      [400, "internal error", /could not be revoked, but its lease no longer exists/, endLease],
      ...[403, 404, 405].map((status) => [status, "permission denied", denied] as const),
    ];
    for (const [status, saying, message, prepare] of gone) {
      it(`a credential is destroyed with a warning although the revocation of its lease returns ${status}: ${saying}`, async () => {
        prepare?.();
        fail(status, saying);
        const { username, password } = managed.outputs;
        const [announced = "", ...others] = await destroy();
        assert.ok(announced.startsWith(`warning: The credential ${textOf(username)} of the role reports `));
        assert.match(announced, message);
        assert.ok(!announced.includes(textOf(password)));
        assert.deepEqual(others, []);
      });
    }

    const nil = 'no handler for route "ldap/creds/reports". route entry found, but backend is nil.';
    const notLoaded = `failed to revoke entry: resp: (*logical.Response)(nil) err: ${nil}`;
    for (const [status, saying, message] of [
      [404, notLoaded, /backend is nil/],
      [400, "failed to revoke: directory is down", /directory is down.*expires at .*pulumi state delete/s],
    ] as const) {
      it(`a credential stays in state when the revocation of its lease returns ${status}: ${saying}`, async () => {
        fail(status, saying);
        await assert.rejects(managed.destroy(), { message });
        await managed.destroy();
        assert.deepEqual(mintedAccounts(emulator), []);
      });
    }
  });

  describe("of a secrets.directory.LibraryCheckout", () => {
    beforeEach(async () => {
      await addLibrarySet(emulator, ["svc-1"]);
      managed = await FakeEngine.create(libraryCheckoutDefinition, emulator, { setName: "operators" });
      emulator.journal.clear();
    });

    const destroy = (known: Properties = managed.outputs) =>
      destroyed(libraryCheckoutDefinition as never, known);
    const writes = () => emulator.journal.requests({ method: "POST" }).map(({ path }) => path);

    it("the lease of a check-out is revoked when that is destroyed, after the account was checked in", async () => {
      await managed.destroy();
      assert.deepEqual(accountsOut(emulator), []);
      assert.deepEqual(writes(), ["/v1/ldap/library/operators/check-in", "/v1/sys/leases/revoke"]);
    });

    it("the lease of a check-out is kept when another client has borrowed the account since: its end would take it away", async () => {
      await giveBack(emulator, "svc-1");
      await borrow(emulator, emulator.secrets.addToken());
      const before = checkOuts(emulator);
      emulator.journal.clear();
      await managed.destroy();
      assert.deepEqual([checkOuts(emulator), writes()], [before, []]);
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
        const announced = await destroy();
        assert.deepEqual([accountsOut(emulator), announced.length], [[], 1]);
        assert.match(announced.join(), /^warning: svc-1 is checked in, but its lease /);
        assert.ok(!announced.join().includes(textOf(managed.outputs.password)));
      });
    }

    it("the lease of a check-out needs no request when the check-out has expired", async () => {
      await managed.refresh();
      emulator.journal.clear();
      await destroy({ ...managed.outputs, expiresAt: past });
      assert.equal(emulator.journal.count(), 0);
    });
  });
});
