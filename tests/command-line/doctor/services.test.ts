import assert from "node:assert/strict";
import { useEnvironment } from "../../connection/environment";
import { stopServers } from "../../http/server";
import { startRawScheduler } from "../../scheduler/raw-scheduler";
import { useEmulator } from "../../support/use-emulator";
import { until } from "../../testing/call";
import { brief, doctor, examined, found } from "./doctor";

for (const dialect of ["documented", "hashicorp"] as const) {
  describe(`doctor: the services, ${dialect}`, () => {
    const emulator = useEmulator({ dialect });
    useEnvironment(() => emulator.environment);
    it("doctor does not call a token wrong because the service fails", async () => {
      emulator.faults.add({ service: "provisioning", status: 500, skip: 1, times: 100 });
      const report = await examined("provisioning");
      assert.deepEqual([report.status, found(report, "token").code], [1, "HTTP_500"]);
      assert.doesNotMatch(found(report, "token").message, /rejects/);
      assert.equal(found(report, "token").advice, undefined);
    });

    it("doctor says that a server is a standby, which may redirect", async () => {
      const body = { initialized: true, sealed: false, standby: true, version: "2.6.2" };
      for (const status of [200, 474]) {
        emulator.faults.add({ path: "/v1/sys/health", status, body });
        const report = await examined("secrets");
        if (dialect === "hashicorp") {
          const { state, code, message } = found(report, "product");
          const actual = [state, code, message];
          assert.deepEqual(actual, ["warning", "STANDBY", "Vault or OpenBao 2.6.2, a standby server"]);
        }
      }
    });

    it("doctor reports that a service is asked too often", async () => {
      emulator.faults.add({ service: "provisioning", status: 429, times: 100 });
      assert.match(brief(await examined("provisioning")).join(), /problem \w+ HTTP_429/);
    });

    it("doctor needs one list of the secrets service that the token may read", async () => {
      const access = { access: "none", paths: { "ldap/": "full" } } as const;
      process.env.SECRETS_TOKEN = emulator.secrets.addToken(access);
      const report = await examined("secrets");
      assert.deepEqual([report.status, found(report, "token").state], [0, "ok"]);
    });

    it("doctor calls a token wrong that may do nothing at all", async () => {
      process.env.SECRETS_TOKEN = emulator.secrets.addToken({ access: "none" });
      const report = await examined("secrets");
      // Where a token can look itself up, that proves it valid.
      assert.equal(found(report, "token").state, dialect === "documented" ? "problem" : "ok");
    });
  });
}

