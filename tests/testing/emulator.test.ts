import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Emulator, type EmulatorSeed, startEmulator } from "../../sdk/testing";
import { EmulatorClock } from "../../sdk/testing/clock";
import { toMilliseconds } from "../../sdk/testing/duration";
import { useEmulator } from "../support/use-emulator";
import { at, call, until } from "./call";

const started: Emulator[] = [];
const start: typeof startEmulator = async (options) => {
  const emulator = await startEmulator(options);
  started.push(emulator);
  return emulator;
};
afterEach(async () => {
  await Promise.all(started.splice(0).map(async (emulator) => emulator.close()));
});
const portOf = ({ address }: { readonly address: string }): number => Number(new URL(address).port);
const node = { topic: "Node", type: "NodeRegistration", key: "n1" } as const;

describe("startEmulator", () => {
  it("startEmulator takes fixed tokens, a host and ports, and names them in the environment with other dialects", async () => {
    const first = await start({ tokens: { secrets: "fixed" }, host: "localhost" });
    assert.match(first.secrets.address, /^http:\/\/localhost:\d+$/);
    assert.equal((await call(first, "secrets", "GET", "/v1/x", { token: "fixed" })).status, 404);
    await first.close();
    const ports = { scheduler: portOf(first.secrets) };
    const second = await start({ ports, dialect: { scheduler: "hashicorp", secrets: "documented" } });
    assert.notEqual(second.secrets.token, second.scheduler.token);
    second.provisioning.rotateToken();
    assert.deepEqual(second.environment, {
      PROVISIONING_ADDR: second.provisioning.address,
      PROVISIONING_TOKEN: second.provisioning.token,
      SECRETS_ADDR: second.secrets.address,
      SECRETS_TOKEN: second.secrets.token,
      SCHEDULER_ADDR: `http://127.0.0.1:${ports.scheduler}`,
      SCHEDULER_TOKEN: second.scheduler.token,
      SCHEDULER_DIALECT: "hashicorp",
    });
  });

  it("startEmulator fails when a port is taken or a key is none, and leaves nothing running", async () => {
    const provisioning = portOf((await start()).provisioning);
    const free = await start();
    await free.close();
    const secrets = portOf(free.secrets);
    await assert.rejects(startEmulator({ ports: { provisioning, secrets } }), { code: "EADDRINUSE" });
    await start({ ports: { secrets } });
    await assert.rejects(startEmulator({ tls: { key: "x", certificate: "y" } }), /PEM/);
  });
});

