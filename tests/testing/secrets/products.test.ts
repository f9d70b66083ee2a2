import assert from "node:assert/strict";
import { URI } from "otpauth";
import { startEmulator } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { assertResponses, at, call, textAt } from "../call";
import { SecretsClient, addEntries, settings } from "./client";

/** What only the products have; the tests of their clients compare it with what a real server returned. */
describe("the emulated secrets service in the hashicorp dialect", () => {
  const emulator = useEmulator({
    dialect: "hashicorp",
    frozenAt: new Date("2026-01-01T00:00:00Z"),
    secrets: { namespaces: ["teams/platform"] },
  });
  let client: SecretsClient;
  beforeEach(async () => {
    client = new SecretsClient(emulator);
    addEntries(emulator);
    await client.write("ldap/config", settings);
    await client.write("ldap/library/team", { service_account_names: "svc1" });
  });
  const as = (token: unknown): SecretsClient => new SecretsClient(emulator, "", String(token));
  const createToken = async (body: object, parent = client): Promise<string> =>
    textAt(await parent.envelope("POST", "auth/token/create", body), "auth", "client_token");

  it("the emulated secrets service takes null for no data, and says what else is not an object", async () => {
    const checkOut = "POST /v1/ldap/library/team/check-out";
    const kinds = { array: "[]", string: '"x"', number: "1", bool: "true" };
    await assertResponses(emulator, "secrets", [[checkOut, "null", 200]]);
    for (const [kind, body] of Object.entries(kinds)) {
      const error = new RegExp(`^failed to decode JSON input: json: cannot unmarshal ${kind} into`);
      await assertResponses(emulator, "secrets", [[checkOut, body, 400, error]]);
    }
  });

  it("the emulated secrets service reads the query parameter list as the products do", async () => {
    const list = "GET /v1/ldap/library";
    await assertResponses(emulator, "secrets", [
      ...["True", "1", "t", "true&list=false"].map(
        (value) => [`${list}?list=${value}`, undefined, 200] as const,
      ),
      ...["0", "f", "", "false&list=true"].map((value) => [`${list}?list=${value}`, undefined, 405] as const),
      [`${list}?list=yes`, undefined, 400],
      [`${list}/?list=true`, undefined, 200],
      ["POST /v1/ldap/config/", {}, 400, /^cannot write to a path ending in '\/'$/],
    ]);
  });

  it("the emulated secrets service revokes leases below a path, and lists them", async () => {
    const keys = async (path: string) => at(await client.data("LIST", `sys/leases/lookup${path}`), "keys");
    for (const way of ["revoke-prefix/ldap", "revoke-force/ldap/library"]) {
      const { lease_id } = (await client.envelope("POST", "ldap/library/team/check-out")) as {
        lease_id: string;
      };
      assert.deepEqual(await keys(""), ["ldap/"]);
      assert.deepEqual(await keys("/ldap/library/team/check-out"), [lease_id.split("/").at(-1)]);
      await client.write("sys/leases/revoke-prefix/ld");
      assert.equal(emulator.inspect().secrets.leases.length, 1);
      await client.write(`sys/leases/${way}`);
      assert.deepEqual(emulator.inspect().secrets.leases, []);
    }
  });

  it("the emulated secrets service answers about its status without a token, to HEAD too", async () => {
    for (const path of ["health", "init", "leader", "seal-status"]) {
      assert.equal((await call(emulator, "secrets", "GET", `/v1/sys/${path}`, { token: null })).status, 200);
    }
    const head = await fetch(`${emulator.secrets.address}/v1/sys/health`, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
  });

  it("the emulated secrets service ends what belongs to a mount with the mount, and keeps it when the mount is tuned", async () => {
    await client.write("sys/mounts/second", { type: "ldap", config: { max_lease_ttl: "1h" } });
    await client.write("second/config", settings);
    await client.write("sys/mounts/second/tune", { default_lease_ttl: "30m" });
    assert.equal(at(await client.data("GET", "second/config"), "binddn"), settings.binddn);
    const [second] = emulator.inspect().secrets.mounts.filter(({ path }) => path === "second");
    assert.deepEqual([second?.defaultLeaseTtl, second?.maxLeaseTtl], [1_800, 3_600]);
    await client.done("DELETE", "sys/mounts/second");
    assert.equal((await client.send("GET", "second/config")).status, 404);
  });

  it("the emulated secrets service ends a child token with its parent unless it is an orphan, and gives it no more rights", async () => {
    const parent = emulator.secrets.addToken({
      paths: { "auth/token/": "full", ldap: "full" },
      access: "none",
    });
    const issued = as(await createToken({ ttl: "20m" }, as(parent)));
    const child = as(await createToken({ ttl: "10m" }, issued));
    const orphan = as(await createToken({ no_parent: true, policies: ["default"] }, issued));
    assert.equal((await child.send("GET", "ldap/config")).status, 200);
    assert.equal((await child.send("GET", "sys/mounts")).status, 403);
    await client.envelope("POST", "ldap/library/team/check-out");
    await child.write("auth/token/revoke-self");
    assert.equal(emulator.inspect().secrets.leases.length, 1);
    const another = as(await createToken({ ttl: "19m" }, issued));
    emulator.advance("20m");
    const statuses = await Promise.all(
      [child, another, orphan].map((each) => each.send("GET", "auth/token/lookup-self")),
    );
    const statusOf = statuses.map(({ status }) => status);
    assert.deepEqual(statusOf, [403, 403, 200]);
  });

  it("the emulated secrets service knows its namespaces, and no others", async () => {
    for (const [namespace, status] of [
      ["teams/platform", 200],
      ["teams/platform/", 200],
      ["root", 200],
      ["teams", 404],
    ] as const) {
      const headers = { "x-vault-namespace": namespace, "x-vault-token": emulator.secrets.token };
      const reply = await fetch(`${emulator.secrets.address}/v1/ldap/config`, { headers });
      assert.equal(reply.status, status, namespace);
      assert.equal(reply.headers.get("x-vault-namespace"), namespace);
    }
    assert.equal((await client.send("GET", "teams/platform/ldap/config")).status, 200);
    assert.equal((await client.send("GET", "teams/ldap/config")).status, 404);
  });

  it("the emulated secrets service gives a wrapped response once, and until its time is over", async () => {
    const wrap = async (path: string): Promise<unknown> => {
      const headers = { "x-vault-wrap-ttl": "60", "x-vault-token": emulator.secrets.token };
      const reply = await fetch(`${emulator.secrets.address}/v1/${path}`, { headers });
      const envelope: unknown = await reply.json();
      assert.equal(at(envelope, "data"), null);
      assert.equal(at(envelope, "wrap_info", "creation_path"), path);
      return at(envelope, "wrap_info", "token");
    };
    const token = await wrap("ldap/config");
    assert.equal(at(await as(token).data("POST", "sys/wrapping/unwrap"), "binddn"), settings.binddn);
    assert.equal((await client.send("POST", "sys/wrapping/unwrap", { token })).status, 400);
    const again = await client.envelope("POST", "sys/wrapping/rewrap", { token: await wrap("ldap/config") });
    const rewrapped = at(again, "wrap_info", "token");
    const found = at(await client.data("POST", "sys/wrapping/lookup", { token: rewrapped }), "creation_ttl");
    assert.equal(found, 60);
    emulator.advance("1m");
    assert.equal((await client.send("POST", "sys/wrapping/unwrap", { token: rewrapped })).status, 400);
  });

  it("the emulated secrets service gives the entity of a login an alias, which another client can collide with", async () => {
    const parameters = { username: "ada", password: "pw" };
    emulator.secrets.addLogin({ path: "people", parameters, policies: ["deploy"] });
    const logIn = async (): Promise<unknown> => {
      const path = "/v1/auth/people/login/ada";
      const { body } = await call(emulator, "secrets", "POST", path, {
        token: null,
        body: { password: "pw" },
      });
      return at(body, "auth");
    };
    const auth = await logIn();
    assert.deepEqual(at(auth, "policies"), ["default", "deploy"]);
    assert.deepEqual(at(auth, "metadata"), { username: "ada" });
    const [alias] = emulator.inspect().secrets.entityAliases;
    assert.deepEqual([alias?.name, alias?.canonicalId], ["ada", at(auth, "entity_id")]);
    const eve = emulator.secrets.addEntity({ name: "eve", policies: ["audit"] }).id;
    const { mountAccessor: mount_accessor = "" } = alias ?? {};
    await client.data("POST", "identity/entity-alias", { name: "ADA", canonical_id: eve, mount_accessor });
    const moved = await logIn();
    assert.deepEqual([at(moved, "entity_id"), at(moved, "identity_policies")], [eve, ["audit"]]);
  });

  it("the emulated secrets service makes a URL of an issuer with an ampersand that authenticators refuse, and one with a space that they take", () => {
    const entity = emulator.secrets.addEntity().id;
    const urlOf = (issuer: string): string =>
      emulator.secrets.addTotpSecret(emulator.secrets.addTotpMethod({ issuer }).id, entity).url;
    assert.match(urlOf("a&b"), /^otpauth:\/\/totp\/a&b:.*&issuer=a&b&period/);
    assert.throws(() => URI.parse(urlOf("a&b")), /Invalid URI/);
    assert.equal(URI.parse(urlOf("Acme Sons")).issuer, "Acme Sons");
  });

  it("the emulated secrets service has the logins and tokens of its seed, again after a reset", async () => {
    const seeded = await startEmulator({
      dialect: "hashicorp",
      seed: {
        logins: [{ path: "jwt", parameters: { role: "ci", jwt: "identity" } }],
        schedulerLogins: [{ method: "ci", jwt: "identity" }],
        provisioningTokens: [
          { token: "reader", access: "read", projects: { "prj-1": { createProjects: true } } },
        ],
        secretsTokens: [{ token: "none", access: "none", paths: { "ldap/": "read" } }],
        schedulerTokens: [{ token: "agent", access: { readAgent: true } }],
      },
    });
    const identity = { role: "ci", jwt: "identity", AuthMethodName: "ci", LoginToken: "identity" };
    const requests = [
      ["secrets", "POST /v1/auth/jwt/login", { token: null, body: identity }, 200],
      ["scheduler", "POST /v1/acl/login", { token: null, body: identity }, 200],
      ["provisioning", "GET /api/v2/account/details", { token: "reader" }, 200],
      ["secrets", "GET /v1/sys/mounts", { token: "none" }, 403],
      ["scheduler", "GET /v1/agent/self", { token: "agent" }, 200],
    ] as const;
    for (let round = 0; round < 2; round += 1) {
      for (const [service, request, options, status] of requests) {
        const [method = "", path = ""] = request.split(" ");
        assert.equal((await call(seeded, service, method, path, options)).status, status, request);
      }
      seeded.reset();
    }
    await seeded.close();
    await assert.rejects(
      startEmulator({ seed: { secretsTokens: [{ token: "x" }, { token: "x" }] } }),
      /seed\.secretsTokens\[1\] cannot be set up: The emulator already has the token of "token-1"/,
    );
  });
});
