import assert from "node:assert/strict";
import type { Fault } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";
import { stopServers } from "../../http/server";
import { startRawScheduler } from "../../scheduler/raw-scheduler";
import { useEmulator } from "../../support/use-emulator";
import { until } from "../../testing/call";
import { brief, doctor, examined, found } from "./doctor";

const lookUp = { service: "secrets", path: "/v1/auth/token/lookup-self" } as const;
const aliases = { service: "secrets", path: "/v1/identity/entity-alias/id" } as const;
const stream = { service: "scheduler", path: "/v1/event/stream" } as const;
const denied = { status: 403, body: { errors: ["permission denied"] } };

for (const dialect of ["documented", "hashicorp"] as const) {
  describe(`doctor: the services, ${dialect}`, () => {
    const emulator = useEmulator({ dialect });
    useEnvironment(() => emulator.environment);

    it("doctor does not call a token invalid because the service fails", async () => {
      emulator.faults.add({ service: "provisioning", status: 500, skip: 1, times: 100 });
      const report = await examined("provisioning");
      const { code, message, advice } = found(report, "token");
      assert.deepEqual([report.status, code, advice], [1, "HTTP_500", undefined]);
      assert.doesNotMatch(message, /rejects/);
    });

    it("doctor reports that a service is rate limiting", async () => {
      emulator.faults.add({ service: "provisioning", status: 429, times: 100 });
      assert.match(brief(await examined("provisioning")).join(), /problem \w+ HTTP_429/);
    });

    for (const [paths, what, status, state] of [
      [{ "ldap/": "full" }, "is allowed to read one of its lists", 0, "ok"],
      // Where a token can look itself up, that proves it valid.
      [{}, "is not allowed to do anything", ...(dialect === "documented" ? [1, "problem"] : [0, "ok"])],
    ] as const) {
      it(`doctor reports ${state} for the token of a secrets service that ${what}`, async () => {
        process.env.SECRETS_TOKEN = emulator.secrets.addToken({ access: "none", paths });
        const report = await examined("secrets");
        assert.deepEqual([report.status, found(report, "token").state], [status, state]);
      });
    }
  });
}

