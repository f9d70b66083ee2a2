import assert from "node:assert/strict";
import { eventGateDefinition } from "../../sdk/scheduler/event-gate";
import { FakeEngine } from "../support/fake-engine";
import { useEmulator } from "../support/use-emulator";
import { until } from "../testing/call";

const args = { topics: ["Job"], match: { key: "web" }, timeout: "10m" };

describe("EventGate", () => {
  const emulator = useEmulator();
  let gate: FakeEngine;
  beforeEach(() => {
    gate = new FakeEngine(eventGateDefinition, emulator);
  });

  const emit = (key: string, more: object = {}): void =>
    void emulator.events.emit({ topic: "Job", type: "JobRegistered", key, ...more });
  const connected = (): Promise<void> => until(() => emulator.inspect().scheduler.subscriptions.length === 1);

  it("an event gate is created when an event arrives that matches, and outputs it", async () => {
    emit("api");
    const creating = gate.up(args);
    await connected();
    assert.equal(gate.id, undefined);
    emit("web", { payload: { Job: { Name: "web", Times: [1, null] } }, filterKeys: ["x"] });
    assert.equal(await creating, "created");
    assert.equal(gate.id, "2/Job/JobRegistered/web");
    assert.deepEqual(gate.outputs.event, {
      topic: "Job",
      type: "JobRegistered",
      key: "web",
      namespace: "default",
      filterKeys: ["x"],
      index: 2,
      payload: { Job: { Name: "web", Times: [1, null] } },
    });
    await until(() => emulator.inspect().scheduler.subscriptions.length === 0);
  });

  it("an event gate asks nothing afterwards: not in a later run, an update or a refresh, nor when it is deleted", async () => {
    emit("web");
    await gate.up(args);
    const { id, outputs } = gate;
    emulator.journal.clear();
    assert.equal(await gate.up({ ...args, timeout: 600 }), "same");
    assert.equal(await gate.refresh(), true);
    assert.deepEqual([gate.id, gate.outputs], [id, outputs]);
    const changed = { topics: ["Node"], match: {}, timeout: "5m", namespace: "*", index: 7 };
    assert.equal(await gate.up(changed), "updated");
    assert.deepEqual([gate.id, gate.outputs.event], [id, outputs.event]);
    await gate.destroy();
    assert.equal(emulator.journal.count(), 0);
  });

  it("an event gate waits again when a trigger is added, changes or is removed", async () => {
    emit("web");
    await gate.up(args);
    emit("web", { type: "JobDeregistered" });
    const index = 2;
    for (const triggers of [{ version: 1 }, { version: "1" }, {}]) {
      assert.equal(await gate.up({ ...args, index, triggers }), "replaced");
      assert.equal(gate.id, "2/Job/JobDeregistered/web");
    }
    assert.equal(await gate.up({ ...args, index }), "same");
  });

  it("an event gate leaves out what is older than the index, and looks at the namespace", async () => {
    emit("web");
    emit("web", { namespace: "team" });
    await gate.up({ ...args, namespace: "*", match: { key: "web", namespace: "team" } });
    assert.equal(gate.id, "2/Job/JobRegistered/web");
    await gate.destroy();
    const creating = gate.up({ ...args, index: 2 });
    await connected();
    emit("web");
    await creating;
    assert.equal(gate.id, "3/Job/JobRegistered/web");
  });

  for (const [what, key, end] of [
    ["of which every part is one segment", "a/b c", "a%2Fb%20c"],
    ["also where a name holds half a character", "a\ud800", "a%EF%BF%BD"],
  ] as const) {
    it(`an event gate has an id ${what}`, async () => {
      emit(key);
      await gate.up({ ...args, match: {} });
      assert.equal(gate.id, `1/Job/JobRegistered/${end}`);
    });
  }

  it("an event gate refuses an event that the engine could not hold", async () => {
    emit("web", { payload: JSON.parse(`${'{"a":'.repeat(600)}1${"}".repeat(600)}`) as object });
    await assert.rejects(gate.up(args), {
      message: /arrived, but its payload is nested more than 500 levels deep/,
    });
  });

  it("an event gate keeps no token's secret", async () => {
    const payload = { ACLToken: { AccessorID: "accessor", SecretID: "canary" } };
    emulator.events.emit({ topic: "ACLToken", type: "ACLTokenUpserted", key: "accessor", payload });
    await gate.up({ ...args, topics: ["ACLToken"], match: {} });
    assert.ok(!JSON.stringify(gate.outputs).includes("canary"));
    assert.ok(JSON.stringify(gate.outputs).includes("accessor"));
  });

  const wrong: readonly [object, RegExp][] = [
    [{ topics: [] }, /^topics must name at least one topic$/],
    [{ topics: [":web"] }, /^topics\[0\] must be a topic/],
    [{ match: { kind: "Job" } }, /^match has no member "kind"$/],
    [{ match: { topic: "Node" } }, /^match has a topic that is not in topics, so it would never match$/],
    [{ index: -1 }, /^index must be at least 0$/],
  ];
  for (const [change, message] of wrong) {
    it(`an event gate refuses ${JSON.stringify(change)} before anything is done`, async () => {
      const problems = await gate.problems({ ...args, ...change });
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", message);
    });
  }

  for (const topics of [["Job"], ["Job:web"], ["*"], ["*:web"], ["Node", "Job"]]) {
    it(`an event gate may wait for a Job out of ${topics.join(", ")}`, async () => {
      assert.deepEqual(await gate.problems({ ...args, topics, match: { topic: "Job" } }), []);
    });
  }
});

