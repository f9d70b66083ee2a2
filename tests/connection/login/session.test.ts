import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { finishProcess } from "../../../sdk/base/timing";
import { processRedactor } from "../../../sdk/base/redactor";
import { path as pathOf } from "../../../sdk/base/path";
import { connect } from "../../../sdk/connection/connect";
import type { SecretsClient } from "../../../sdk/secrets/client";
import { secretsService } from "../../../sdk/secrets/service";
import { json, startServer, stopServers } from "../../http/server";
import { failure } from "../../http/calls";
import { useEmulator } from "../../support/use-emulator";
import { sourcesWith } from "../environment";

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
  const clientWith = (
    login: unknown,
    environment: Readonly<Record<string, string>> = {},
    address = emulator.secrets.address,
  ): SecretsClient => {
    const configuration = {
      "trivium:secretsDialect": "hashicorp",
      "trivium:secretsAddress": address,
      "trivium:secretsLogin": JSON.stringify(login),
      "trivium:secretsMaxRetries": "0",
      // Sources with the same settings share a connection, also between tests.
      "trivium:secretsMaxConcurrency": String(100 + count++),
    };
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    const caller = { signal, progress: () => undefined, announce: () => undefined };
    return connect(sourcesWith(environment, configuration), secretsService).clientFor(caller);
  };
  const loggedIn = (): SecretsClient => clientWith({ path: "jwt", role: "ci", jwtFile: file });
  const read = async (client: SecretsClient): Promise<unknown> =>
    client.list({ summary: "list aliases", path: pathOf`/identity/entity-alias/id` });
  const issue = (client: SecretsClient, path = pathOf`/ldap/creds/a`) =>
    client.issue({ summary: "issue", path, method: "GET", data: (z) => z.unknown() });
  const requests = (end: string): number =>
    emulator.journal.requests().filter(({ path: each }) => each.endsWith(end)).length;

  it("a login happens once for all requests of a connection, and is sent without a token", async () => {
    emulator.secrets.addLogin(method);
    const client = loggedIn();
    await Promise.all(Array.from({ length: 60 }, () => read(client)));
    assert.equal(requests("/auth/jwt/login"), 1);
    assert.equal(requests("/identity/entity-alias/id"), 60);
    assert.equal(emulator.journal.requests()[0]?.caller, null);
  });

  it("a login sends its parameters under their names on the wire", async () => {
    const person = { username: "ada", password: "own-password" };
    const secretId = { roleId: "role-1", secretIdVariable: "OWN_SECRET" };
    const logins: readonly [path: string, parameters: Record<string, string>, given?: object][] = [
      ["teams/approle", { role_id: "role-1", secret_id: "own-secret" }, secretId],
      ["userpass", person, { ...person, path: "/userpass/" }],
      ["cert", { name: "web" }],
      ["clusters/one", { role: "ci", jwt: identity }, { role: "ci", jwtFile: file }],
      ["ldap", person],
    ];
    for (const [mount, parameters, given = parameters] of logins) {
      emulator.secrets.addLogin({ path: mount, parameters });
      await read(clientWith({ path: mount, ...given }, { OWN_SECRET: "own-secret" }));
    }
  });

  it("a login is not repeated when the service rejects it, and the error names its source", async () => {
    emulator.secrets.addLogin(method);
    writeFileSync(file, "identity-of-somebody-else");
    const client = loggedIn();
    for (let count = 0; count < 3; count++) {
      const { message } = await failure(read(client));
      assert.match(message, /log in to the secrets service.*configuration value trivium:secretsLogin/s);
      assert.doesNotMatch(message, /identity-of/);
    }
    assert.equal(requests("/auth/jwt/login"), 1);
  });

  it("a login is repeated with the current identity when its token was revoked", async () => {
    emulator.secrets.addLogin({ ...method, ttl: "1h" });
    emulator.secrets.addLogin({ ...method, parameters: { role: "ci", jwt: "second-identity" } });
    const client = loggedIn();
    await read(client);
    emulator.advance("2h");
    writeFileSync(file, "second-identity");
    await Promise.all(Array.from({ length: 10 }, () => read(client)));
    assert.equal(requests("/auth/jwt/login"), 2);
  });

  it("a login is repeated once when the service rejects its token, but not for a missing permission", async () => {
    emulator.secrets.addLogin({ ...method, access: "none" });
    const client = loggedIn();
    await Promise.all(Array.from({ length: 10 }, () => assert.rejects(read(client), /403/)));
    await assert.rejects(read(client), /403/);
    assert.equal(requests("/auth/jwt/login"), 1);
  });

  /** A service whose tokens can be used a number of times, or which refuses every login. */
  const limitedLogins = async (uses: number): Promise<[SecretsClient, () => string[]]> => {
    const left: number[] = [];
    const { address, received } = await startServer((response, { url, headers }) => {
      if (url.endsWith("/login")) {
        const client_token = String(left.push(uses) - 1);
        const auth = { client_token, lease_duration: 3600, renewable: true, num_uses: uses };
        json(response, uses > 0 ? 200 : 400, uses > 0 ? { auth } : {});
        return;
      }
      const token = Number(headers["x-vault-token"]);
      const isUsable = (left[token] ?? 0) > 0;
      left[token] = (left[token] ?? 0) - 1;
      const lease = { lease_id: "a", lease_duration: 60, data: { keys: [] } };
      json(response, isUsable ? 200 : 403, isUsable ? lease : { errors: ["permission denied"] });
    });
    const login = uses > 0 ? method.parameters : { roleId: "r", secretId: "hvs.canary" };
    const used = () => received.map(({ url, headers }) => `${String(headers["x-vault-token"])} ${url}`);
    return [clientWith({ path: "jwt", ...login }, {}, address), used];
  };

  it("a login is repeated before its token runs out of uses, and never spends the last use of a token that issued something", async () => {
    const [often] = await limitedLogins(3);
    await Promise.all(Array.from({ length: 10 }, () => read(often)));
    const [client, used] = await limitedLogins(2);
    await issue(client);
    await read(client);
    await issue(client);
    const uses = used().filter((each) => each.startsWith("0"));
    assert.deepEqual(uses, ["0 /v1/ldap/creds/a"]);
  });

  it("a login does not issue anything with a token that can only be used once", async () => {
    const [client, used] = await limitedLogins(1);
    await read(client);
    await assert.rejects(issue(client), /can be used only once.*token_num_uses/);
    assert.ok(!used().join().includes("creds"));
  });

  it("the error of a login explains why a secret ID might be rejected", async () => {
    const [client] = await limitedLogins(0);
    const { message } = await failure(read(client));
    assert.match(message, /A wrapped secret ID must be unwrapped first\. .*single-use.*secret_id_num_uses/);
    assert.doesNotMatch(message, /canary/);
  });

  it("a login revokes its token once at the end of the process, unless something was issued under it", async () => {
    emulator.secrets.addLogin(method);
    const client = loggedIn();
    await read(client);
    await finishProcess();
    assert.equal(requests("/auth/token/revoke-self"), 1);
    await assert.rejects(issue(loggedIn(), pathOf`/ldap/creds/none`));
    await finishProcess();
    assert.equal(requests("/auth/token/revoke-self"), 1);
  });

  it("a login does not show the identity or the token anywhere", async () => {
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

  it("a login gets the next token before the current one expires, or continues with a renewed one", async () => {
    emulator.secrets.addLogin({ ...method, ttl: "1s", maxTtl: "2s" });
    const client = loggedIn();
    while (requests("/auth/token/renew-self") === 0 || requests("/auth/jwt/login") === 1) {
      await read(client);
    }
  });
});