describe("doctor: what the documented services say about a token", function () {
  this.timeout(30_000);

  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);
  afterEach(stopServers);
  const tokenOf = async (service: string): Promise<string> => found(await examined(service), "token").message;

  it("doctor reports whether a token can administer organizations", async () => {
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ access: "full" });
    assert.equal(await tokenOf("provisioning"), "valid, can administer organizations");
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ access: "read" });
    const classes = "AdminOrganization, ModuleConsumers and ProviderConsumers";
    const message = `valid, but cannot administer organizations, which ${classes} require`;
    assert.equal(await tokenOf("provisioning"), message);
  });

  for (const [service, path] of [
    ["provisioning", "/api/v2/ping"],
    ["secrets", "/v1/sys/health"],
    ["scheduler", "/v1/status/leader"],
  ] as const) {
    for (const fault of [undefined, { drop: "before" }, { status: 500 }, { status: 302 }] as const) {
      it(`doctor sends undocumented requests to the ${service} service last, whatever they return: ${JSON.stringify(fault)}`, async () => {
        if (fault !== undefined) {
          emulator.faults.add({ service, path, ...fault, times: 9 });
        }
        assert.deepEqual(brief(await examined(service)).at(-1), "ok token");
        const paths = emulator.journal.requests({ service }).map((request) => request.path);
        assert.equal(paths.indexOf(path), paths.length - 1);
      });
    }
  }

  it("doctor can follow all topics with a management token, and leaves no stream open", async () => {
    assert.equal(await tokenOf("scheduler"), "valid, can read the event stream of all topics");
    await until(() => emulator.inspect().scheduler.subscriptions.length === 0);
  });

  for (const refusal of ["status", "silence"] as const) {
    it(`doctor reports which topics a token can follow when others are rejected with ${refusal}`, async () => {
      emulator.events.refusal = refusal;
      const passing = setInterval(() => emulator.advance("5s"), 100);
      process.env.SCHEDULER_TOKEN = emulator.scheduler.addToken({ access: { readNodes: true } });
      assert.equal(await tokenOf("scheduler"), "valid, can read the event stream of nodes");
      process.env.SCHEDULER_NAMESPACE = "team";
      process.env.SCHEDULER_TOKEN = emulator.scheduler.addToken({ access: { readJobs: ["team"] } });
      assert.equal(await tokenOf("scheduler"), "valid, can read the event stream of jobs");
      process.env.SCHEDULER_TOKEN = "wrong-token";
      const report = await examined("scheduler").finally(() => clearInterval(passing));
      assert.deepEqual([report.status, found(report, "token").code], [1, "HTTP_403"]);
    });
  }

  for (const place of [aliases, stream]) {
    it(`doctor only warns about a ${place.service} service that fails, and sends it no further requests`, async () => {
      const fault = emulator.faults.add({ ...place, status: 502, body: "bad gateway", times: 9 });
      const report = await examined(place.service);
      const actual = [report.status, brief(report).at(-1), found(report, "token").advice];
      assert.deepEqual(actual, [0, "warning token HTTP_502", undefined]);
      assert.equal(fault.hits, 2, "without the token, and with it");
    });
  }

  it("doctor warns about a stream without data", async () => {
    emulator.faults.add({ ...stream, delay: "forever", times: 10 });
    process.env.SCHEDULER_REQUEST_TIMEOUT = "1s";
    const report = await examined("scheduler");
    assert.deepEqual([report.status, brief(report).at(-1)], [0, "warning token SILENT_STREAM"]);
  });

  it("doctor accepts a scheduler without a token, unless it requires one", async () => {
    process.env.SCHEDULER_TOKEN = "";
    const refused = await examined("scheduler");
    assert.deepEqual([refused.status, brief(refused).at(-1)], [1, "problem token HTTP_403"]);
    const advice = "Set token (trivium:schedulerToken, SCHEDULER_TOKEN).";
    assert.equal(found(refused, "token").advice, advice);
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
    assert.equal(found(open, "token").message, "none is set, can read the event stream of all topics");
  });
});

