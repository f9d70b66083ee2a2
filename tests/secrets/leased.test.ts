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

describe("credentials with a lifetime", () => {
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
  const ends: readonly (readonly [
    expiresAt: string | null | undefined,
    renewBefore: unknown,
    sentence?: string,
  ])[] = [
    ["2030-01-01T00:00:00.000Z", null, "has expired (2030-01-01T00:00:00.000Z) and will be replaced."],
    [secondBefore, "1h", `has expired (${secondBefore}) and will be replaced.`],
    [inAnHour, "1h", `expires at ${inAnHour}, within renewBefore (3600 s), and will be replaced.`],
    [inAnHour, 7200, `expires at ${inAnHour}, within renewBefore (7200 s), and will be replaced.`],
    ...[undefined, null, "59m", unknownValues.string].map((renewBefore) => [inAnHour, renewBefore] as const),
    // What is not a time never expires.
    ...[null, undefined, "", "soon"].map((never) => [never, "100d"] as const),
  ];
  for (const [expiresAt, renewBefore, sentence] of ends) {
    const times = `expires ${JSON.stringify(expiresAt)}, renewBefore ${JSON.stringify(renewBefore)}`;
    it(`an issued object is ${sentence === undefined ? "kept" : "replaced, and says why"}: ${times}`, () => {
      const end = endOf("The token t-1", { expiresAt }, { renewBefore } as JsonObject, now);
      assert.equal(end && `${end.reason} and will be replaced.`, sentence && `The token t-1 ${sentence}`);
      assert.equal(end?.isOver, sentence?.startsWith("has"));
    });
  }
});

