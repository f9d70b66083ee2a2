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

  it("the emulated secrets service says what is not an object, and answers to HEAD about its health", async () => {
    const kinds = { array: "[]", string: '"x"', number: "1", bool: "true" };
    const exchanges = Object.entries(kinds).map(([kind, body]): Exchange => {
      const error = new RegExp(`^failed to decode JSON input: json: cannot unmarshal ${kind} into`);
      return ["POST /v1/ldap/library/team/check-out", body, 400, error];
    });
    const slash = /^cannot write to a path ending in '\/'$/;
    await assertResponses(emulator, "secrets", [...exchanges, ["POST /v1/ldap/config/", {}, 400, slash]]);
    assert.equal((await fetchWith("sys/health", { "x-vault-token": "" }, "HEAD")).status, 200);
  });

  it("the emulated secrets service ends a child token with its parent unless it is an orphan, and gives it no more rights", async () => {
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

  it("the emulated secrets service knows its namespaces, in a header or in the path", async () => {
    for (const namespace of ["teams/platform", "teams/platform/", "root"]) {
      const reply = await fetchWith("ldap/config", { "x-vault-namespace": namespace });
      assert.deepEqual([reply.status, reply.headers.get("x-vault-namespace")], [200, namespace]);
    }
    assert.equal((await client.send("GET", "teams/platform/ldap/config")).status, 200);
    assert.equal((await client.send("GET", "teams/ldap/config")).status, 404);
  });

  it("the emulated secrets service wraps a response again, and gives it until its time is over", async () => {
    const wrapped: unknown = await (await fetchWith("ldap/config", { "x-vault-wrap-ttl": "60" })).json();
    const given = { token: at(wrapped, "wrap_info", "token") };
    const rewrapped = await client.envelope("POST", "sys/wrapping/rewrap", given);
    const token = at(rewrapped, "wrap_info", "token");
    assert.equal(at(await client.data("POST", "sys/wrapping/lookup", { token }), "creation_ttl"), 60);
    emulator.advance("1m");
    assert.equal((await client.send("POST", "sys/wrapping/unwrap", { token })).status, 400);
  });

  it("the emulated secrets service has the logins and tokens of its seed, again after a reset", async () => {
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
