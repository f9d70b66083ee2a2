import assert from "node:assert/strict";
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
afterEach(() => Promise.all(started.splice(0).map((emulator) => emulator.close())));

const portOf = ({ address }: { readonly address: string }): number => Number(new URL(address).port);
const node = { topic: "Node", type: "NodeRegistration", key: "n1" } as const;

describe("startEmulator", () => {
  it("startEmulator accepts fixed tokens, and returns tokens and other dialects as environment variables", async () => {
    const dialect = { scheduler: "hashicorp", secrets: "documented" } as const;
    const emulator = await start({ tokens: { secrets: "fixed" }, dialect });
    emulator.provisioning.rotateToken();
    const { provisioning, secrets, scheduler, environment } = emulator;
    assert.equal((await call(emulator, "secrets", "GET", "/v1/x", { token: "fixed" })).status, 404);
    assert.notEqual(provisioning.token, scheduler.token);
    assert.deepEqual(environment, {
      PROVISIONING_ADDR: provisioning.address,
      PROVISIONING_TOKEN: provisioning.token,
      SECRETS_ADDR: secrets.address,
      SECRETS_TOKEN: "fixed",
      SCHEDULER_ADDR: scheduler.address,
      SCHEDULER_TOKEN: scheduler.token,
      SCHEDULER_DIALECT: "hashicorp",
    });
  });

  it("startEmulator fails if a port is taken or a key is invalid, and leaves nothing running", async () => {
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
  const seed = { entities: [{ id: "alice" }] };
  const emulator = useEmulator({ frozenAt: new Date(0), seed });
  const collection = "/api/v2/organizations/acme/projects";

  it("reset restores everything to its initial state, except the addresses", async () => {
    const [before, inspection] = [emulator.environment, emulator.inspect()];
    Reflect.set(inspection.secrets.entities[0] ?? {}, "id", "changed in a copy");
    const empty = emulator.inspect();
    emulator.provisioning.addOrganization({ name: "acme" });
    const token = emulator.provisioning.addToken();
    emulator.scheduler.rotateToken();
    emulator.events.emit(node);
    emulator.faults.add({ status: 500, times: 5 });
    await call(emulator, "secrets", "GET", "/v1/x");
    emulator.advance("1h");
    emulator.reset();
    const found = [emulator.inspect(), emulator.environment, emulator.now().getTime()];
    assert.deepEqual(found, [empty, before, 0]);
    assert.equal(empty.secrets.entities[0]?.id, "alice");
    assert.deepEqual([emulator.journal.requests(), emulator.secrets.statistics.requests], [[], 0]);
    assert.equal((await call(emulator, "secrets", "GET", "/v1/x")).status, 404);
    assert.equal((await call(emulator, "provisioning", "GET", collection, { token })).status, 401);
    assert.equal(emulator.events.emit(node), 1);
  });

  for (const fault of [{ delay: "1h" }, { delay: "1h", when: "after" }, { latency: 5 }] as const) {
    it(`reset aborts a request in progress that is delayed by ${JSON.stringify(fault)}`, async () => {
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

  it("close ends requests in progress at once, even while a service refuses connections, and can be repeated", async () => {
    const closing = await start();
    const stall = closing.faults.add({ service: "provisioning", delay: "forever" });
    const reply = call(closing, "provisioning", "GET", collection);
    await until(() => stall.hits === 1);
    closing.faults.add({ service: "secrets", refuse: "1h" });
    closing.faults.add({ service: "scheduler", refuse: true }).remove();
    await Promise.all([closing.close(), assert.rejects(reply)]);
    await closing.close();
    const refused = (error: unknown): boolean => at(error, "cause", "code") === "ECONNREFUSED";
    await assert.rejects(call(closing, "secrets", "GET", "/v1/x"), refused);
    await start({ ports: { scheduler: portOf(closing.scheduler) } });
  });
});

describe("the emulator's time", () => {
  it("the emulator's time fires timers in order, each at its own time, and repeated ones as often as due", () => {
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

  it("the emulator's time is advanced by milliseconds, or by numbers with units", () => {
    assert.deepEqual([1500, "500ms", "1.5m", "1h30m5s"].map(toMilliseconds), [1500, 500, 90_000, 5_405_000]);
    for (const duration of ["", "30", "1 h", "-1s", "1w", "forever", -1, Infinity]) {
      assert.throws(() => toMilliseconds(duration), { name: "RangeError", message: /is not a duration/ });
    }
  });
});

describe("a seed", () => {
  it("a seed defines the services' contents at the start and after a reset, whatever the order of its lists", async () => {
    const emulator = await start({
      seed: {
        organizations: [
          { name: "acme", ownerIds: ["ada", "user-bob"] },
          { name: "platform", moduleConsumers: ["acme", "search"], providerConsumers: ["acme"] },
          { name: "search" },
        ],
        users: [{ id: "user-ada", username: "ada", organization: ["acme", "search"] }, { id: "user-bob" }],
        projects: [{ id: "prj-payments", organization: "acme", name: "payments" }],
        workspaces: [{ organization: "acme", project: "payments" }],
        mounts: [{ type: "directory", path: "teams/ldap", defaultLeaseTtl: "1h" }],
        entities: [{ id: "entity-alice", metadata: { team: "payments" } }],
        totpMethods: [{ id: "method-acme", issuer: "Acme", algorithm: "SHA256" }],
        enforcements: [{ name: "all", methodIds: ["method-acme"] }],
        passwordPolicies: [{ name: "long", length: 40 }],
        directoryEntries: [{ dn: "cn=bind,dc=acme,dc=example" }, { dn: "dc=acme,dc=example" }],
        schedulerPolicies: [{ name: "readers", readNodes: true, readJobs: "*" }],
        events: [{ ...node, payload: { Node: { ID: "n1" } } }],
      },
    });
    for (let round = 0; round < 2; round += 1) {
      const { provisioning, secrets, scheduler } = emulator.inspect();
      const [acme, platform] = provisioning.organizations;
      const { mounts, entities, enforcements, directoryEntries } = secrets;
      const lists = [acme?.ownerIds, platform?.moduleConsumers, provisioning.users[0]?.organizations];
      assert.equal(lists.join("; "), "user-ada,user-bob; acme,search; acme,search");
      const values = [mounts.at(-1)?.defaultLeaseTtl, entities[0]?.metadata["team"], directoryEntries.length];
      assert.deepEqual(values, [3_600, "payments", 3]);
      const ids = [provisioning.workspaces[0]?.projectId, enforcements[0]?.methodIds].join("; ");
      assert.equal(ids, "prj-payments; method-acme");
      const names = [...secrets.passwordPolicies, ...scheduler.policies].map(({ name }) => name);
      const types = scheduler.frames.map(({ Events }) => Events[0]?.Type);
      const expected = ["long", "readers", "ACLPolicyUpserted", "NodeRegistration"];
      assert.deepEqual([...names, ...types], expected);
      emulator.provisioning.removeOrganization("acme");
      emulator.reset();
    }
  });

  const refusals: Readonly<Record<string, unknown>> = {
    "seed.organizations[1].nmae is not a valid member; did you mean name?": {
      organizations: [{ name: "acme" }, { nmae: "a", name: "a" }],
    },
    "The seed is not valid: seed.workspaces[0].nmae is not a valid member; did you mean name? seed.workspaces[0].organizatoin is not a valid member; did you mean organization?":
      { workspaces: [{ name: "web", nmae: "a", organization: "acme", organizatoin: "b" }] },
    "seed.users[0].q is not a valid member; expected one of id, username, organization": {
      users: [{ q: 1 }],
    },
    "seed.workspaces[0].organization is missing": { workspaces: [{ name: "web" }] },
    "seed must be an object": null,
    "The seed is not valid: seed.users[0].id must be a string of at least one character; seed.entities must be a list":
      {
        users: [{ id: 1 }],
        entities: "alice",
      },
    'seed.users[1] cannot be set up: The emulator already has the user "user-1".': {
      users: [{ id: "user-1" }, { id: "user-1" }],
    },
  };
  for (const [message, seed] of Object.entries(refusals)) {
    it(`a seed is rejected: ${message}`, () =>
      assert.rejects(start({ seed: seed as EmulatorSeed }), { message }));
  }
});
