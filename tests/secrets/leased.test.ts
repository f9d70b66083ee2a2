import assert from "node:assert/strict";
import { messageOf } from "../../sdk/base/errors";
import type { JsonObject } from "../../sdk/base/json";
import { dynamicCredentialDefinition } from "../../sdk/secrets/directory/dynamic-credential";
import { libraryCheckoutDefinition } from "../../sdk/secrets/directory/library-checkout";
import { endOf, expiryAfter } from "../../sdk/secrets/leased";
import { tokenDefinition } from "../../sdk/secrets/scheduler/token";
import { FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { unknownValues } from "../support/values";
import { accountsOut, addDynamicRole, addLibrarySet, borrow, giveBack } from "./directory/emulated-directory";
import { ask, hashicorp, stepAt, textOf, useSecrets } from "./emulated-client";

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
  const revoke = { path: "/v1/sys/leases/revoke" };
  let managed: FakeEngine;

  const fail = (status: number, text: string, request: object = revoke) =>
    emulator.faults.add({ ...request, status, body: { errors: [text] } });
  /** @returns what the user hears */
  const destroyed = async (definition: typeof dynamicCredentialDefinition, known: Properties) => {
    const announced: string[] = [];
    const privateState = managed.outputs.__private as JsonObject;
    const step = stepAt(emulator, announced, { privateState, settings: hashicorp });
    const say = (error: unknown): unknown => announced.push(`error: ${messageOf(error)}`);
    await Promise.resolve(definition.delete(step, "", known)).catch(say);
    return announced.join("\n");
  };

  describe("of a secrets.directory.DynamicCredential", () => {
    beforeEach(async () => {
      await addDynamicRole(emulator);
      managed = await FakeEngine.create(dynamicCredentialDefinition, emulator, { roleName: "reports" });
    });

    const endLease = () => emulator.secrets.revokeLease(textOf(managed.outputs.leaseId));
    const destroy = (known: Properties = managed.outputs) => destroyed(dynamicCredentialDefinition, known);

    it("the lease of a credential is not revoked if it has expired by the service's clock, or if there is none", async () => {
      await managed.refresh();
      assert.equal(await destroy({ ...managed.outputs, leaseId: "" }), "");
      assert.equal(await destroy({ roleName: "reports" }), "");
      managed.outputs = { ...managed.outputs, expiresAt: past };
      await managed.destroy();
      assert.equal(emulator.journal.count(revoke), 0);
    });

    it("a credential without its lease is gone, whatever ended that, unless the token may not look it up", async () => {
      endLease();
      fail(403, "denied", { path: "/v1/sys/leases/lookup" });
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.refresh(), false);
    });

    it("the lease of a credential may be shorter since", async () => {
      const { leaseId } = managed.outputs;
      await ask(emulator, "POST", "sys/leases/renew", { lease_id: leaseId, increment: 60 });
      assert.equal(await managed.refresh(), true);
      assert.ok(Date.parse(textOf(managed.outputs.expiresAt)) < Date.now() + 61_000);
    });

    const byAnother = "warning: .* was deleted by another client, and its lease expires at";
    const denied =
      "warning: .* could not be revoked: it expires at \\d{4}-[-:.\\dTZ]+\\. .*: permission denied";
    const endedBefore = "warning: .* could not be revoked, but its lease no longer exists";
    const nil = 'no handler for route "ldap/creds/reports". route entry found, but backend is nil.';
    const notLoaded = `failed to revoke entry: resp: (*logical.Response)(nil) err: ${nil}`;
    const isDown = "error: .*directory is down[^]*expires at .*pulumi state delete";
    for (const [status, saying, message, prepare] of [
      [400, "failed to revoke entry: Cannot delete nonexistent tokens: 1a", byAnother],
      [400, 'failed to revoke entry: LDAP Result Code 32 "No Such Object": ', byAnother],
      [400, "internal error", endedBefore, endLease],
      ...[403, 404, 405].map((each) => [each, "permission denied", denied] as const),
      [404, notLoaded, "error: .*backend is nil"],
      [400, "failed to revoke: directory is down", isDown],
    ] as readonly (readonly [number, string, string, (() => void)?])[]) {
      it(`a credential whose lease cannot be revoked is destroyed with a warning, or stays with an error: ${status} ${saying}`, async () => {
        prepare?.();
        fail(status, saying);
        const { username, password } = managed.outputs;
        const said = await destroy();
        assert.match(said, new RegExp(`^${message}`));
        assert.ok(said.includes(`The credential ${textOf(username)} of the role reports `));
        assert.ok(!said.includes(textOf(password)));
      });
    }
  });

  const warns = /^warning: svc-1 is checked in, but its lease [^\n]*$/;
  const lendAgain = async () => {
    await giveBack(emulator, "svc-1");
    await borrow(emulator, emulator.secrets.addToken());
  };
  const expire = async () => {
    await managed.refresh();
    managed.outputs = { ...managed.outputs, expiresAt: past };
  };
  const refuse = () => fail(400, "no", { path: "/v1/ldap/library/operators/check-in" });
  for (const [what, prepare, revocations, lent, said] of [
    ["is revoked after the account was checked in", () => undefined, 1, 0, /^$/],
    // Its end would take the account away.
    ["is kept when another client has borrowed the account since", lendAgain, 0, 1, /^$/],
    ["is kept when the check-in is rejected", refuse, 0, 1, /^error: .*400: no/],
    ["causes a warning if the token may not revoke it", () => fail(403, "no"), 1, 0, warns],
    ["causes a warning if it cannot be revoked", () => fail(500, "no"), 1, 0, warns],
    ["needs no request when it has expired", expire, 0, 1, /^$/],
  ] as const) {
    it(`the lease of a destroyed check-out ${what}`, async () => {
      await addLibrarySet(emulator, ["svc-1"]);
      managed = await FakeEngine.create(libraryCheckoutDefinition, emulator, { setName: "operators" });
      await prepare();
      const heard = await destroyed(libraryCheckoutDefinition as never, managed.outputs);
      assert.match(heard, said);
      assert.ok(!heard.includes(textOf(managed.outputs.password)));
      assert.deepEqual([emulator.journal.count(revoke), accountsOut(emulator).length], [revocations, lent]);
    });
  }
});