describe("doctor: what the documented services say about a token", function () {
  this.timeout(30_000);

  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);
  afterEach(stopServers);
  const tokenOf = async (service: string): Promise<string> => found(await examined(service), "token").message;

  for (const [access, message] of [
    ["full", "valid, may administer organizations"],
    [
      "read",
      "valid, may not administer organizations, which AdminOrganization, ModuleConsumers and ProviderConsumers require",
    ],
  ] as const) {
    it(`doctor tells whether it may administer organizations with ${access} access`, async () => {
      process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ access, name: "jane" });
      assert.equal(await tokenOf("provisioning"), message);
    });
  }

  for (const [service, path] of [
    ["provisioning", "/api/v2/ping"],
    ["secrets", "/v1/sys/health"],
    ["scheduler", "/v1/status/leader"],
  ] as const) {
    for (const fault of [undefined, { drop: "before" }, { status: 500 }, { status: 302 }] as const) {
      it(`doctor asks the ${service} service what no document has last, whatever that returns: ${JSON.stringify(fault)}`, async () => {
        if (fault !== undefined) {
          emulator.faults.add({ service, path, ...fault, times: 9 });
        }
        assert.deepEqual(brief(await examined(service)).at(-1), "ok token");
        const paths = emulator.journal.requests({ service }).map((request) => request.path);
        assert.equal(paths.indexOf(path), paths.length - 1);
      });
    }
  }

  it("doctor follows everything with a management token, and leaves no stream open", async () => {
    assert.equal(await tokenOf("scheduler"), "valid, may read the event stream of all topics");
    await until(() => emulator.inspect().scheduler.subscriptions.length === 0);
  });

  for (const refusal of ["status", "silence"] as const) {
    it(`doctor tells what can be followed when others are refused with ${refusal}`, async () => {
      emulator.events.refusal = refusal;
      process.env.SCHEDULER_TOKEN = emulator.scheduler.addToken({ access: { readNodes: true } });
      assert.equal(await tokenOf("scheduler"), "valid, may read the event stream of nodes");
      process.env.SCHEDULER_NAMESPACE = "team";
      process.env.SCHEDULER_TOKEN = emulator.scheduler.addToken({ access: { readJobs: ["team"] } });
      assert.equal(await tokenOf("scheduler"), "valid, may read the event stream of jobs");
      process.env.SCHEDULER_TOKEN = "wrong-token";
      const report = await examined("scheduler");
      assert.deepEqual([report.status, found(report, "token").code], [1, "HTTP_403"]);
    });
  }

  for (const [service, path] of [
    ["secrets", "/v1/identity/entity-alias/id"],
    ["scheduler", "/v1/event/stream"],
  ] as const) {
    it(`doctor only warns of a ${service} service that fails, and asks it no more`, async () => {
      const fault = emulator.faults.add({ service, path, status: 502, body: "bad gateway", times: 9 });
      const report = await examined(service);
      const { advice } = found(report, "token");
      assert.deepEqual(
        [report.status, brief(report).at(-1), advice],
        [0, "warning token HTTP_502", undefined],
      );
      assert.equal(fault.hits, 2, "without the token, and with it");
    });
  }

  it("doctor warns of a stream that brings nothing", async () => {
    emulator.faults.add({ service: "scheduler", path: "/v1/event/stream", delay: "forever", times: 10 });
    process.env.SCHEDULER_REQUEST_TIMEOUT = "1s";
    const report = await examined("scheduler");
    assert.deepEqual([report.status, brief(report).at(-1)], [0, "warning token SILENT_STREAM"]);
  });

  it("doctor accepts a scheduler without a token, unless it requires one", async () => {
    process.env.SCHEDULER_TOKEN = "";
    const refused = await examined("scheduler");
    assert.deepEqual([refused.status, brief(refused).at(-1)], [1, "problem token HTTP_403"]);
    assert.match(
      found(refused, "token").advice ?? "",
      /^Set token \(trivium:schedulerToken, SCHEDULER_TOKEN\)\.$/,
    );
    const { address } = await startRawScheduler((request) => {
      request.begin();
      request.write("{}\n");
      if (!request.head.includes("/event/stream")) {
        request.end();
      }
    });
    process.env.SCHEDULER_ADDR = address;
    const open = await examined("scheduler");
    assert.equal(open.status, 0);
    assert.equal(found(open, "token").message, "none is set, may read the event stream of all topics");
  });
});

