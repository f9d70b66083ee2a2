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

  it("an event gate is created when a matching event arrives, outputs it, and sends no requests afterwards", async () => {
    emit("api");
    const creating = gate.up(args);
    await connected();
    assert.equal(gate.id, undefined);
    const payload = { Job: { Name: "web", Times: [1, null] } };
    emit("web", { payload, filterKeys: ["x"] });
    assert.equal(await creating, "created");
    const event = {
      topic: "Job",
      type: "JobRegistered",
      key: "web",
      namespace: "default",
      filterKeys: ["x"],
      index: 2,
      payload,
    };
    await until(() => emulator.inspect().scheduler.subscriptions.length === 0);
    assert.equal(await gate.refresh(), true);
    const changed = { topics: ["Node"], match: {}, timeout: "5m", namespace: "*", index: 7 };
    assert.equal(await gate.up(changed), "updated");
    assert.deepEqual([gate.id, gate.outputs.event], ["2/Job/JobRegistered/web", event]);
    await gate.destroy();
    assert.equal(emulator.journal.count(), 1);
  });

  it("an event gate waits again when a trigger is added, changes or is removed", async () => {
    emit("web");
    await gate.up(args);
    emit("web", { type: "JobDeregistered" });
    for (const triggers of [{ version: 1 }, { version: "1" }, {}]) {
      assert.equal(await gate.up({ ...args, index: 2, triggers }), "replaced");
      assert.equal(gate.id, "2/Job/JobDeregistered/web");
    }
  });

  it("an event gate ignores events that are older than the index or in another namespace", async () => {
    ["team", "team", "default", "team"].forEach((namespace) => emit("web", { namespace }));
    await gate.up({ ...args, namespace: "team", index: 3 });
    assert.equal(gate.id, "4/Job/JobRegistered/web");
  });

  it("an event gate has an ID in which every part is one segment, even if a name contains half a character", async () => {
    emit("a/b \ud800");
    await gate.up({ ...args, match: {} });
    assert.equal(gate.id, "1/Job/JobRegistered/a%2Fb%20%EF%BF%BD");
  });

  it("an event gate rejects an event that the engine cannot store", async () => {
    emit("web", { payload: JSON.parse(`${'{"a":'.repeat(600)}1${"}".repeat(600)}`) as object });
    const message = /arrived, but its payload is nested more than 500 levels deep/;
    await assert.rejects(gate.up(args), { message });
  });

  it("an event gate does not store a token's secret", async () => {
    const payload = { ACLToken: { AccessorID: "accessor", SecretID: "canary" } };
    emulator.events.emit({ topic: "ACLToken", type: "ACLTokenUpserted", key: "accessor", payload });
    await gate.up({ ...args, topics: ["ACLToken"], match: {} });
    assert.ok(!JSON.stringify(gate.outputs).includes("canary"));
    assert.ok(JSON.stringify(gate.outputs).includes("accessor"));
  });

  it("an event gate rejects a match that none of its topics can have, before it sends a request", async () => {
    const problem = "match has a topic that is not in topics, so it would never match";
    for (const [topics, problems] of [
      [["Node"], [problem]],
      [["Job"], []],
      [["Job:web"], []],
      [["*"], []],
      [["*:web"], []],
      [["Node", "Job"], []],
    ] as const) {
      assert.deepEqual(await gate.problems({ ...args, topics, match: { topic: "Job" } }), problems);
    }
  });

  it("an event gate rejects invalid topics, matches and indexes", async () => {
    const wrong = { topics: [":web"], match: { kind: "Job" }, index: -1 };
    const [topic = "", ...others] = await gate.problems({ ...args, ...wrong });
    assert.match(topic, /^topics\[0\] must be a topic/);
    assert.deepEqual(others, ['match has no member "kind"', "index must be at least 0"]);
  });
});

describe("EventGate with the product", () => {
  const emulator = useEmulator({ dialect: { scheduler: "hashicorp" } });

  it("an event gate accepts the product's names too, and stores the event with the documented ones", async () => {
    ["NodeRegistration", "NodeDrain", "NodeStreamEvent"].forEach((type) =>
      emulator.events.emit({ topic: "Node", type, key: "n1" }),
    );
    for (const [topics, match, id] of [
      [["NodeDrain"], {}, "2/NodeDrain/NodeDrain/n1"],
      [["*"], { type: "NodeStreamEvent" }, "3/Node/NodeEvent/n1"],
    ] as const) {
      const gate = new FakeEngine(eventGateDefinition, emulator, { "trivium:schedulerDialect": "hashicorp" });
      await gate.up({ timeout: "10m", topics, match });
      assert.equal(gate.id, id);
    }
  });
});
