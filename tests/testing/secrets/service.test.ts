import assert from "node:assert/strict";
import { Body } from "../../../sdk/testing/secrets/body";
import { Refusal } from "../../../sdk/testing/secrets/refusal";
import { secretsTraits } from "../../../sdk/testing/secrets/traits";
import type { Dialect } from "../../../sdk/base/settings";
import { useEmulator } from "../../support/use-emulator";
import { type Exchange, assertRefused, assertResponses, at, call, textAt } from "../call";
import { dnOf, settings, useDirectory, users } from "./client";

describe("the emulator's secrets service", () => {
  const emulator = useEmulator();
  const aliases = "/v1/identity/entity-alias/id";
  const methods = "/v1/identity/mfa/method/totp";
  const body = { issuer: "acme" };

  it("the emulated secrets service requires a token for everything, only as X-Secrets-Token", async () => {
    const headers = { Authorization: `Bearer ${emulator.secrets.token}` };
    for (const path of [aliases, "/v1/nowhere"]) {
      const reply = await call(emulator, "secrets", "GET", path, { token: null, headers });
      assertRefused(reply, 403, /^permission denied$/);
    }
  });

  it("the emulated secrets service determines a token's permissions by the longest matching path", async () => {
    const paths = { "identity/": "read", "identity/mfa/": "full" } as const;
    const token = emulator.secrets.addToken({ access: "none", paths });
    const exchanges: readonly Exchange[] = [
      [`POST ${methods}`, body, 200],
      [`GET ${aliases}?list=true`, undefined, 200],
      [`DELETE ${aliases}/x`, undefined, 403],
      ["GET /v1/sys/mfa/method/pushauth/x", undefined, 403],
      ["DELETE /v1/identity%2Fmfa/method/totp/x", undefined, 404],
    ];
    await assertResponses(emulator, "secrets", exchanges, { token });
  });

  it("the emulated secrets service accepts only known paths, operations, query parameters and JSON objects", async () => {
    const path = /^1 error occurred:\n\t\* unsupported path\n\n$/;
    const operation = /^1 error occurred:\n\t\* unsupported operation\n\n$/;
    const route = /^no handler for route/;
    const push = "/v1/sys/mfa/method/pushauth";
    const mount_accessor = "auth_userpass_00000001";
    ["ldap/role", "größe"].forEach((at) => emulator.secrets.addMount({ type: "directory", path: at }));
    await assertResponses(emulator, "secrets", [
      ["POST /v1/ldap/role/config", settings, 204],
      ["POST /v1/gr%C3%B6%C3%9Fe/config", settings, 204],
      ["POST /v1/gr%C3%B6%C3%9Fe%2Fx/config", settings, 404, route],
      ["GET /v1/identity/nothing", undefined, 404, path],
      ["GET /v1/ldap/", undefined, 404, path],
      [`GET ${aliases}/`, undefined, 404, path],
      [`GET ${aliases}/%E0%A4%A`, undefined, 404, path],
      ["GET /", undefined, 404, route],
      ["GET /v2/identity/entity-alias/id", undefined, 404, route],
      [`GET ${aliases}`, undefined, 405, operation],
      [`PATCH ${methods}`, body, 405, operation],
      [`GET ${methods}/00000000-0000-4000-8000-000000000000?list=true`, undefined, 405, operation],
      [`GET ${methods}?list=yes`, undefined, 400, /list is true or false/],
      [`GET ${methods}?list=true&after=x`, undefined, 400, /"after"/],
      [`PUT ${methods}`, body, 405, operation],
      ["POST /v1/scheduler/role/ops", { policies: ["a"] }, 400, /"policies": expected a string, got a list/],
      [`POST ${push}/a%2Fb%20%C3%BC`, { mount_accessor, name: "a/b ü" }, 204],
      [`POST ${push}/x`, { mount_accessor, name: "y" }, 400, /in the body, but/],
      [`POST ${methods}`, "{", 400, /failed to parse JSON input/],
      [`POST ${methods}`, null, 400, /failed to parse JSON input/],
    ]);
  });
});