describe("doctor: what the products say about a token", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  useEnvironment(() => emulator.environment);
  const tokenOf = async (service: string) => found(await examined(service), "token");
  const restrict = (options: Parameters<typeof emulator.secrets.addToken>[0]): void =>
    void (process.env.SECRETS_TOKEN = emulator.secrets.addToken(options));

  it("doctor names the user, and tells the token of an organization from a person's", async () => {
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ name: "jane" });
    assert.equal((await tokenOf("provisioning")).message, "valid, belongs to jane");
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ serviceAccount: true });
    const { state, advice } = await tokenOf("provisioning");
    assert.equal(state, "note");
    assert.match(advice ?? "", /cannot manage notification configurations/);
  });

  it("doctor names a token, its policies and its end", async () => {
    restrict({ displayName: "ci", policies: ["default", "deploy"], ttl: "10h" });
    const { state, message } = await tokenOf("secrets");
    assert.equal(state, "ok");
    assert.match(message, /^valid, belongs to ci, policies default and deploy, valid until \d{4}-.*Z$/);
  });

  it("doctor warns of a token that ends soon, and knows one that has ended", async () => {
    restrict({ ttl: "10m" });
    const soon = await examined("secrets");
    assert.deepEqual([soon.status, found(soon, "token").code], [0, "ENDS_SOON"]);
    emulator.advance("10m");
    const ended = await examined("secrets");
    assert.deepEqual([ended.status, found(ended, "token").state], [1, "problem"]);
  });

  it("doctor believes a valid token that may not look itself up", async () => {
    const path = "/v1/auth/token/lookup-self";
    const body = { errors: ["permission denied"] };
    emulator.faults.add({ service: "secrets", path, status: 403, body });
    const report = await examined("secrets");
    assert.deepEqual([report.status, found(report, "token").message], [0, "valid, may list entity aliases"]);
  });

  for (const [state, code] of [
    [{ initialized: true, sealed: true }, "SEALED"],
    [{ initialized: false, sealed: true }, "NOT_INITIALIZED"],
  ] as const) {
    it(`doctor reports a server that is ${code.toLowerCase().replace("_", " ")}, and sends no more requests`, async () => {
      emulator.faults.add({ service: "secrets", status: 503, body: { ...state, version: "1.19.0+ent" } });
      const report = await examined("secrets");
      assert.deepEqual(report.product, { name: "Vault Enterprise", version: "1.19.0+ent" });
      assert.deepEqual(brief(report).at(-1), `problem product ${code}`);
      assert.equal(emulator.journal.requests().length, 1);
    });
  }

  it("doctor names a login, with the time until which its token is valid, or what refuses it", async () => {
    const login = (jwt: string): void => {
      Object.assign(process.env, {
        SECRETS_TOKEN: "",
        SECRETS_LOGIN: JSON.stringify({ path: "jwt", role: "ci", jwt }),
      });
    };
    const identity = "identity-of-the-job";
    emulator.secrets.addLogin({ path: "jwt", parameters: { role: "ci", jwt: identity }, ttl: "30m" });
    login(identity);
    const report = await examined("secrets");
    assert.deepEqual([report.status, found(report, "token").state], [0, "ok"]);
    assert.match(found(report, "token").message, /valid until \d{4}-/);
    const source = "the environment variable SECRETS_LOGIN";
    assert.deepEqual(
      report.settings.filter(({ name }) => name === "login"),
      [{ name: "login", source, secret: true, value: "jwt" }],
    );
    assert.ok(!JSON.stringify(report).includes(identity));
    login("identity-of-somebody-else");
    const { state, message, advice } = await tokenOf("secrets");
    assert.equal(state, "problem");
    assert.match(message, /^Could not log in.* returned 400: error validating token/);
    assert.match(advice ?? "", /SECRETS_LOGIN/);
  });

  it("doctor tells the version of the scheduler to those who may know it", async () => {
    assert.deepEqual((await examined("scheduler")).product, { name: "Nomad", version: "1.10.5" });
    process.env.SCHEDULER_TOKEN = emulator.scheduler.addToken({ access: { readNodes: true } });
    const report = await examined("scheduler");
    assert.deepEqual(report.product, { name: "Nomad", version: null });
    assert.match(found(report, "token").message, /^valid, ".*", a client token$/);
    process.env.SCHEDULER_TOKEN = "wrong-token";
    const { status } = await doctor("scheduler");
    assert.deepEqual([status, (await tokenOf("scheduler")).state], [1, "problem"]);
  });

  for (const [service, path, status, expected, message] of [
    ["provisioning", "/api/v2/account/details", 404, [0, "ok token"], "valid"],
    [
      "scheduler",
      "/v1/acl/token/self",
      404,
      [0, "ok token"],
      "valid, may read the event stream of all topics",
    ],
    ["scheduler", "/v1/acl/token/self", 502, [0, "warning token HTTP_502"], "returned 502: refused"],
    ["secrets", "/v1/auth/token/lookup-self", 404, [0, "ok token"], "valid, may list entity aliases"],
    ["secrets", "/v1/auth/token/lookup-self", 502, [0, "ok token"], "valid, may list entity aliases"],
  ] as const) {
    it(`doctor does not call a token wrong because a look-up of the ${service} service returns ${status}`, async () => {
      emulator.faults.add({ service, path, status, body: "refused" });
      const report = await examined(service);
      const token = found(report, "token");
      assert.deepEqual([report.status, brief(report).at(-1)], expected);
      assert.deepEqual([token.message, token.advice], [message, undefined]);
    });
  }

  it("doctor warns of a secrets service that fails once the token may not look itself up", async () => {
    const path = "/v1/auth/token/lookup-self";
    emulator.faults.add({ service: "secrets", path, status: 403, body: { errors: ["permission denied"] } });
    emulator.faults.add({
      service: "secrets",
      path: "/v1/identity/entity-alias/id",
      status: 502,
      body: "down",
    });
    const report = await examined("secrets");
    const { message, advice } = found(report, "token");
    assert.deepEqual([report.status, message, advice], [0, "returned 502: down", undefined]);
  });

  it("doctor reports a login that returns no token, without a code", async () => {
    const login = { path: "jwt", role: "ci", jwt: "identity-without-a-token" };
    Object.assign(process.env, { SECRETS_TOKEN: "", SECRETS_LOGIN: JSON.stringify(login) });
    emulator.faults.add({ service: "secrets", path: "/v1/auth/jwt/login", status: 200, body: { auth: {} } });
    const report = await examined("secrets");
    assert.deepEqual([report.status, brief(report).at(-1)], [1, "problem token"]);
  });

  for (const [what, path, status, body, expected] of [
    ["has no leader", "/v1/status/leader", 500, "No cluster leader", [1, "problem product HTTP_500"]],
    ["checks no tokens", "/v1/acl/token/self", 400, "ACL support disabled", [0, "note token"]],
  ] as const) {
    it(`doctor knows a scheduler that ${what}`, async () => {
      emulator.faults.add({ service: "scheduler", path, status, body });
      const report = await examined("scheduler");
      assert.deepEqual([report.status, brief(report).at(-1)], expected);
    });
  }
});