describe("a running emulator", () => {
  const emulator = useEmulator({ frozenAt: new Date(0), resets: false });
  const collection = "/api/v2/organizations/acme/projects";
  beforeEach(() => {
    emulator.reset();
    emulator.provisioning.addOrganization({ name: "acme" });
  });

  it("the emulator shows copies of its state", () => {
    const inspection = emulator.inspect();
    assert.deepEqual(JSON.parse(JSON.stringify(inspection)), inspection);
    Reflect.set(inspection.provisioning.projects[0] ?? {}, "name", "changed");
    assert.equal(emulator.inspect().provisioning.projects[0]?.name, "Default Project");
  });

  it("reset puts everything back to the start, except the addresses", async () => {
    emulator.reset();
    const [before, empty] = [emulator.environment, emulator.inspect()];
    emulator.provisioning.addOrganization({ name: "acme" });
    const token = emulator.provisioning.addToken();
    emulator.scheduler.rotateToken();
    emulator.events.emit(node);
    emulator.faults.add({ status: 500, times: 5 });
    await call(emulator, "secrets", "GET", "/v1/x");
    emulator.advance("1h");

    emulator.reset();

    assert.deepEqual(
      [emulator.inspect(), emulator.environment, emulator.now().getTime()],
      [empty, before, 0],
    );
    assert.deepEqual([emulator.journal.requests(), emulator.secrets.statistics.requests], [[], 0]);
    assert.equal((await call(emulator, "secrets", "GET", "/v1/x")).status, 404);
    assert.equal((await call(emulator, "provisioning", "GET", collection, { token })).status, 401);
    assert.equal(emulator.events.emit(node), 1);
  });

  for (const fault of [{ delay: "1h" }, { delay: "1h", when: "after" }, { latency: 5 }] as const) {
    it(`reset cuts a request under way, held up by ${JSON.stringify(fault)}`, async () => {
      const stall = emulator.faults.add(fault);
      const body = { data: { type: "projects", attributes: { name: "web" } } };
      const reply = call(emulator, "provisioning", "POST", collection, { body });
      await until(() => stall.hits === 1);
      emulator.reset();
      emulator.provisioning.addOrganization({ name: "acme" });
      await assert.rejects(reply);
      assert.equal(emulator.inspect().provisioning.projects.length, 1);
    });
  }

  it("close ends what is under way at once, also while a service refuses connections, and can be repeated", async () => {
    const closing = await start();
    const stall = closing.faults.add({ service: "provisioning", delay: "forever" });
    const reply = call(closing, "provisioning", "GET", collection);
    await until(() => stall.hits === 1);
    closing.faults.add({ service: "secrets", refuse: true });
    closing.faults.add({ service: "scheduler", refuse: true }).remove();
    await Promise.all([closing.close(), assert.rejects(reply)]);
    await closing.close();
    await assert.rejects(
      call(closing, "secrets", "GET", "/v1/x"),
      (error) => at(error, "cause", "code") === "ECONNREFUSED",
    );
    await start({ ports: { scheduler: portOf(closing.scheduler) } });
  });

  it("close leaves nothing that keeps the process alive", function () {
    this.timeout(60_000);
    const program = `
        const { startEmulator } = require("./sdk/testing");
        startEmulator().then(async (emulator) => {
          emulator.faults.add({ latency: "1h" });
          emulator.faults.add({ service: "secrets", refuse: "1h" });
          const reply = fetch(emulator.provisioning.address).catch(() => "cut");
          while (emulator.journal.count() === 0) await new Promise((resolve) => setImmediate(resolve));
          await emulator.close();
          console.log(await reply);
        });`;
    const options = { cwd: join(__dirname, "../.."), encoding: "utf8", timeout: 50_000 } as const;
    const parameters = ["-r", "ts-node/register", "-e", program];
    const { stdout, stderr, status } = spawnSync(process.execPath, parameters, options);
    assert.deepEqual([stdout, stderr, status], ["cut\n", "", 0]);
  });
});

describe("the emulator's time", () => {
  it("the emulator's time fires timers in the order of their time, each at its own time, and repeated ones as often as due", () => {
    const clock = new EmulatorClock(0);
    const fired: string[] = [];
    const note = (what: string): number => fired.push(`${what} at ${clock.now()}`);
    const repeat = (): void => void (note("repeated"), clock.after(40, repeat));
    clock.after(30, () => note("second"));
    clock.after(20, () => note("first"));
    clock.after(500, () => note("never"));
    clock.after(40, repeat);
    clock.advance(100);
    assert.deepEqual(fired, ["first at 20", "second at 30", "repeated at 40", "repeated at 80"]);
    assert.equal(clock.now(), 100);
  });

  it("the emulator's time runs by itself unless it is frozen", async () => {
    // Its own timers keep no process alive, so the test has to.
    const alive = setInterval(() => undefined, 1_000);
    await new Promise<void>((resolve) => void new EmulatorClock(undefined).after(1, resolve));
    clearInterval(alive);
  });

  it("the emulator's time is advanced by milliseconds, or by numbers with units", () => {
    assert.deepEqual([1500, "500ms", "1.5m", "1h30m5s"].map(toMilliseconds), [1500, 500, 90_000, 5_405_000]);
    for (const duration of ["", "30", "h", "1 h", "-1s", "1w", "forever", -1, Number.NaN, Infinity]) {
      assert.throws(() => toMilliseconds(duration), { name: "RangeError", message: /is not a duration/ });
    }
  });
});

