import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { finishProcess } from "../../../sdk/base/timing";
import { processRedactor } from "../../../sdk/base/redactor";
import { path as pathOf } from "../../../sdk/base/path";
import { connect } from "../../../sdk/connection/connect";
import type { Sources } from "../../../sdk/connection/sources";
import type { SecretsClient } from "../../../sdk/secrets/client";
import { secretsService } from "../../../sdk/secrets/service";
import { json, startServer, stopServers } from "../../http/server";
import { useEmulator } from "../../support/use-emulator";

const identity = "identity-of-the-job";
const method = { path: "jwt", parameters: { role: "ci", jwt: identity } };

describe("a login", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  const folder = mkdtempSync(path.join(tmpdir(), "pulumi-trivium-login-"));
  const file = path.join(folder, "identity");

  beforeEach(() => writeFileSync(file, `${identity}\n`));
  after(() => rmSync(folder, { recursive: true }));
  afterEach(finishProcess);
  afterEach(stopServers);

  let count = 0;
  const sourcesWith = (login: unknown, more: Readonly<Record<string, string>> = {}): Sources => {
    const configuration = new Map([
      ["trivium:secretsLogin", JSON.stringify(login)],
      ["trivium:secretsDialect", "hashicorp"],
      ["trivium:secretsAddress", emulator.secrets.address],
      ["trivium:secretsMaxRetries", "0"],
      // Sources with the same settings share a connection, also between tests.
      ["trivium:secretsMaxConcurrency", String(100 + count++)],
    ]);
    return { configuration: { get: (key) => configuration.get(key) }, environment: more };
  };
  const clientOf = (sources: Sources): SecretsClient => {
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    return connect(sources, secretsService).clientFor({
      signal,
      progress: () => undefined,
      announce: () => undefined,
    });
  };
  const loggedIn = (login: unknown = { path: "jwt", role: "ci", jwtFile: file }): SecretsClient =>
    clientOf(sourcesWith(login));
  const read = async (client: SecretsClient): Promise<unknown> =>
    client.list({ summary: "list aliases", path: pathOf`/identity/entity-alias/id` });
  const requests = (end: string): number =>
    emulator.journal.requests().filter(({ path: each }) => each.endsWith(end)).length;

  it("a login happens once, for all requests of a connection, without a token before", async () => {
    emulator.secrets.addLogin(method);
    const client = loggedIn();
    await Promise.all(Array.from({ length: 60 }, () => read(client)));
    assert.equal(requests("/auth/jwt/login"), 1);
    assert.equal(requests("/identity/entity-alias/id"), 60);
    const [first] = emulator.journal.requests();
    assert.equal(first?.caller, null);
  });

  it("a login sends its parameters under the names of the wire", async () => {
    const person = { username: "ada", password: "own-password" };
    const job = { role: "ci", jwt: identity };
    const logins: readonly [path: string, parameters: Record<string, string>, given?: object][] = [
      [
        "teams/approle",
        { role_id: "role-1", secret_id: "own-secret" },
        { roleId: "role-1", secretIdVariable: "OWN_SECRET" },
      ],
      ["userpass", person, { ...person, path: "/userpass/" }],
      ["cert", { name: "web" }],
      ["clusters/one", job, { role: "ci", jwtFile: file }],
      ["ldap", person],
    ];
    for (const [mount, parameters, given = parameters] of logins) {
      emulator.secrets.addLogin({ path: mount, parameters });
      await read(clientOf(sourcesWith({ path: mount, ...given }, { OWN_SECRET: "own-secret" })));
    }
  });

  it("a login is not repeated when the service refuses it, and the error says where it comes from", async () => {
    emulator.secrets.addLogin(method);
    writeFileSync(file, "identity-of-somebody-else");
    const client = loggedIn();
    for (let count = 0; count < 3; count++) {
      await assert.rejects(read(client), (error: Error) => {
        assert.match(error.message, /log in to the secrets service/);
        assert.match(error.message, /configuration value trivium:secretsLogin/);
        assert.doesNotMatch(error.message, /identity-of/);
        return true;
      });
    }
    assert.equal(requests("/auth/jwt/login"), 1);
  });

  it("a login is repeated with the identity of that time when its token was revoked", async () => {
    emulator.secrets.addLogin({ ...method, ttl: "1h" });
    emulator.secrets.addLogin({ ...method, parameters: { role: "ci", jwt: "second-identity" } });
    const client = loggedIn();
    await read(client);
    emulator.advance("2h");
    writeFileSync(file, "second-identity");
    await Promise.all(Array.from({ length: 10 }, () => read(client)));
    assert.equal(requests("/auth/jwt/login"), 2);
  });

  it("a login is repeated once when the service refuses its token, and not for a missing permission", async () => {
    emulator.secrets.addLogin({ ...method, access: "none" });
    const client = loggedIn();
    await Promise.all(Array.from({ length: 10 }, () => assert.rejects(read(client), /403/)));
    await assert.rejects(read(client), /403/);
    assert.equal(requests("/auth/jwt/login"), 1);
  });

  const limitedLogins = async (uses: number, secretId?: string): Promise<[SecretsClient, () => string[]]> => {
    const left = new Map<string, number>();
    const { address, received } = await startServer((response, { url, headers }) => {
      const token = String(headers["x-vault-token"]);
      if (url.endsWith("/login")) {
        left.set(`t-${left.size}`, uses);
        const auth = {
          client_token: `t-${left.size - 1}`,
          lease_duration: 3600,
          renewable: true,
          num_uses: uses,
        };
        json(response, secretId === undefined ? 200 : 400, secretId === undefined ? { auth } : {});
        return;
      }
      const usable = left.get(token) ?? 0;
      left.set(token, usable - 1);
      const lease = { lease_id: "a", lease_duration: 60, data: { keys: [] } };
      json(response, usable > 0 ? 200 : 403, usable > 0 ? lease : { errors: ["permission denied"] });
    });
    const login = secretId === undefined ? method.parameters : { roleId: "r", secretId };
    const sources = sourcesWith({ path: "jwt", ...login });
    const { configuration } = sources;
    const get = (key: string) => (key === "trivium:secretsAddress" ? address : configuration?.get(key));
    const used = () => received.map(({ url, headers }) => `${String(headers["x-vault-token"])} ${url}`);
    return [clientOf({ ...sources, configuration: { get } }), used];
  };
  const issuing = (client: SecretsClient) =>
    client.issue({ summary: "issue", path: pathOf`/ldap/creds/a`, method: "GET", data: (z) => z.unknown() });

  it("a login is repeated before the uses of its token end", async () => {
    const [client] = await limitedLogins(3);
    await Promise.all(Array.from({ length: 10 }, () => read(client)));
  });

  it("a login never spends the last use of a token that something was issued with: that would revoke it", async () => {
    const [client, used] = await limitedLogins(2);
    await issuing(client);
    await read(client);
    await issuing(client);
    const uses = used().filter((each) => each.startsWith("t-0"));
    assert.deepEqual(uses, ["t-0 /v1/ldap/creds/a"]);
  });

  it("a login refuses to issue anything with a token that can be used once", async () => {
    const [client, used] = await limitedLogins(1);
    await read(client);
    await assert.rejects(issuing(client), /can be used only once.*token_num_uses/);
    assert.ok(!used().join().includes("creds"));
  });

  it("the error of a login says what a secret id may be that is refused", async () => {
    const [client] = await limitedLogins(0, "hvs.canary");
    await assert.rejects(read(client), (error: Error) => {
      assert.match(
        error.message,
        /A wrapped secret id must be unwrapped first\. .*single use.*secret_id_num_uses/,
      );
      assert.doesNotMatch(error.message, /canary/);
      return true;
    });
  });

  it("a login revokes its token at the end of the process", async () => {
    emulator.secrets.addLogin(method);
    const client = loggedIn();
    await read(client);
    await finishProcess();
    assert.equal(requests("/auth/token/revoke-self"), 1);
    await finishProcess();
    assert.equal(requests("/auth/token/revoke-self"), 1);
  });

  it("a login does not revoke the token that something was issued under", async () => {
    emulator.secrets.addLogin(method);
    const client = loggedIn();
    const issue = client.issue({
      summary: "issue a credential",
      path: pathOf`/ldap/creds/none`,
      method: "GET",
      data: (z) => z.unknown(),
    });
    await assert.rejects(issue);
    await finishProcess();
    assert.equal(requests("/auth/token/revoke-self"), 0);
  });

  it("a login keeps identity and token out of everything that is shown", async () => {
    emulator.secrets.addLogin(method);
    const client = loggedIn();
    const data = await client.read({
      summary: "look up the token",
      path: pathOf`/auth/token/lookup-self`,
      data: (z) => z.object({ id: z.string() }),
    });
    assert.ok(data !== undefined);
    assert.equal(processRedactor.redact(`${identity} ${data.id}`), "[secret] [secret]");
  });

  it("a login takes the next token before one ends, and goes on with a renewed one", async () => {
    emulator.secrets.addLogin({ ...method, ttl: "1s", maxTtl: "2s" });
    const client = loggedIn();
    while (requests("/auth/token/renew-self") === 0 || requests("/auth/jwt/login") === 1) {
      await read(client);
    }
  });

  it("a login lets a lease end with the token", async () => {
    emulator.secrets.addLogin({ ...method, ttl: "10m" });
    const warnings: string[] = [];
    const client = loggedIn();
    const said = client.onBehalfOf({
      ...client.caller,
      announce: (_kind, message) => void warnings.push(message),
    });
    emulator.scheduler.addPolicy({ name: "deploy" });
    const { address, token } = emulator.scheduler;
    const summary = "set up the engine";
    await client.write({ summary, path: pathOf`/nomad/config/access`, body: { address, token } });
    await client.write({ summary, path: pathOf`/nomad/role/ops`, body: { policies: ["deploy"] } });
    const issued = await said.issue({
      summary: "issue a token",
      path: pathOf`/nomad/creds/ops`,
      method: "GET",
      data: (z) => z.unknown(),
    });
    assert.ok(issued.lease.leaseDuration > 0 && issued.lease.leaseDuration <= 600);
    assert.match(warnings.join(), /ends with the token of the login/);
    assert.equal(emulator.inspect().secrets.leases.length, 1);
    emulator.advance("11m");
    assert.equal(emulator.inspect().secrets.leases.length, 0);
  });
});
