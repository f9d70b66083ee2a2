import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Emulator, type EmulatorSeed, startEmulator } from "../../sdk/testing";
import { EmulatorClock } from "../../sdk/testing/clock";
import { toMilliseconds } from "../../sdk/testing/duration";
import { at, call, until } from "./call";

describe("startEmulator", () => {
  const started: Emulator[] = [];
  const start: typeof startEmulator = async (options) => {
    const emulator = await startEmulator(options);
    started.push(emulator);
    return emulator;
  };
  afterEach(async () => {
    await Promise.all(started.splice(0).map(async (emulator) => emulator.close()));
  });
  const collection = "/api/v2/organizations/acme/projects";

  it("starts three services on free ports of this machine, each with a token of its own", async () => {
    const one = await start();
    const two = await start();
    const services = [one, two].flatMap(({ provisioning, secrets, scheduler }) => [
      provisioning,
      secrets,
      scheduler,
    ]);
    assert.equal(new Set(services.map(({ address }) => address)).size, 6);
    assert.equal(new Set(services.map(({ token }) => token)).size, 6);
    for (const { address, token } of services) {
      assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.match(token, /^\S{20,}$/);
    }
  });

  it("takes fixed tokens, a host and ports", async () => {
    const first = await start({ tokens: { secrets: "fixed" }, host: "localhost" });
    assert.equal(first.secrets.token, "fixed");
    assert.match(first.secrets.address, /^http:\/\/localhost:\d+$/);
    const port = Number(new URL(first.secrets.address).port);
    assert.equal((await call(first, "secrets", "GET", "/v1/x")).status, 404);
    await first.close();
    const second = await start({ ports: { scheduler: port } });
    assert.equal(second.scheduler.address, `http://127.0.0.1:${port}`);
  });

  it("fails when a port is taken, and leaves nothing running", async () => {
    const { provisioning } = await start();
    const port = Number(new URL(provisioning.address).port);
    const free = await start();
    const freePort = Number(new URL(free.secrets.address).port);
    await free.close();
    await assert.rejects(startEmulator({ ports: { provisioning: port, secrets: freePort } }), {
      code: "EADDRINUSE",
    });
    await start({ ports: { secrets: freePort } });
  });

  it("fails when the key and the certificate are none", async () => {
    await assert.rejects(startEmulator({ tls: { key: "x", certificate: "y" } }), /PEM/);
  });

  it("names addresses and tokens as environment variables", async () => {
    const emulator = await start();
    emulator.provisioning.rotateToken();
    const { provisioning, secrets, scheduler } = emulator;
    assert.deepEqual(emulator.environment, {
      PROVISIONING_ADDR: provisioning.address,
      PROVISIONING_TOKEN: provisioning.token,
      SECRETS_ADDR: secrets.address,
      SECRETS_TOKEN: secrets.token,
      SCHEDULER_ADDR: scheduler.address,
      SCHEDULER_TOKEN: scheduler.token,
    });
  });

  it("names dialects as environment variables, where they are not the documented one", async () => {
    const all = await start({ dialect: "hashicorp" });
    const one = await start({ dialect: { scheduler: "hashicorp", secrets: "documented" } });
    const dialects = ({ environment }: Emulator): unknown =>
      Object.fromEntries(Object.entries(environment).filter(([name]) => name.endsWith("_DIALECT")));
    assert.deepEqual(dialects(all), {
      PROVISIONING_DIALECT: "hashicorp",
      SECRETS_DIALECT: "hashicorp",
      SCHEDULER_DIALECT: "hashicorp",
    });
    assert.deepEqual(dialects(one), { SCHEDULER_DIALECT: "hashicorp" });
    assert.equal(Object.keys(one.environment).length, 7);
  });

  it("has a clock that can be frozen and advanced", async () => {
    const emulator = await start({ frozenAt: new Date("2030-01-01T00:00:00Z") });
    emulator.advance("1h30m");
    emulator.advance(1);
    assert.equal(emulator.now().toISOString(), "2030-01-01T01:30:00.001Z");
    assert.throws(() => emulator.advance("soon"), /not a duration/);
  });

  it("shows copies of its state", async () => {
    const emulator = await start();
    emulator.provisioning.addOrganization({ name: "acme" });
    emulator.events.emit({ topic: "Node", type: "NodeRegistration", key: "n1" });
    const inspection = emulator.inspect();
    assert.deepEqual(JSON.parse(JSON.stringify(inspection)), inspection);
    Reflect.set(inspection.provisioning.projects[0] ?? {}, "name", "changed");
    assert.equal(emulator.inspect().provisioning.projects[0]?.name, "Default Project");
  });

  describe("reset", () => {
    it("puts everything back to the start, except the addresses", async () => {
      const emulator = await start({ frozenAt: new Date(0) });
      const { provisioning, secrets, scheduler } = emulator;
      const before = [provisioning, secrets, scheduler].map(({ address, token }) => [address, token]);
      const empty = emulator.inspect();
      provisioning.addOrganization({ name: "acme" });
      provisioning.addUser({ organization: "acme" });
      const added = provisioning.addToken();
      scheduler.rotateToken();
      emulator.events.emit({ topic: "Node", type: "NodeRegistration", key: "n1" });
      emulator.faults.add({ status: 500, times: 5 });
      await call(emulator, "secrets", "GET", "/v1/x");
      emulator.advance("1h");

      emulator.reset();

      assert.deepEqual(emulator.inspect(), empty);
      assert.deepEqual(emulator.journal.requests(), []);
      assert.equal(secrets.statistics.requests, 0);
      assert.equal(emulator.now().getTime(), 0);
      assert.deepEqual(
        [provisioning, secrets, scheduler].map(({ address, token }) => [address, token]),
        before,
      );
      assert.equal((await call(emulator, "secrets", "GET", "/v1/x")).status, 404);
      assert.equal((await call(emulator, "provisioning", "GET", collection, { token: added })).status, 401);
      assert.equal(emulator.events.emit({ topic: "Node", type: "NodeRegistration", key: "n1" }), 1);
    });

    for (const fault of [
      { delay: "1h" },
      { delay: "1h", when: "after" },
      { delay: "forever" },
      { latency: 5 },
    ] as const) {
      it(`cuts a request under way, held up by ${JSON.stringify(fault)}`, async () => {
        const emulator = await start();
        emulator.provisioning.addOrganization({ name: "acme" });
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

    it("never gives the same identifier twice", async () => {
      const emulator = await start();
      const ids = [1, 2, 3].map(() => {
        emulator.reset();
        return emulator.provisioning.addOrganization({ name: "acme" }).defaultProjectId;
      });
      assert.equal(new Set(ids).size, 3);
    });
  });

  describe("close", () => {
    it("ends what is under way at once, and can be repeated", async () => {
      const emulator = await start();
      const stall = emulator.faults.add({ delay: "forever" });
      const reply = call(emulator, "provisioning", "GET", collection);
      await until(() => stall.hits === 1);
      await Promise.all([emulator.close(), assert.rejects(reply)]);
      await emulator.close();
      await assert.rejects(call(emulator, "secrets", "GET", "/v1/x"), (error) => {
        assert.equal(at(error, "cause", "code"), "ECONNREFUSED");
        return true;
      });
    });

    it("works while a service refuses connections, and right after it stopped to", async () => {
      const refusing = await start();
      refusing.faults.add({ refuse: true });
      await refusing.close();
      const opening = await start();
      opening.faults.add({ refuse: true }).remove();
      await opening.close();
      const port = Number(new URL(opening.provisioning.address).port);
      assert.match(
        (await start({ ports: { provisioning: port } })).provisioning.address,
        new RegExp(`:${port}$`),
      );
    });

    it("leaves nothing that keeps the process alive", () => {
      const program = `
        const { startEmulator } = require(${JSON.stringify(join(__dirname, "../../sdk/testing"))});
        startEmulator().then(async (emulator) => {
          emulator.faults.add({ latency: "1h" });
          emulator.faults.add({ service: "secrets", refuse: "1h" });
          const reply = fetch(emulator.provisioning.address).catch(() => "cut");
          while (emulator.journal.count() === 0) await new Promise((resolve) => setImmediate(resolve));
          await emulator.close();
          console.log(await reply);
        });`;
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        ["-r", "ts-node/register", "-e", program],
        {
          cwd: join(__dirname, "../.."),
          encoding: "utf8",
          timeout: 15_000,
        },
      );
      assert.deepEqual([stdout, stderr, status], ["cut\n", "", 0]);
    });
  });
});

describe("the emulator's clock", () => {
  it("fires timers in the order of their time, each at its own time, and repeated ones as often as due", () => {
    const clock = new EmulatorClock(0);
    const fired: [string, number][] = [];
    clock.after(30, () => fired.push(["second", clock.now()]));
    clock.after(20, () => fired.push(["first", clock.now()]));
    clock.after(500, () => fired.push(["never", clock.now()]));
    const repeat = (): void => {
      clock.after(40, () => {
        fired.push(["repeated", clock.now()]);
        repeat();
      });
    };
    repeat();
    clock.advance(100);
    assert.deepEqual(fired, [
      ["first", 20],
      ["second", 30],
      ["repeated", 40],
      ["repeated", 80],
    ]);
    assert.equal(clock.now(), 100);
  });

  it("fires by itself when it runs", async () => {
    const clock = new EmulatorClock(undefined);
    // Its own timers keep no process alive, so the test has to.
    const alive = setInterval(() => undefined, 1_000);
    assert.equal(await clock.wait(1), true);
    clearInterval(alive);
  });
});

describe("the emulator's durations", () => {
  it("are milliseconds, or numbers with units", () => {
    for (const [duration, milliseconds] of [
      [1500, 1500],
      ["500ms", 500],
      ["1.5m", 90_000],
      ["2d", 172_800_000],
      ["1h30m5s", 5_405_000],
    ] as const) {
      assert.equal(toMilliseconds(duration), milliseconds);
    }
    for (const duration of ["", "30", "h", "1 h", "-1s", "1w", "forever", -1, Number.NaN, Infinity]) {
      assert.throws(() => toMilliseconds(duration), { name: "RangeError", message: /is not a duration/ });
    }
  });
});

describe("a seed", () => {
  let emulator: Emulator | undefined;
  const start = async (seed: unknown): Promise<Emulator> => {
    emulator = await startEmulator({ seed: seed as EmulatorSeed });
    return emulator;
  };
  afterEach(async () => {
    await emulator?.close();
    emulator = undefined;
  });

  const world: EmulatorSeed = {
    organizations: [
      { name: "acme", defaultProjectId: "prj-default", ownerIds: ["ada", "user-bob"], workspaceLimit: null },
      { name: "platform", moduleConsumers: ["acme", "search"] },
      { name: "search" },
    ],
    users: [{ username: "ada", organization: ["acme", "search"] }, { id: "user-bob" }],
    projects: [{ id: "prj-payments", organization: "acme", name: "payments" }],
    workspaces: [
      { id: "ws-web", organization: "acme", name: "web" },
      { id: "ws-api", organization: "acme", project: "payments", name: "api" },
    ],
    mounts: [
      { type: "directory", path: "teams/ldap", defaultLeaseTtl: "1h" },
      { type: "userpass", path: "people", accessor: "auth_userpass_people" },
    ],
    entities: [{ id: "entity-alice", name: "alice", metadata: { team: "payments" } }],
    totpMethods: [{ id: "method-acme", issuer: "Acme", algorithm: "SHA256" }],
    enforcements: [{ name: "everybody", methodIds: ["method-acme"] }],
    passwordPolicies: [{ name: "long", length: 40 }],
    directoryEntries: [
      {
        dn: "cn=binds,ou=services,dc=acme,dc=example",
        password: "canary",
        attributes: { mail: ["a@b.example"] },
      },
      { dn: "ou=services,dc=acme,dc=example", attributes: { description: "for programs" } },
    ],
    schedulerPolicies: [{ name: "readers", readNodes: true, readJobs: "*" }],
    events: [{ topic: "Node", type: "NodeRegistration", key: "worker-1", payload: { Node: { ID: "n1" } } }],
  };

  it("is what the services hold from the start", async () => {
    const { provisioning, secrets, scheduler } = (await start(world)).inspect();
    const [acme, platform] = provisioning.organizations;
    const [ada, bob] = provisioning.users;
    assert.deepEqual([acme?.defaultProjectId, acme?.ownerIds], ["prj-default", [ada?.id, "user-bob"]]);
    assert.deepEqual(platform?.moduleConsumers, ["acme", "search"]);
    assert.deepEqual([ada?.organizations, bob?.organizations], [["acme", "search"], ["acme"]]);
    assert.deepEqual(
      provisioning.workspaces.map(({ id, projectId }) => [id, projectId]),
      [
        ["ws-web", "prj-default"],
        ["ws-api", "prj-payments"],
      ],
    );
    assert.deepEqual(
      secrets.mounts
        .slice(-2)
        .map(({ path, accessor, defaultLeaseTtl }) => [path, accessor.slice(0, 9), defaultLeaseTtl]),
      [
        ["teams/ldap", "directory", 3_600],
        ["people", "auth_user", 768 * 3_600],
      ],
    );
    assert.deepEqual(secrets.entities, [
      { id: "entity-alice", name: "alice", metadata: { team: "payments" } },
    ]);
    assert.deepEqual(
      secrets.enforcements.map(({ methodIds }) => methodIds),
      [["method-acme"]],
    );
    assert.equal(secrets.passwordPolicies[0]?.length, 40);
    assert.deepEqual(
      secrets.directoryEntries.map(({ dn, password }) => [dn, password]),
      [
        ["dc=example", null],
        ["dc=acme,dc=example", null],
        ["ou=services,dc=acme,dc=example", null],
        ["cn=binds,ou=services,dc=acme,dc=example", "canary"],
      ],
    );
    assert.deepEqual(
      scheduler.policies.map(({ name }) => name),
      ["readers"],
    );
    assert.deepEqual(
      scheduler.frames.flatMap(({ Index, Events }) => Events.map(({ Type }) => [Index, Type])),
      [
        [1, "ACLPolicyUpserted"],
        [2, "NodeRegistration"],
      ],
    );
  });

  it("is there again after a reset", async () => {
    const started = await start(world);
    const { provisioning } = started;
    provisioning.removeOrganization("acme");
    provisioning.addOrganization({ name: "other" });
    started.reset();
    const { organizations, workspaces } = started.inspect().provisioning;
    assert.deepEqual(
      [organizations, workspaces].map((records) => records.map(({ name }) => name)),
      [
        ["acme", "platform", "search"],
        ["web", "api"],
      ],
    );
  });

  const acme = [{ name: "acme" }];
  for (const [seed, message] of [
    [
      { organizations: [...acme, { nmae: "platform", name: "platform" }] },
      "seed.organizations[1].nmae is not a valid member; did you mean name?",
    ],
    [
      { users: [{ qqq: 1 }] },
      "seed.users[0].qqq is not a valid member; expected one of id, username, organization",
    ],
    [{ workspaces: [{ name: "web" }] }, "seed.workspaces[0].organization is missing"],
    [{ entities: [{ metadata: { team: 1 } }] }, "seed.entities[0].metadata.team must be a string"],
    [{ mounts: {} }, "seed.mounts must be a list"],
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
    [
      { workspaces: [{ organization: "acme" }] },
      'seed.workspaces[0] cannot be set up: The emulator has no organization "acme".',
    ],
    [
      { organizations: [{ name: "acme", ownerIds: ["ada"] }] },
      'seed.organizations[0] cannot be set up: The emulator has no user "ada".',
    ],
    [
      { organizations: acme, users: [{ id: "user-1" }, { id: "user-1" }] },
      'seed.users[1] cannot be set up: The emulator already has the user "user-1".',
    ],
  ] as const) {
    it(`is refused: ${message}`, async () => {
      await assert.rejects(start(seed), { message });
    });
  }
});