describe("doctor: what the products say about a token", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  useEnvironment(() => emulator.environment);
  const setToken = (options: Parameters<typeof emulator.secrets.addToken>[0]): void =>
    void (process.env.SECRETS_TOKEN = emulator.secrets.addToken(options));

  it("doctor names the user, and distinguishes an organization token from a user token", async () => {
    const tokenOf = async () => found(await examined("provisioning"), "token");
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ name: "jane" });
    assert.equal((await tokenOf()).message, "valid, belongs to jane");
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ serviceAccount: true });
    const { state, advice } = await tokenOf();
    assert.equal(state, "note");
    assert.match(advice ?? "", /cannot manage notification configurations/);
  });

  it("doctor shows a token's name, policies and expiry, warns about one that expires soon, and reports one that has expired", async () => {
    setToken({ displayName: "ci", policies: ["default", "deploy"], ttl: "10h" });
    const { state, message } = found(await examined("secrets"), "token");
    assert.equal(state, "ok");
    assert.match(message, /^valid, belongs to ci, policies default and deploy, valid until \d{4}-.*Z$/);
    setToken({ ttl: "10m" });
    assert.deepEqual(brief(await examined("secrets")).at(-1), "warning token ENDS_SOON");
    emulator.advance("10m");
    const ended = await examined("secrets");
    assert.deepEqual([ended.status, found(ended, "token").state], [1, "problem"]);
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

  it("doctor reports that a server is a standby, which might redirect", async () => {
    const body = { initialized: true, sealed: false, standby: true, version: "2.6.2" };
    for (const status of [200, 474]) {
      emulator.faults.add({ path: "/v1/sys/health", status, body });
      const { state, code, message } = found(await examined("secrets"), "product");
      const expected = ["warning", "STANDBY", "Vault or OpenBao 2.6.2, a standby server"];
      assert.deepEqual([state, code, message], expected);
    }
  });

  it("doctor shows a login with the expiry of its token, or why it is rejected", async () => {
    const logIn = (jwt: string) => {
      const SECRETS_LOGIN = JSON.stringify({ path: "jwt", role: "ci", jwt });
      Object.assign(process.env, { SECRETS_TOKEN: "", SECRETS_LOGIN });
      return examined("secrets");
    };
    const identity = "identity-of-the-job";
    emulator.secrets.addLogin({ path: "jwt", parameters: { role: "ci", jwt: identity }, ttl: "30m" });
    const report = await logIn(identity);
    assert.deepEqual([report.status, brief(report).at(-1)], [0, "ok token"]);
    assert.match(found(report, "token").message, /valid until \d{4}-/);
    const source = "the environment variable SECRETS_LOGIN";
    const shown = report.settings.find(({ name }) => name === "login");
    assert.deepEqual(shown, { name: "login", source, secret: true, value: "jwt" });
    assert.ok(!JSON.stringify(report).includes(identity));
    const { state, message, advice = "" } = found(await logIn("identity-of-somebody-else"), "token");
    assert.match(`${state}: ${message}`, /^problem: Could not log in.* returned 400: error validating token/);
    assert.match(advice, /SECRETS_LOGIN/);
    emulator.faults.add({ service: "secrets", path: "/v1/auth/jwt/login", status: 200, body: { auth: {} } });
    assert.equal(brief(await logIn(identity)).at(-1), "problem token", "a login that returns no token");
  });

  it("doctor shows the scheduler's version if the token is allowed to read it", async () => {
    assert.deepEqual((await examined("scheduler")).product, { name: "Nomad", version: "2.0.5" });
    process.env.SCHEDULER_TOKEN = emulator.scheduler.addToken({ access: { readNodes: true } });
    const report = await examined("scheduler");
    assert.deepEqual(report.product, { name: "Nomad", version: null });
    assert.match(found(report, "token").message, /^valid, ".*", a client token$/);
    process.env.SCHEDULER_TOKEN = "wrong-token";
    assert.equal((await doctor("scheduler")).status, 1);
    assert.equal(found(await examined("scheduler"), "token").state, "problem");
  });

  const details = { service: "provisioning", path: "/api/v2/account/details" } as const;
  const self = { service: "scheduler", path: "/v1/acl/token/self" } as const;
  const leader = { service: "scheduler", path: "/v1/status/leader" } as const;
  const unknown = { status: 404, body: "refused" };
  const broken = { status: 502, body: "refused" };
  const noLeader = { status: 500, body: "No cluster leader" };
  const noTokens = { status: 400, body: "ACL support disabled" };
  const lists = "valid, can list entity aliases";
  const follows = "valid, can read the event stream of all topics";
  const failure = "returned 502: refused";
  const failing: readonly (readonly [string, readonly Fault[], status: number, string, message?: string])[] =
    [
      ["returns no details", [{ ...details, ...unknown }], 0, "ok token", "valid"],
      ["has no tokens", [{ ...self, ...unknown }], 0, "ok token", follows],
      ["fails", [{ ...self, ...broken }], 0, "warning token HTTP_502", failure],
      ["has no lookup", [{ ...lookUp, ...unknown }], 0, "ok token", lists],
      ["fails a lookup", [{ ...lookUp, ...broken }], 0, "ok token", lists],
      ["does not allow a lookup", [{ ...lookUp, ...denied }], 0, "ok token", lists],
      [
        "fails a list",
        [lookUp, aliases].map((at) => ({ ...at, ...broken })),
        0,
        "warning token HTTP_502",
        failure,
      ],
      ["has no leader", [{ ...leader, ...noLeader }], 1, "problem product HTTP_500"],
      ["does not check tokens", [{ ...self, ...noTokens }], 0, "note token"],
    ];
  for (const [what, faults, status, finding, message] of failing) {
    const service = faults[0]?.service ?? "secrets";
    it(`doctor finds ${finding} where the ${service} service ${what}`, async () => {
      faults.forEach((fault) => emulator.faults.add(fault));
      const report = await examined(service);
      assert.deepEqual([report.status, brief(report).at(-1)], [status, finding]);
      if (message !== undefined) {
        const token = found(report, "token");
        assert.deepEqual([token.message, token.advice], [message, undefined]);
      }
    });
  }
});
