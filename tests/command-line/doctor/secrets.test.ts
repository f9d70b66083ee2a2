import assert from "node:assert/strict";
import { brief, examined, found } from "./doctor";
import { useEmulator } from "./surroundings";

for (const [dialect, schedulerMount] of [
  ["documented", "scheduler"],
  ["hashicorp", "nomad"],
] as const) {
  describe(`doctor: the secrets service, ${dialect}`, () => {
    const at = useEmulator(dialect);
    const restrict = (options: Parameters<typeof at.emulator.secrets.addToken>[0]): void =>
      at.surround({ SECRETS_TOKEN: at.emulator.secrets.addToken(options) });

    it("needs one list that the token may read", async () => {
      restrict({ access: "none", paths: { "ldap/": "full" } });
      const report = await examined("secrets");
      assert.equal(report.status, 0);
      assert.equal(found(report, "token").state, "ok");
    });

    it("treats it as a problem when a mount that was named cannot be read", async () => {
      restrict({ access: "none", paths: { "ldap/": "full" } });
      const report = await examined("secrets", "--mount", schedulerMount, "--mount", "/ldap/");
      assert.equal(report.status, 1);
      assert.deepEqual(
        report.findings
          .filter(({ check }) => check === "rights")
          .map(({ subject, state }) => [subject, state]),
        [
          [schedulerMount, "problem"],
          ["/ldap/", "ok"],
        ],
      );
    });

    it("finds either engine on a mount of any name", async () => {
      at.emulator.secrets.addMount({ type: "directory", path: "teams/people" });
      at.emulator.secrets.addMount({ type: "scheduler", path: "teams/jobs" });
      const report = await examined("secrets", "--mount", "teams/people", "--mount", "teams/jobs");
      assert.equal(report.status, 0);
      assert.equal(found(report, "rights", "teams/people").state, "ok");
      assert.equal(found(report, "rights", "teams/jobs").state, "ok");
    });

    it("tells a mount that is not there", async () => {
      const report = await examined("secrets", "--mount", "nowhere");
      assert.equal(report.status, 1);
      const [problem] = report.findings.filter(({ state }) => state === "problem");
      assert.equal(problem?.code, "HTTP_404");
      assert.match(problem.advice ?? "", /^Name the mount/);
    });

    it("calls a token wrong that may do nothing at all", async () => {
      restrict({ access: "none" });
      const report = await examined("secrets");
      // Where a token can look itself up, that proves it valid.
      assert.equal(found(report, "token").state, dialect === "documented" ? "problem" : "ok");
    });
  });
}

describe("doctor: what the product says about a token", () => {
  const at = useEmulator("hashicorp");
  const restrict = (options: Parameters<typeof at.emulator.secrets.addToken>[0]): void =>
    at.surround({ SECRETS_TOKEN: at.emulator.secrets.addToken(options) });

  it("names it, its policies and its end", async () => {
    restrict({ displayName: "ci", policies: ["default", "deploy"], ttl: "10h" });
    const { state, message } = found(await examined("secrets"), "token");
    assert.equal(state, "ok");
    assert.match(message, /^valid, belongs to ci, policies default and deploy, expires in (?:9|10) hours$/);
  });

  it("warns of one that ends soon, and knows one that has ended", async () => {
    restrict({ ttl: "10m" });
    const soon = await examined("secrets");
    assert.deepEqual([soon.status, found(soon, "token").code], [0, "ENDS_SOON"]);
    at.emulator.advance("10m");
    const ended = await examined("secrets");
    assert.deepEqual([ended.status, found(ended, "token").state], [1, "problem"]);
  });

  it("believes a valid token that may not look itself up", async () => {
    at.emulator.faults.add({
      service: "secrets",
      path: "/v1/auth/token/lookup-self",
      status: 403,
      body: { errors: ["permission denied"] },
    });
    const report = await examined("secrets");
    assert.deepEqual([report.status, found(report, "token").message], [0, "valid, may list entity aliases"]);
  });

  for (const [state, code] of [
    [{ initialized: true, sealed: true }, "SEALED"],
    [{ initialized: false, sealed: true }, "NOT_INITIALIZED"],
  ] as const) {
    it(`reports a server that is ${code.toLowerCase().replace("_", " ")}, and sends no more requests`, async () => {
      at.emulator.faults.add({ service: "secrets", status: 503, body: { ...state, version: "1.19.0+ent" } });
      const report = await examined("secrets");
      assert.deepEqual(report.product, { name: "Vault Enterprise", version: "1.19.0+ent" });
      assert.deepEqual(brief(report).at(-1), `problem product ${code}`);
      assert.equal(at.emulator.journal.requests().length, 1);
    });
  }
});

describe("doctor: a login", () => {
  const at = useEmulator("hashicorp");
  const login = (jwt: string): void =>
    at.surround({ SECRETS_TOKEN: "", SECRETS_LOGIN: JSON.stringify({ path: "jwt", role: "ci", jwt }) });
  const identity = "identity-of-the-job";

  beforeEach(() => {
    at.emulator.secrets.addLogin({ path: "jwt", parameters: { role: "ci", jwt: identity }, ttl: "30m" });
  });

  it("is named, with the time until which its token is valid", async () => {
    login(identity);
    const report = await examined("secrets");
    assert.equal(report.status, 0);
    const { state, message } = found(report, "token");
    assert.equal(state, "ok");
    assert.match(message, /expires in 29 minutes, valid until \d{4}-/);
    assert.match(
      JSON.stringify(report),
      /"name":"login","source":"the environment variable SECRETS_LOGIN".*"value":"jwt"/,
    );
    assert.ok(!JSON.stringify(report).includes(identity));
  });

  it("is the problem if the service refuses it", async () => {
    login("identity-of-somebody-else");
    const report = await examined("secrets");
    assert.equal(report.status, 1);
    const { state, message, advice } = found(report, "token");
    assert.equal(state, "problem");
    assert.match(message, /^the login returned 400: error validating token/);
    assert.match(advice ?? "", /SECRETS_LOGIN/);
  });
});
