import assert from "node:assert/strict";
import { foresee, resolveSettings } from "../../../sdk/connection/resolve";
import type { Sources } from "../../../sdk/connection/sources";

const address = "https://example.com";

function sources(
  configuration: Readonly<Record<string, string>>,
  environment: Sources["environment"] = {},
): Sources {
  const all = new Map(
    Object.entries({
      "trivium:dialect": "hashicorp",
      "trivium:secretsAddress": address,
      "trivium:schedulerAddress": address,
      ...configuration,
    }),
  );
  return { configuration: { get: (key) => all.get(key) }, environment };
}

describe("the settings of a login", () => {
  const source = "The login from the configuration value trivium:secretsLogin is not valid: ";
  for (const [login, problem] of [
    ["jwt", 'expected a JSON object such as {"path":"jwt","role":"ci","jwtFile":"token"}.'],
    [["jwt"], 'expected a JSON object such as {"path":"jwt","role":"ci","jwtFile":"token"}.'],
    [{ role: "ci", jwtFile: "token" }, "`path` is missing."],
    [{ path: "jwt", role: 7 }, "`role` must be a string, and not empty."],
    [{ path: "jwt", jwtFile: "" }, "`jwtFile` must be a string, and not empty."],
    [{ path: "jwt", jwt: "own-identity", jwtFile: "token" }, "`jwt` is given more than once."],
    [{ path: "jwt", jwtFile: "token", jwtVariable: "TOKEN" }, "`jwt` is given more than once."],
    [{ path: "jwt", "role-id": "ci" }, "`role-id` is not a valid member."],
    [
      { path: "auth/jwt/login" },
      '`path` is the path of the mount alone, such as "jwt", without "auth/" and "/login".',
    ],
    [{ path: "a/../b" }, '`path` contains a "." or ".." segment, which would resolve to another path.'],
    [
      { path: "userpass", username: ".." },
      '`username` contains a "." or ".." segment, which would resolve to another path.',
    ],
  ] as const) {
    it(`are refused in a preview: ${JSON.stringify(login)}`, () => {
      const { failure } = foresee(sources({ "trivium:secretsLogin": JSON.stringify(login) }), "secrets");
      assert.equal(failure, source + problem);
    });
  }

  it("need the name of the auth method and an identity for the scheduler", () => {
    const ofScheduler = (login: object): string | undefined =>
      foresee(sources({ "trivium:schedulerLogin": JSON.stringify(login) }), "scheduler").failure;
    assert.match(String(ofScheduler({})), /`method` and `jwt` is missing/);
    assert.match(
      String(ofScheduler({ method: "ci", jwtFile: "x", path: "jwt" })),
      /`path` is not a valid member/,
    );
    assert.equal(ofScheduler({ method: "ci", jwtGithubAudience: "" }), undefined);
  });

  it("need no file in a preview", () => {
    const login = { path: "jwt", role: "ci", jwtFile: "/nowhere/token" };
    const { failure, warning } = foresee(
      sources({ "trivium:secretsLogin": JSON.stringify(login) }),
      "secrets",
    );
    assert.deepEqual([failure, warning], [undefined, undefined]);
  });

  it("are refused in the documented dialect", () => {
    const given = sources({ "trivium:dialect": "documented", "trivium:secretsLogin": '{"path":"jwt"}' });
    const { failure } = foresee(given, "secrets");
    assert.match(
      String(failure),
      /trivium:secretsLogin is a login, which the documented secrets service does not/,
    );
    assert.match(String(failure), /Set? .*secretsDialect.* to hashicorp|set dialect/);
  });

  it("are refused beside a token of the same source", () => {
    const login = '{"path":"jwt"}';
    const both = sources({ "trivium:secretsLogin": login, "trivium:secretsToken": "own-token" });
    const { failure } = foresee(both, "secrets");
    assert.match(String(failure), /trivium:secretsLogin is a login, but .*trivium:secretsToken is a token/);
    assert.doesNotMatch(String(failure), /own-token/);
    const inEnvironment = sources({}, { SECRETS_LOGIN: login, SECRETS_TOKEN_FILE: "file" });
    assert.match(String(foresee(inEnvironment, "secrets").failure), /only one of them/);
  });

  it("give way to a token of a more specific source, and win against a less specific one", () => {
    const login = '{"path":"jwt"}';
    const kindOf = (given: Sources): string => (resolveSettings(given, "secrets").login ? "login" : "token");
    const stack = { "trivium:secretsLogin": login };
    assert.equal(kindOf(sources(stack, { SECRETS_TOKEN: "token", VAULT_TOKEN: "token" })), "login");
    assert.equal(kindOf(sources({}, { SECRETS_LOGIN: login, VAULT_TOKEN: "token" })), "login");
    assert.equal(kindOf(sources({ "trivium:secretsToken": "token" }, { SECRETS_LOGIN: login })), "token");
    assert.equal(kindOf(sources(stack, { TRIVIUM_SECRETS_TOKEN: "token" })), "token");
  });
});
