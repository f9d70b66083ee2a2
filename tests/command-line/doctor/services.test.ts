import assert from "node:assert/strict";
import { until } from "../../testing/call";
import { brief, doctor, examined, found, useEmulator } from "./doctor";

for (const dialect of ["documented", "hashicorp"] as const) {
  describe(`doctor: the provisioning service, ${dialect}`, () => {
    const at = useEmulator(dialect);
    const restrict = (options: Parameters<typeof at.emulator.provisioning.addToken>[0]): void =>
      at.surround({ PROVISIONING_TOKEN: at.emulator.provisioning.addToken(options) });
    let workspace: string;
    beforeEach(() => {
      at.emulator.provisioning.addOrganization({ name: "acme" });
      at.emulator.provisioning.addOrganization({ name: "other" });
      workspace = at.emulator.provisioning.addWorkspace({ organization: "acme" }).id;
    });

    it("checks that the token may read what is named", async () => {
      const report = await examined("provisioning", "--organization", "acme", "--workspace", workspace);
      assert.equal(report.status, 0);
      assert.equal(found(report, "rights", "acme").state, "ok");
      assert.equal(found(report, "rights", workspace).state, "ok");
    });

    it("treats it as a problem when an organization or workspace that is named cannot be seen", async () => {
      restrict({ access: "none", organizations: { other: "full" } });
      const report = await examined(
        "provisioning",
        ...["--organization", "acme", "--organization", "other", "--workspace", workspace],
      );
      assert.equal(report.status, 1);
      assert.equal(found(report, "token").state, "ok");
      assert.equal(found(report, "rights", "other").state, "ok");
      for (const name of ["acme", workspace]) {
        const { state, code, advice } = found(report, "rights", name);
        assert.deepEqual([state, code], ["problem", "HTTP_404"]);
        assert.match(advice ?? "", /^Check the (?:name|id)/);
      }
    });

    it("does not call a token wrong because the service fails", async () => {
      at.emulator.faults.add({ service: "provisioning", status: 500, skip: 1, times: 100 });
      const report = await examined("provisioning");
      assert.deepEqual([report.status, found(report, "token").code], [1, "HTTP_500"]);
      assert.doesNotMatch(found(report, "token").message, /rejects/);
    });

    it("reports that it is asked too often", async () => {
      at.emulator.faults.add({ service: "provisioning", status: 429, times: 100 });
      assert.match(brief(await examined("provisioning")).join(), /problem \w+ HTTP_429/);
    });
  });
}

describe("doctor: the account behind a token", () => {
  for (const [access, message] of [
    ["full", "valid, may administer organizations"],
    ["read", "valid, may not administer organizations, which AdminOrganization and ModuleConsumers require"],
  ] as const) {
    describe(`with ${access} access, documented`, () => {
      const at = useEmulator("documented");

      it("says whether it may administer organizations", async () => {
        at.surround({ PROVISIONING_TOKEN: at.emulator.provisioning.addToken({ access, name: "jane" }) });
        assert.equal(found(await examined("provisioning"), "token").message, message);
      });
    });
  }

  describe("of a product", () => {
    const at = useEmulator("hashicorp");

    it("names the user", async () => {
      at.surround({ PROVISIONING_TOKEN: at.emulator.provisioning.addToken({ name: "jane" }) });
      assert.equal(found(await examined("provisioning"), "token").message, "valid, belongs to jane");
    });

    it("tells the token of an organization from a person's", async () => {
      at.surround({ PROVISIONING_TOKEN: at.emulator.provisioning.addToken({ serviceAccount: true }) });
      const { state, advice } = found(await examined("provisioning"), "token");
      assert.equal(state, "note");
      assert.match(advice ?? "", /cannot manage notification configurations/);
    });
  });
});

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

describe("doctor: the scheduler", function () {
  this.timeout(30_000);

  const at = useEmulator("documented");
  const restrict = (options: Parameters<typeof at.emulator.scheduler.addToken>[0]): void =>
    at.surround({ SCHEDULER_TOKEN: at.emulator.scheduler.addToken(options) });
  const tokenOf = async (): Promise<string> => found(await examined("scheduler"), "token").message;

  it("follows everything with a management token, and leaves no stream open", async () => {
    assert.equal(await tokenOf(), "valid, may read the event stream of all topics");
    await until(() => at.emulator.inspect().scheduler.subscriptions.length === 0);
  });

  for (const refusal of ["status", "silence"] as const) {
    it(`tells what can be followed when others are refused with ${refusal}`, async () => {
      at.emulator.events.refusal = refusal;
      restrict({ access: { readNodes: true } });
      assert.equal(await tokenOf(), "valid, may read the event stream of nodes");
      restrict({ access: { readJobs: ["default"] } });
      assert.equal(await tokenOf(), "valid, may read the event stream of jobs");
      assert.equal((await doctor("scheduler")).status, 0);
    });

    it(`calls a token wrong that is refused with ${refusal}`, async () => {
      at.emulator.events.refusal = refusal;
      at.surround({ SCHEDULER_TOKEN: "wrong-token" });
      const report = await examined("scheduler");
      assert.deepEqual([report.status, found(report, "token").state], [1, "problem"]);
    });
  }

  it("asks in the namespace of the settings", async () => {
    restrict({ access: { readJobs: ["team"] } });
    at.surround({ SCHEDULER_NAMESPACE: "team" });
    assert.equal(await tokenOf(), "valid, may read the event stream of jobs");
  });

  it("warns of a stream that brings nothing", async () => {
    at.emulator.faults.add({ service: "scheduler", path: "/v1/event/stream", delay: "forever", times: 10 });
    at.surround({ SCHEDULER_REQUEST_TIMEOUT: "1s" });
    const report = await examined("scheduler");
    const { state, code } = found(report, "token");
    assert.deepEqual([report.status, state, code], [0, "warning", "SILENT_STREAM"]);
  });
});

describe("doctor: what the scheduler says about itself", () => {
  const at = useEmulator("hashicorp");

  it("tells the version to those who may know it", async () => {
    assert.deepEqual((await examined("scheduler")).product, { name: "Nomad", version: "1.10.5" });
    at.surround({ SCHEDULER_TOKEN: at.emulator.scheduler.addToken({ access: { readNodes: true } }) });
    const report = await examined("scheduler");
    assert.deepEqual(report.product, { name: "Nomad", version: null });
    assert.match(found(report, "token").message, /^valid, ".*", a client token$/);
  });

  it("calls a token wrong that it does not know", async () => {
    at.surround({ SCHEDULER_TOKEN: "wrong-token" });
    const report = await examined("scheduler");
    assert.deepEqual([report.status, found(report, "token").state], [1, "problem"]);
  });

  it("reports that there is no leader", async () => {
    at.emulator.faults.add({
      service: "scheduler",
      path: "/v1/status/leader",
      status: 500,
      body: "No cluster leader",
    });
    const report = await examined("scheduler");
    assert.equal(report.status, 1);
    assert.ok(brief(report).includes("problem product HTTP_500"));
  });

  it("knows a scheduler that checks no tokens", async () => {
    at.emulator.faults.add({
      service: "scheduler",
      path: "/v1/acl/token/self",
      status: 400,
      body: "ACL support disabled",
    });
    const report = await examined("scheduler");
    assert.deepEqual([report.status, found(report, "token").state], [0, "note"]);
  });
});
