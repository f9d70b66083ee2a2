import assert from "node:assert/strict";
import { startEmulator } from "../../../sdk/testing";
import { type Exchange, assertResponses, at, call, textAt } from "../call";
import { SecretsClient, useDirectory } from "./client";

/** What only the products have; the tests of their clients compare it with what a real server returned. */
describe("the emulated secrets service in the hashicorp dialect", () => {
  const secrets = { namespaces: ["teams/platform"] };
  const { emulator, client } = useDirectory({ dialect: "hashicorp", frozenAt: new Date(0), secrets });
  beforeEach(() => client.write("ldap/library/team", { service_account_names: "svc1" }));
  const as = (token: unknown): SecretsClient => new SecretsClient(emulator, "", String(token));
  const createToken = async (body: object, parent: SecretsClient): Promise<SecretsClient> =>
    as(textAt(await parent.envelope("POST", "auth/token/create", body), "auth", "client_token"));
  const fetchWith = (path: string, own: Readonly<Record<string, string>>, method = "GET") => {
    const headers = { "x-vault-token": emulator.secrets.token, ...own };
    return fetch(`${emulator.secrets.address}/v1/${path}`, { method, headers });
  };

  it("the emulated secrets service names a body that is not an object, and responds to HEAD for its health", async () => {
    const kinds = { array: "[]", string: '"x"', number: "1", bool: "true" };
    const exchanges = Object.entries(kinds).map(([kind, body]): Exchange => {
      const error = new RegExp(`^failed to decode JSON input: json: cannot unmarshal ${kind} into`);
      return ["POST /v1/ldap/library/team/check-out", body, 400, error];
    });
    const slash = /^cannot write to a path ending in '\/'$/;
    await assertResponses(emulator, "secrets", [...exchanges, ["POST /v1/ldap/config/", {}, 400, slash]]);
    assert.equal((await fetchWith("sys/health", { "x-vault-token": "" }, "HEAD")).status, 200);
  });

  it("the emulated secrets service revokes a child token with its parent unless it is an orphan, and gives it no more permissions than the parent", async () => {
    const paths = { "auth/token/": "full", ldap: "full" } as const;
    const parent = emulator.secrets.addToken({ paths, access: "none" });
    const issued = await createToken({ ttl: "20m" }, as(parent));
    const child = await createToken({ ttl: "10m" }, issued);
    const orphan = await createToken({ no_parent: true, policies: ["default"] }, issued);
    const another = await createToken({ ttl: "19m" }, issued);
    const statuses = async (path: string, ...tokens: readonly SecretsClient[]) =>
      Promise.all(tokens.map(async (token) => (await token.send("GET", path)).status));
    assert.deepEqual(await statuses("ldap/config", child), [200]);
    assert.deepEqual(await statuses("sys/mounts", child), [403]);
    await child.write("auth/token/revoke-self");
    emulator.advance("20m");
    assert.deepEqual(await statuses("auth/token/lookup-self", child, another, orphan), [403, 403, 200]);
  });

  // OpenBao 2.6.2.
  it("the emulated secrets service names the type of a response without content", async () => {
    const reply = await fetchWith("ldap/library/team", {}, "DELETE");
    assert.deepEqual([reply.status, reply.headers.get("content-type")], [204, "application/json"]);
  });

  // OpenBao 2.6.2, whose protobuf keeps null from an empty map until a write has another content.
  it("the emulated secrets service keeps null as metadata of an alias until it has some", async () => {
    const canonical_id = at(await client.data("POST", "identity/entity", { name: "e" }), "id");
    const accessor = at(await client.data("GET", "sys/auth"), "userpass/", "accessor");
    const own = { name: "a", canonical_id, mount_accessor: accessor };
    for (const [sent, status, kept] of [
      [null, 200, null],
      [{}, 204, null],
      [{ a: "b" }, 200, { a: "b" }],
      [null, 200, null],
      [{ a: "b" }, 200, { a: "b" }],
      [[], 200, {}],
      [null, 204, {}],
    ] as const) {
      const body = { ...own, custom_metadata: sent };
      const reply = await call(emulator, "secrets", "POST", "/v1/identity/entity-alias", { body });
      const list: unknown = at(await client.data("GET", "identity/entity-alias/id?list=true"), "key_info");
      const [alias] = Object.values(list as Readonly<Record<string, unknown>>);
      assert.deepEqual([reply.status, at(alias, "custom_metadata")], [status, kept], JSON.stringify(sent));
    }
  });

  it("the emulated secrets service accepts its namespaces in a header or in the path", async () => {
    for (const namespace of ["teams/platform", "teams/platform/", "root"]) {
      const reply = await fetchWith("ldap/config", { "x-vault-namespace": namespace });
      assert.deepEqual([reply.status, reply.headers.get("x-vault-namespace")], [200, namespace]);
    }
    assert.equal((await client.send("GET", "teams/platform/ldap/config")).status, 200);
    assert.equal((await client.send("GET", "teams/ldap/config")).status, 404);
  });

  it("the emulated secrets service can wrap a response again, and returns it until it expires", async () => {
    const wrapped: unknown = await (await fetchWith("ldap/config", { "x-vault-wrap-ttl": "60" })).json();
    const given = { token: at(wrapped, "wrap_info", "token") };
    const rewrapped = await client.envelope("POST", "sys/wrapping/rewrap", given);
    const token = at(rewrapped, "wrap_info", "token");
    assert.equal(at(await client.data("POST", "sys/wrapping/lookup", { token }), "creation_ttl"), 60);
    emulator.advance("1m");
    assert.equal((await client.send("POST", "sys/wrapping/unwrap", { token })).status, 400);
  });

  const token = "POST /v1/auth/token/create";
  const unserved = (what: string) =>
    new RegExp(`^The emulator of pulumi-trivium does not implement ${what}, which the product acts on`);

  // OpenBao 2.6.2: vault/token_store.go.
  it("a setting that the emulator does not implement is rejected with an error that names the emulator", () =>
    assertResponses(emulator, "secrets", [
      [token, { num_uses: 3 }, 501, unserved("num_uses")],
      [token, { type: "batch" }, 501, unserved("tokens of the type batch")],
      [token, { entity_alias: "x" }, 501, unserved("entity_alias")],
      ["GET /v1/sys/audit", undefined, 501, unserved("sys/audit")],
      ["POST /v1/identity/group", { name: "x" }, 501, unserved("identity/group")],
      ["POST /v1/ldap/config", { groupdn: "ou=x" }, 501, unserved("groupdn of a directory configuration")],
      [
        "POST /v1/ldap/config",
        { max_page_size: 5 },
        501,
        unserved("max_page_size of a directory configuration"),
      ],
    ]));

  it("a token of the products is rejected if its options are invalid, and otherwise has the requested lifetime", async () => {
    const { token: id } = emulator.secrets;
    await assertResponses(emulator, "secrets", [
      [token, { num_uses: -1 }, 400, /^number of uses cannot be negative$/],
      [token, { num_uses: "x" }, 400, /num_uses/],
      [token, { type: "x" }, 400, /^invalid 'type' value$/],
      [token, { policies: ["response-wrapping"] }, 400, /^cannot assign policy "response-wrapping"$/],
      [token, { id: id.replace(".", "") }, 400, /duplicate ID/],
      ["POST /v1/auth/token/revoke", {}, 400, /^missing token ID$/],
      ["POST /v1/auth/token/renew", {}, 400, /^missing token ID$/],
    ]);
    const created = await client.envelope("POST", "auth/token/create", { period: "1h", policies: ["Web"] });
    assert.deepEqual(at(created, "auth", "policies"), ["default", "web"]);
    assert.match(textAt(created, "auth", "client_token"), /^s\.[A-Za-z0-9]{24}$/);
    const periodic = as(textAt(created, "auth", "client_token"));
    emulator.advance("50m");
    const renewed = await periodic.envelope("POST", "auth/token/renew-self", {});
    assert.equal(at(renewed, "auth", "lease_duration"), 3_600);
    assert.equal(at(await periodic.data("GET", "auth/token/lookup-self"), "period"), 3_600);
    const root = await client.envelope("POST", "auth/token/create", { explicit_max_ttl: "10m" });
    assert.equal(at(root, "auth", "lease_duration"), 600);
    const own = await client.data("POST", "auth/token/lookup", {});
    assert.equal(at(own, "id"), id);
  });

  it("a renewal without an increment lasts as long as in the product", async () => {
    const child = await createToken({ ttl: "10h" }, client);
    await child.envelope("POST", "auth/token/renew-self", { increment: "2h" });
    const again = await child.envelope("POST", "auth/token/renew-self", {});
    assert.equal(at(again, "auth", "lease_duration"), 7_200);
    await client.write("ldap/library/team", { ttl: "30m", max_ttl: "1h" });
    const lent = await client.envelope("POST", "ldap/library/team/check-out", { ttl: "5m" });
    const lease = { lease_id: at(lent, "lease_id") };
    assert.equal(at(await client.envelope("POST", "sys/leases/renew", lease), "lease_duration"), 1_800);
  });

  // vault-plugin-secrets-openldap 0.18: path_dynamic_roles.go stores the name of the body as it was sent.
  it("in the products, a dynamic role with an upper-case name is stored and listed, but never found", async () => {
    const ldif = "dn: cn={{.Username}},dc=x\nchangetype: delete\n";
    const role = { creation_ldif: ldif, deletion_ldif: ldif };
    await client.write("ldap/role/Rep", role);
    assert.deepEqual(at(await client.data("GET", "ldap/role?list=true"), "keys"), ["Rep"]);
    await assertResponses(emulator, "secrets", [
      ["GET /v1/ldap/role/Rep", undefined, 404],
      ["GET /v1/ldap/creds/Rep", undefined, 404],
      ["DELETE /v1/ldap/role/Rep", undefined, 204],
    ]);
    assert.deepEqual(at(await client.data("GET", "ldap/role?list=true"), "keys"), ["Rep"]);
  });

  it("without its configuration, a mount cannot revoke what it issued and cannot be removed", async () => {
    const record = "dn: cn={{.Username}},ou=users,dc=example,dc=org";
    await client.write("ldap/role/dyn", {
      creation_ldif: `${record}\nchangetype: add\nobjectClass: person\ncn: x\n`,
      deletion_ldif: `${record}\nchangetype: delete\n`,
    });
    const { lease_id } = (await client.envelope("GET", "ldap/creds/dyn")) as Record<string, unknown>;
    await assertResponses(emulator, "secrets", [
      ["DELETE /v1/ldap/config", undefined, 204],
      ["POST /v1/sys/leases/revoke", { lease_id }, 400, /failed to revoke entry/],
      ["DELETE /v1/sys/mounts/ldap", undefined, 400, /missing LDAP configuration/],
      ["GET /v1/sys/mounts/ldap", undefined, 200],
    ]);
  });

  it("a static role requires a configuration, and a missing role can be deleted", async () => {
    await client.write("ldap/config", { userattr: "CN" });
    await assertResponses(emulator, "secrets", [
      ["POST /v1/ldap/rotate-root", {}, 500, /unsupported userattr "CN"/],
      ["DELETE /v1/ldap/static-role/none", undefined, 204],
      ["DELETE /v1/ldap/config", undefined, 204],
      [
        "POST /v1/ldap/static-role/x",
        { username: "alice", rotation_period: "1h" },
        400,
        /^missing LDAP config/,
      ],
    ]);
  });

  it("reading credentials rotates only after the cooldown, and the role's own value overrides the mount's", async () => {
    await client.write("ldap/config", { rotate_on_read: true });
    await client.write("ldap/static-role/web", { username: "alice", rotation_period: "1h" });
    const read = async () => textAt(await client.data("GET", "ldap/static-cred/web"), "password");
    const first = await read();
    assert.equal(await read(), first);
    emulator.advance("1m");
    const second = await read();
    assert.notEqual(second, first);
    await client.write("ldap/static-role/web", { rotate_on_read: false });
    emulator.advance("2m");
    assert.equal(await read(), second);
  });

  it("the emulated secrets service accepts the requests of the products' command lines", async () => {
    const made = await client.data("PUT", "identity/entity", { name: "ada", metadata: "team=core" });
    const entity = await client.data("GET", `identity/entity/id/${textAt(made, "id")}`);
    assert.deepEqual(at(entity, "metadata"), { team: "core" });
    emulator.secrets.addLogin({ path: "userpass", parameters: { username: "ada", password: "pw" } });
    await assertResponses(emulator, "secrets", [
      ["POST /v1/auth/userpass/login/ADA", { password: "pw" }, 200],
      ["GET /v1/sys/health?activecode=299", undefined, 299],
      ["POST /v1/sys/capabilities", { path: "x" }, 500, /no token/],
    ]);
    assert.equal((await fetchWith("ldap/config", {})).headers.get("cache-control"), "no-store");
  });

  // Recorded from OpenBao 2.6.2 with the engine `nomad`, and Nomad 2.0.5.
  it("no token is issued with invalid certificates, and no access is configured without a token if the scheduler already has one", async () => {
    const access = { address: "https://scheduler.acme.example", token: "management" };
    await client.write("nomad/role/reader", { policies: "readers" });
    const certificates = [
      [{ ca_cert: "nonsense" }, /^1 error occurred:\n\t\* Error appending CA: Couldn't parse PEM/],
      [{ ca_cert: "", client_cert: "nonsense" }, /Both client cert and client key must be provided/],
      [{ client_key: "nonsense" }, /tls: failed to find any PEM data in certificate input/],
    ] as const;
    for (const [given, error] of certificates) {
      await assertResponses(emulator, "secrets", [
        ["POST /v1/nomad/config/access", { ...access, ...given }, 204],
        ["GET /v1/nomad/creds/reader", undefined, 500, error],
      ]);
    }
    const missing = /^Token not provided and failed to bootstrap ACLs$/;
    await assertResponses(emulator, "secrets", [
      ["POST /v1/nomad/config/access", { ...access, client_cert: "", client_key: "" }, 204],
      ["GET /v1/nomad/creds/reader", undefined, 200],
      ["POST /v1/nomad/config/access", { token: "" }, 204],
      ["POST /v1/nomad/config/access", { token: "" }, 400, missing],
    ]);
  });

  // Recorded from OpenBao 2.6.2.
  it("a login that an enforcement applies to is rejected, because the emulator does not support MFA at login", async () => {
    emulator.secrets.addLogin({ path: "userpass", parameters: { username: "ada", password: "pw" } });
    const id = textAt(await client.data("POST", "identity/mfa/method/totp", { issuer: "acme" }), "method_id");
    const enforcement = { mfa_method_ids: [id], auth_method_types: ["userpass"] };
    await assertResponses(emulator, "secrets", [
      ["POST /v1/identity/mfa/login-enforcement/all", enforcement, 204],
      ["POST /v1/auth/userpass/login/ada", { password: "pw" }, 501, unserved("a login with MFA")],
      [`DELETE /v1/identity/mfa/method/totp/${id}`, undefined, 500, /still used by an enforcement/],
      ["DELETE /v1/identity/mfa/login-enforcement/all", undefined, 204],
      ["POST /v1/auth/userpass/login/ada", { password: "pw" }, 200],
      [`DELETE /v1/identity/mfa/method/totp/${id}`, undefined, 204],
    ]);
  });

  it("a method of another type is neither read nor deleted", async () => {
    const duo = { secret_key: "a", integration_key: "b", api_hostname: "c" };
    const id = textAt(await client.data("POST", "identity/mfa/method/duo", duo), "method_id");
    await assertResponses(emulator, "secrets", [
      [
        `GET /v1/identity/mfa/method/totp/${id}`,
        undefined,
        400,
        /failed to find the method ID under MFA type totp/,
      ],
      [`DELETE /v1/identity/mfa/method/totp/${id}`, undefined, 500, /method type doesn't match/],
      [`GET /v1/identity/mfa/method/duo/${id}`, undefined, 200],
    ]);
  });

  it("the emulated secrets service has the logins and tokens of its seed, even after a reset", async () => {
    const projects = { "prj-1": { createProjects: true } };
    const seeded = await startEmulator({
      dialect: "hashicorp",
      seed: {
        logins: [{ path: "jwt", parameters: { role: "ci", jwt: "identity" } }],
        schedulerLogins: [{ method: "ci", jwt: "identity" }],
        provisioningTokens: [{ token: "reader", access: "read", projects }],
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