describe("credentials whose token expires before their lease", () => {
  const emulator = useSecrets({ dialect: "hashicorp" });
  const path = "/v1/auth/token/lookup-self";
  const kinds = [
    [dynamicCredentialDefinition, { roleName: "reports" }],
    [tokenDefinition, { mount: "nomad", roleName: "reports" }],
    [libraryCheckoutDefinition, { setName: "operators" }],
  ] as const;
  const limited = { path, status: 200, body: { data: { expire_time: null, num_uses: 4 } } };
  const isShort =
    /^(warning: It expires together with the token that issued it, in 2\d s, before its lease ends.*){3}$/s;
  const isLimited = /^warning: The token has 4 uses left, [^]* 403\. Use a token without[^:]*$/;
  for (const [what, ttl, fault, said] of [
    ["ends first", "25s", undefined, isShort],
    ["has a limited number of uses", undefined, limited, isLimited],
    ["never expires", undefined, undefined, /^$/],
    ["is not allowed to look itself up", undefined, { path, status: 403 }, /^$/],
  ] as const) {
    it(`an object expires with the token that issued it or with its lease, with a warning, after one lookup if the token ${what}`, async () => {
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
const role = { mount: "ldap", roleName: "reports" };

describe("credentials with a lifetime, in the documented dialect", () => {
  const emulator = useSecrets();

  it("an issued object without a lease remains valid when it is destroyed, and a warning names its expiry", async () => {
    await addDynamicRole(emulator);
    const managed = await FakeEngine.create(dynamicCredentialDefinition, emulator, { roleName: "reports" });
    const { expiresAt: end, username } = managed.outputs;
    for (const [expiresAt, time] of [
      [end, `until ${textOf(end)}`],
      [null, "until it expires: the service does not return its expiry time"],
    ] as const) {
      const announced: string[] = [];
      const outputs = {
        ...managed.outputs,
        ...role,
        expiresAt: expiresAt === null ? null : textOf(expiresAt),
      };
      await dynamicCredentialDefinition.delete(stepAt(emulator, announced), "", outputs);
      const what = `The credential ${textOf(username)} of the role reports`;
      const reason = "because the documented API has no request that revokes it";
      assert.deepEqual(announced, [`warning: ${what} remains valid ${time}, ${reason}.`]);
    }
  });
});

describe("credentials with an unknown lifetime", () => {
  const emulator = useSecrets();

  it("renewBefore has no effect without a known expiry, and causes a warning", async () => {
    await addDynamicRole(emulator, "0");
    const announced: string[] = [];
    const current = { mount: "ldap", roleName: "reports", username: "v-1", renewBefore: "1h" };
    const privateState = { askedAt: Date.now() };
    const read = (known: Properties) =>
      dynamicCredentialDefinition.read(stepAt(emulator, announced, { privateState }), "v-1", known);
    assert.deepEqual(await read(current), { expiresAt: null });
    const warning =
      "warning: The credential v-1 of the role reports has no known expiry time, so renewBefore has no effect: " +
      "the service does not return its expiry time.";
    assert.deepEqual(announced, [warning]);
    assert.deepEqual(await read({ ...current, renewBefore: null }), { expiresAt: null });
    assert.deepEqual(announced, [warning]);
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
    await Promise.resolve(definition.delete(step, "", { ...known, ...role })).catch(say);
    return announced.join("\n");
  };

  describe("of a secrets.directory.DynamicCredential", () => {
    beforeEach(async () => {
      await addDynamicRole(emulator);
      managed = await FakeEngine.create(dynamicCredentialDefinition, emulator, { roleName: "reports" });
    });

    const endLease = () => emulator.secrets.revokeLease(textOf(managed.outputs.leaseId));
    const destroy = (known: Properties = managed.outputs) => destroyed(dynamicCredentialDefinition, known);

    it("a credential's lease is revoked even if state says that it has expired; without a lease, nothing is sent", async () => {
      await managed.refresh();
      assert.equal(await destroy({ ...managed.outputs, leaseId: "" }), "");
      assert.equal(await destroy({ roleName: "reports" }), "");
      assert.equal(emulator.journal.count(revoke), 0);
      managed.outputs = { ...managed.outputs, expiresAt: past };
      await managed.destroy();
      assert.deepEqual(emulator.inspect().secrets.leases, [], "state says that it had expired, but it lived");
    });

    it("a credential whose lease has ended counts as gone, unless the token is not allowed to look up the lease", async () => {
      endLease();
      fail(403, "denied", { path: "/v1/sys/leases/lookup" });
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.refresh(), false);
    });

    it("the lease of a credential can be shorter than in state", async () => {
      const { leaseId } = managed.outputs;
      await ask(emulator, "POST", "sys/leases/renew", { lease_id: leaseId, increment: 60 });
      assert.equal(await managed.refresh(), true);
      assert.ok(Date.parse(textOf(managed.outputs.expiresAt)) < Date.now() + 61_000);
    });

    const byAnother = "warning: .* was deleted by another client, and its lease expires at";
    const noEntry =
      "warning: .* was deleted by another client, or deletionLdif of its role names another entry, and the account still exists: its lease expires at";
    // Vault's LDAP engine 0.18, client/client.go: it runs each statement of a deletion, and lists what failed.
    const listed = (...codes: number[]) =>
      `failed to revoke entry: resp: (*logical.Response)(nil) err: failed to execute statements: ${codes.length} errors occurred:` +
      codes
        .map((code) => `\n\t* failed to run DelRequest: LDAP Result Code ${code} "No Such Object": `)
        .join("");
    const denied =
      "warning: .* could not be revoked: it expires at \\d{4}-[-:.\\dTZ]+\\. .*: permission denied";
    const endedBefore = "warning: .* could not be revoked, but its lease no longer exists";
    const nil = 'no handler for route "ldap/creds/reports". route entry found, but backend is nil.';
    const notLoaded = `failed to revoke entry: resp: (*logical.Response)(nil) err: ${nil}`;
    const isDown = "error: .*directory is down[^]*expires at .*pulumi state delete";
    for (const [status, saying, message, prepare] of [
      [400, "failed to revoke entry: Cannot delete nonexistent tokens: 1a", byAnother],
      [400, 'failed to revoke entry: LDAP Result Code 32 "No Such Object": ', noEntry],
      [400, listed(32), noEntry],
      [400, listed(32, 32), noEntry],
      [400, listed(32, 17), "error: .*Result Code 17[^]*expires at .*pulumi state delete"],
      [400, listed(17, 32), "error: .*Result Code 17"],
      [400, `${listed(32)}\n\t* unrecognized or missing LDIF command`, "error: .*missing LDIF command"],
      [400, "failed to revoke entry: no such object in the cache", "error: .*in the cache"],
      [400, "Cannot delete nonexistent tokens: 1a\n\t* connection refused", "error: .*connection refused"],
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
        assert.match(said, new RegExp(`^${message}`, "s"));
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
    ["is kept if another client has checked out the account since", lendAgain, 0, 1, /^$/],
    ["is kept if the check-in is rejected", refuse, 0, 1, /^error: .*400: no/],
    ["causes a warning if the token is not allowed to revoke it", () => fail(403, "no"), 1, 0, warns],
    ["causes a warning if it cannot be revoked", () => fail(500, "no"), 1, 0, warns],
    ["is revoked if it is still valid although it has expired according to state", expire, 1, 0, /^$/],
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

  const lookUp = { path: "/v1/sys/leases/lookup" };
  const soon = () => new Date(Date.now() + 60_000).toISOString();
  const kinds = [
    ["a credential", dynamicCredentialDefinition, { roleName: "reports", renewBefore: "5m" }],
    ["a scheduler token", tokenDefinition, { mount: "nomad", roleName: "reports", renewBefore: "5m" }],
    ["a check-out", libraryCheckoutDefinition, { setName: "operators" }],
  ] as const;
  for (const [what, definition, args] of kinds) {
    describe(`the end of ${what} in state`, () => {
      const isCheckOut = definition === libraryCheckoutDefinition;

      beforeEach(async () => {
        await addDynamicRole(emulator);
        await addLibrarySet(emulator, ["svc-1", "svc-2"]);
        emulator.secrets.addSchedulerRole({ name: "reports", type: "management" });
        managed = await FakeEngine.create(definition, emulator, args);
      });

      const known = (expiresAt: string): void => {
        managed.outputs = { ...managed.outputs, expiresAt };
        emulator.journal.clear();
      };
      const renew = () =>
        ask(emulator, "POST", "sys/leases/renew", { lease_id: managed.outputs.leaseId, increment: 3600 });
      const left = (): number => Date.parse(textOf(managed.outputs.expiresAt)) - Date.now();
      const leases = () => emulator.inspect().secrets.leases.map(({ id }) => id);

      it(`${what} whose lease was renewed is looked up and kept by an update, but not looked up by a preview`, async () => {
        for (const end of isCheckOut ? [past] : [past, soon()]) {
          await renew();
          const { leaseId } = managed.outputs;
          known(end);
          assert.equal(await managed.preview(args), "replaced");
          assert.equal(emulator.journal.count(), 0);
          assert.equal(await managed.up(args), "updated");
          assert.ok(left() > 3_500_000, String(left()));
          assert.deepEqual([managed.outputs.leaseId, leases()], [leaseId, [leaseId]]);
          emulator.journal.clear();
          assert.equal(await managed.up(args), "same");
          assert.equal(emulator.journal.count(), 0);
        }
      });

      it(`a refresh of ${what} records a later expiry if the lease was renewed or outlived the token that issued it`, async () => {
        known(soon());
        assert.equal(await managed.refresh(), true);
        assert.ok(left() < 61_000, "the token that issued it can expire before the lease");
        await renew();
        assert.equal(await managed.refresh(), true);
        assert.ok(left() > 3_500_000);
        known(past);
        emulator.faults.add({
          ...lookUp,
          status: 200,
          body: { data: { expire_time: new Date(Date.now() + 887_000).toISOString(), last_renewal: null } },
        });
        assert.equal(await managed.refresh(), true);
        assert.ok(left() > 880_000);
      });

      it(`${what} whose lease has expired is replaced by an update that looks it up, or by the expiry in state if lookups are not allowed`, async () => {
        for (const fault of [undefined, { ...lookUp, status: 403 }]) {
          const { leaseId } = managed.outputs;
          if (fault === undefined) {
            emulator.secrets.revokeLease(textOf(leaseId));
          } else {
            const status = { path: "/v1/ldap/library/operators/status", status: 403, times: 9 };
            [{ ...fault, times: 9 }, status].forEach((each) => emulator.faults.add(each));
          }
          known(past);
          assert.equal(await managed.up(args), "replaced");
          assert.notEqual(managed.outputs.leaseId, leaseId);
        }
        // An account stays checked out if nobody is allowed to look the check-out up.
        assert.equal(leases().length, isCheckOut ? 2 : 1, "a replacement revokes what still lives");
      });

      it(`${what} is not replaced while the service cannot confirm whether it still exists`, async () => {
        known(past);
        emulator.faults.add({ ...lookUp, status: 500, body: { errors: ["busy"] } });
        await assert.rejects(managed.up(args), { message: /busy/ });
        assert.equal(leases().length, 1);
      });
    });
  }
});