describe("a seed", () => {
  it("a seed is what the services have from the start and after a reset, whatever the order of its lists", async () => {
    const seed: EmulatorSeed = {
      organizations: [
        { name: "acme", defaultProjectId: "prj-default", ownerIds: ["ada", "user-bob"] },
        { name: "platform", moduleConsumers: ["acme", "search"], providerConsumers: ["acme"] },
        { name: "search" },
      ],
      users: [{ id: "user-ada", username: "ada", organization: ["acme", "search"] }, { id: "user-bob" }],
      projects: [{ id: "prj-payments", organization: "acme", name: "payments" }],
      workspaces: [{ id: "ws-api", organization: "acme", project: "payments", name: "api" }],
      mounts: [{ type: "directory", path: "teams/ldap", defaultLeaseTtl: "1h" }],
      entities: [{ id: "entity-alice", name: "alice", metadata: { team: "payments" } }],
      totpMethods: [{ id: "method-acme", issuer: "Acme", algorithm: "SHA256" }],
      enforcements: [{ name: "all", methodIds: ["method-acme"] }],
      passwordPolicies: [{ name: "long", length: 40 }],
      directoryEntries: [{ dn: "cn=bind,dc=acme,dc=example" }, { dn: "dc=acme,dc=example" }],
      schedulerPolicies: [{ name: "readers", readNodes: true, readJobs: "*" }],
      events: [{ ...node, payload: { Node: { ID: "n1" } } }],
    };
    const emulator = await start({ seed });
    const contents = (): unknown[] => {
      const { provisioning, secrets, scheduler } = emulator.inspect();
      return [
        ...provisioning.organizations.flatMap((each) => [each.ownerIds.join(), each.moduleConsumers.join()]),
        ...provisioning.users.map(({ organizations }) => organizations.join()),
        ...provisioning.workspaces.map(({ projectId }) => projectId),
        ...secrets.mounts.slice(3).map(({ defaultLeaseTtl }) => defaultLeaseTtl),
        ...secrets.entities.map(({ metadata }) => metadata["team"]),
        ...secrets.enforcements.map(({ methodIds }) => methodIds.join()),
        ...[...secrets.passwordPolicies, ...scheduler.policies].map(({ name }) => name),
        ...secrets.directoryEntries.map(({ dn }) => dn.length),
        ...scheduler.frames.map(({ Events }) => Events[0]?.Type),
      ];
    };
    const expected = [
      ...["user-ada,user-bob", "", "", "acme,search", "", ""],
      ...[
        "acme,search",
        "acme",
        "prj-payments",
        3_600,
        "payments",
        "method-acme",
        "long",
        "readers",
        10,
        18,
        26,
      ],
      ...["ACLPolicyUpserted", "NodeRegistration"],
    ];
    assert.deepEqual(contents(), expected);
    emulator.provisioning.removeOrganization("acme");
    emulator.reset();
    assert.deepEqual(contents(), expected);
  });

  const none = 'cannot be set up: The emulator has no organization "none".';
  for (const [invalid, message] of [
    [
      { organizations: [{ name: "acme" }, { nmae: "a", name: "a" }] },
      "seed.organizations[1].nmae is not a valid member; did you mean name?",
    ],
    [
      { users: [{ qqq: 1 }] },
      "seed.users[0].qqq is not a valid member; expected one of id, username, organization",
    ],
    [{ workspaces: [{ name: "web" }] }, "seed.workspaces[0].organization is missing"],
    [{ entities: [{ metadata: { team: 1 } }] }, "seed.entities[0].metadata.team must be a string"],
    [null, "seed must be an object"],
    [
      { totpMethods: [{ issuer: "a", algorithm: "MD5" }] },
      'seed.totpMethods[0].algorithm must be "SHA1" or "SHA256" or "SHA512"',
    ],
    [
      { users: [{ id: 1 }], entities: "alice" },
      "The seed is not valid: seed.users[0].id must be a string of at least one character; " +
        "seed.entities must be a list",
    ],
    [{ workspaces: [{ organization: "none" }] }, `seed.workspaces[0] ${none}`],
    [
      { users: [{ id: "user-1" }, { id: "user-1" }] },
      'seed.users[1] cannot be set up: The emulator already has the user "user-1".',
    ],
  ] as const) {
    it(`a seed is refused: ${message}`, () =>
      assert.rejects(start({ seed: invalid as unknown as EmulatorSeed }), { message }));
  }
});
