import assert from "node:assert/strict";
import { secretsIn } from "../../../sdk/connection/login/settings";
import { foresee, resolveSettings } from "../../../sdk/connection/resolve";
import type { Sources } from "../../../sdk/connection/sources";
import { sourcesWith } from "../environment";

function sources(configuration: Readonly<Record<string, unknown>>, environment = {}): Sources {
  const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const texts = Object.entries(configuration).map(([name, value]) => [`trivium:${name}`, textOf(value)]);
  const address = "https://example.com";
  const base = { TRIVIUM_DIALECT: "hashicorp", SECRETS_ADDR: address, SCHEDULER_ADDR: address };
  return sourcesWith({ ...base, ...environment }, Object.fromEntries(texts) as Record<string, string>);
}

describe("the settings of a login", () => {
  const noObject = 'expected a JSON object such as {"path":"jwt","role":"ci","jwtFile":"token"}';
  const twice = "`jwt` is set more than once";
  const dots = 'contains a "." or ".." segment, which would resolve to another path';
  const mountOnly = '`path` is the path of the mount alone, such as "jwt", without "auth/" and "/login"';
  for (const [login, problem, service = "secrets"] of [
    ["jwt", noObject],
    [["jwt"], noObject],
    [{ role: "ci", jwtFile: "token" }, "`path` is missing"],
    [{ path: "jwt", role: 7 }, "`role` must be a string, and not empty"],
    [{ path: "jwt", jwtFile: "" }, "`jwtFile` must be a string, and not empty"],
    [{ path: "jwt", jwt: "own-identity", jwtFile: "token" }, twice],
    [{ path: "jwt", jwtFile: "token", jwtVariable: "TOKEN" }, twice],
    [{ path: "jwt", "role-id": "ci" }, "`role-id` is not a valid member"],
    [{ path: "auth/jwt/login" }, mountOnly],
    [{ path: "a/../b" }, `\`path\` ${dots}`],
    [{ path: "userpass", username: ".." }, `\`username\` ${dots}`],
    [{}, "`method` and `jwt` is missing", "scheduler"],
    [{ method: "ci", jwtFile: "x", path: "jwt" }, "`path` is not a valid member", "scheduler"],
  ] as const) {
    it(`the settings of a login are rejected in a preview: ${service}, ${JSON.stringify(login)}`, () => {
      const source = `The login from the configuration value trivium:${service}Login`;
      const { failure } = foresee(sources({ [`${service}Login`]: login }), service);
      assert.equal(failure, `${source} is not valid: ${problem}.`);
    });
  }

  it("the settings of a login require neither a file nor GitHub's audience in a preview", () => {
    const secretsLogin = { path: "jwt", role: "ci", jwtFile: "/nowhere/token" };
    const schedulerLogin = { method: "ci", jwtGithubAudience: "" };
    const given = sources({ secretsLogin, schedulerLogin });
    for (const { failure, warning } of [foresee(given, "secrets"), foresee(given, "scheduler")]) {
      assert.deepEqual([failure, warning], [undefined, undefined]);
    }
  });

  const secretsLogin = '{"path":"jwt"}';
  const inEnvironment = { SECRETS_LOGIN: secretsLogin };

  const isDocumented =
    /is a login, which the documented secrets service does not support\. For Vault or OpenBao, set dialect .* to hashicorp/;
  const isToken = /_?LOGIN is a login, but .*SECRETS_?TOKEN(?:_FILE)? is a token: only one of them/i;
  for (const [what, given, expected] of [
    ["in the documented dialect", sources({ secretsLogin, dialect: "documented" }), isDocumented],
    ["with a token from the same source", sources({ secretsLogin, secretsToken: "own-token" }), isToken],
    ["with a token file", sources({}, { ...inEnvironment, SECRETS_TOKEN_FILE: "file" }), isToken],
  ] as const) {
    it(`the settings of a login are rejected ${what}`, () => {
      const { failure = "" } = foresee(given, "secrets");
      assert.match(failure, expected);
      assert.doesNotMatch(failure, /own-token/);
    });
  }

  it("the settings of a login are overridden by a token from a source with higher precedence, and override one with lower precedence", () => {
    const token = { SECRETS_TOKEN: "token", VAULT_TOKEN: "token" };
    const isLogin = [
      sources({ secretsLogin }, token),
      sources({}, { ...inEnvironment, VAULT_TOKEN: "token" }),
      sources({ secretsToken: "token" }, inEnvironment),
      sources({ secretsLogin }, { TRIVIUM_SECRETS_TOKEN: "token" }),
    ].map((given) => resolveSettings(given, "secrets").login !== undefined);
    assert.deepEqual(isLogin, [true, true, false, false]);
  });

  it("the settings of a login are secret, except names and the places where values are read", () => {
    const names = { path: "a", namespace: "b", method: "c", role: "d", name: "e", username: "f" };
    const places = { jwtFile: "g", tokenVariable: "h", jwtGithubAudience: "i" };
    const secret = secretsIn(JSON.stringify({ ...names, ...places, password: "j", fileFileId: "k" }));
    assert.deepEqual([secret, secretsIn("no object")], [["j", "k"], ["no object"]]);
  });
});