describe("the attributes of a body", () => {
  const bodyOf = (values: Readonly<Record<string, unknown>>, dialect: Dialect = "documented"): Body =>
    Body.parse(JSON.stringify(values), { known: Object.keys(values), traits: secretsTraits[dialect] });

  for (const [reader, value, documented, hashicorp = documented] of [
    ["text", 5, undefined, "5"],
    ["text", true, undefined, "1"],
    ["text", ["x"], undefined],
    ["boolean", "T", undefined, true],
    ["boolean", 0, undefined, false],
    ["boolean", "maybe", undefined],
    ["integer", -3, -3],
    ["integer", "20", undefined, 20],
    ["integer", null, undefined, 0],
    ["integer", 1.5, undefined],
    ["duration", " 5s ", 5],
    ["duration", "1500ms", 1],
    ["duration", "", undefined, 0],
    ["duration", "-1s", undefined],
    ["duration", "1.5", undefined],
    ["duration", "9".repeat(20), undefined],
    ["list", "a, b,,c ", ["a", "b", "c"]],
    ["list", [" a ", "b"], ["a", "b"]],
    ["list", ["a", 5], undefined],
    ["map", { a: 5, b: true }, undefined, { a: "5", b: "1" }],
    ["map", ["a"], undefined],
  ] as const) {
    it(`the attributes of a body are read as ${reader}, or rejected: ${JSON.stringify(value)}`, () => {
      for (const [dialect, expected] of Object.entries({ documented, hashicorp })) {
        const body = bodyOf({ field: value }, dialect as Dialect);
        if (expected !== undefined) {
          assert.deepEqual([body[reader]("field"), body[reader]("other")], [expected, undefined]);
          continue;
        }
        const message = /^Field validation failed: error converting input for field "field": expected /;
        assert.throws(() => body[reader]("field"), { status: 400, message });
      }
    });
  }

  it("the attributes of a body can be required, cannot be null, and can have names that all objects inherit", () => {
    assert.equal(bodyOf({ a: "x" }).requiredText("a"), "x");
    assert.throws(() => bodyOf({ a: "" }).requiredText("a"), { status: 400, message: "missing a" });
    assert.equal(bodyOf({ a: null }, "hashicorp").duration("a"), undefined);
    assert.equal(bodyOf({}).has("constructor"), false);
    for (const name of ["constructor", "__proto__"]) {
      const parse = () => Body.parse(`{"${name}": 1}`, { known: [], traits: secretsTraits.documented });
      assert.throws(parse, (error) => error instanceof Refusal && error.message.includes(`[${name}]`));
    }
  });
});

describe("the leases of the emulated secrets service", () => {
  const frozenAt = new Date("2026-01-01T00:00:00Z");
  const { emulator, client } = useDirectory({ dialect: { secrets: "hashicorp" }, frozenAt });
  beforeEach(async () => {
    const times = { default_ttl: "1h", max_ttl: "2h" };
    const dn = `dn: cn=issued,${users}`;
    const ldif = { creation_ldif: `${dn}\ncn: issued\n`, deletion_ldif: `${dn}\nchangetype: delete\n` };
    await client.write("ldap/role/web", { ...ldif, ...times });
    await client.write("ldap/library/team", { service_account_names: "svc1", ttl: "1h", max_ttl: "2h" });
    emulator.secrets.addSchedulerRole({ name: "ops", type: "management" });
    emulator.secrets.changeSchedulerLease({ ttl: 3_600, maxTtl: 7_200 });
  });
  const state = () => emulator.inspect().secrets;
  const accounts = () => state().directoryLibraryAccounts;

  for (const [request, exists] of [
    ["GET ldap/creds/web", () => state().directoryEntries.some(({ dn }) => dn === dnOf("issued"))],
    ["POST ldap/library/team/check-out", () => accounts().some(({ checkOut }) => checkOut !== null)],
    ["GET nomad/creds/ops", () => emulator.inspect().scheduler.aclTokens.length > 0],
  ] as const) {
    it(`the emulated leases can be revoked at once, and renewed up to a limit: ${request}`, async () => {
      const [method = "", path = ""] = request.split(" ");
      const issue = async () => textAt(await client.envelope(method, path), "lease_id");
      const revoked = await issue();
      assert.match(revoked, /^\w+\/[\w/-]+\/[A-Za-z0-9]{24}$/);
      await client.write(`sys/leases/revoke/${encodeURIComponent(revoked)}`);
      assert.deepEqual([exists(), state().leases], [false, []]);
      const lease_id = await issue();
      const renew = async (increment: unknown): Promise<unknown> =>
        at(await client.envelope("POST", "sys/leases/renew", { lease_id, increment }), "lease_duration");
      emulator.advance("50m");
      assert.equal(await renew("30m"), 1_800);
      const found = await client.data("PUT", "sys/leases/lookup", { lease_id });
      const times = ["last_renewal", "expire_time"].map((name) => at(found, name));
      assert.deepEqual(times, ["2026-01-01T00:50:00.000Z", "2026-01-01T01:20:00.000Z"]);
      emulator.advance("20m");
      assert.deepEqual([await renew(0), exists()], [3_000, true]);
      emulator.advance("50m");
      assert.deepEqual([exists(), state().leases], [false, []]);
    });
  }

  it("the emulated leases are rejected if they are unknown or not named", async () => {
    const lease_id = "ldap/creds/web/none";
    await assertResponses(emulator, "secrets", [
      ["POST /v1/sys/leases/revoke", { lease_id, sync: true }, 204],
      ["POST /v1/sys/leases/renew", { lease_id }, 400, /^lease not found$/],
      ["POST /v1/sys/leases/lookup", { lease_id }, 400, /^invalid lease$/],
      ["POST /v1/sys/leases/lookup", {}, 400, /^lease_id must be specified$/],
    ]);
  });
});