describe("EventGate at the product", () => {
  const emulator = useEmulator({ dialect: { scheduler: "hashicorp" } });

  const gates: readonly [string, object, string][] = [
    ["the topic of the documents", { topics: ["NodeDrain"], match: {} }, "2/NodeDrain/NodeDrain/n1"],
    [
      "that of the product",
      { topics: ["Node"], match: { topic: "Node", type: "NodeDrain" } },
      "2/Node/NodeDrain/n1",
    ],
    ["a type of the product", { topics: ["*"], match: { type: "NodeStreamEvent" } }, "3/Node/NodeEvent/n1"],
  ];
  for (const [what, args, id] of gates) {
    it(`an event gate opens for ${what}, and keeps the event in the words of the documents`, async () => {
      for (const type of ["NodeRegistration", "NodeDrain", "NodeStreamEvent"]) {
        emulator.events.emit({ topic: "Node", type, key: "n1" });
      }
      const gate = new FakeEngine(eventGateDefinition, emulator, { "trivium:schedulerDialect": "hashicorp" });
      assert.equal(await gate.up({ timeout: "10m", ...args }), "created");
      const { index, topic, type, key } = gate.outputs.event as Readonly<Record<string, unknown>>;
      assert.deepEqual([gate.id, [index, topic, type, key].join("/")], [id, id]);
    });
  }

  it("an event gate opens with the next event after the policies of its token were changed, its scheduler restarted, or it was too slow", async () => {
    const { scheduler } = emulator;
    scheduler.addPolicy({ name: "jobs", readJobs: "*", readNodes: true });
    scheduler.addLogin({ method: "ci", jwt: "jwt-of-ci", type: "client", policies: ["jobs"] });
    const login = await fetch(`${scheduler.address}/v1/acl/login`, {
      method: "POST",
      body: JSON.stringify({ AuthMethodName: "ci", LoginToken: "jwt-of-ci" }),
    });
    const { SecretID } = (await login.json()) as { readonly SecretID: string };
    const subscribed = (number: number): Promise<void> =>
      until(() => emulator.journal.requests({ path: "/v1/event/stream" }).length >= number);
    for (const interrupt of [
      () => void scheduler.addPolicy({ name: "jobs", readJobs: "*" }),
      () => emulator.events.write("event dropped from buffer\n"),
      () => {
        emulator.faults.add({ service: "scheduler", status: 403, times: 3 });
        emulator.events.disconnect();
      },
    ]) {
      const before = emulator.journal.requests({ path: "/v1/event/stream" }).length;
      const gate = new FakeEngine(eventGateDefinition, emulator, {
        "trivium:schedulerDialect": "hashicorp",
        "trivium:schedulerToken": SecretID,
      });
      const index = emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "other" });
      const opened = gate.up({ ...args, index });
      await subscribed(before + 1);
      interrupt();
      await subscribed(before + 2);
      emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "web" });
      assert.equal(await opened, "created");
    }
  });
});
