import assert from "node:assert/strict";
import { schedulerDialects } from "../../sdk/scheduler/dialect";
import type { Event, Frame } from "../../sdk/scheduler/event";
import { readFrame } from "../../sdk/scheduler/decoder";
import { isMeant } from "../../sdk/scheduler/match";
import { Translation } from "../../sdk/scheduler/subscription";
import { wireEvent, wireFrame } from "./wire";

const { documented, hashicorp } = schedulerDialects;

function frameOf(...events: readonly (readonly [topic: string, type: string, key: string])[]): Frame {
  const sent = events.map(([Topic, Type, Key]) => wireEvent(1, { Topic, Type, Key }));
  return readFrame(wireFrame(1, sent)) ?? assert.fail("no frame");
}

const namesOf = ({ events }: { readonly events: readonly Event[] }): string[] =>
  events.map(({ topic, type, key }) => `${topic}/${type}/${key}`);

describe("a translation of the event stream", () => {
  const frame = frameOf(
    ["Node", "NodeRegistration", "a"],
    ["Node", "NodeDrain", "a"],
    ["Node", "NodeDrain", "b"],
    ["Node", "NodeStreamEvent", "b"],
    ["Job", "NodeDrain", "web"],
    ["Service", "ServiceRegistration", "s"],
  );
  const registration = "Node/NodeRegistration/a";
  const others = ["Node/NodeEvent/b", "Job/NodeDrain/web", "Service/ServiceRegistration/s"];

  /** What a scheduler sends that was asked like that, and what the program then sees of it. */
  const rows: readonly [string, readonly string[] | undefined, readonly string[] | undefined, string[]][] = [
    [
      "everything",
      undefined,
      undefined,
      [registration, "NodeDrain/NodeDrain/a", "NodeDrain/NodeDrain/b", ...others],
    ],
    ["all", ["*"], ["*"], [registration, "NodeDrain/NodeDrain/a", "NodeDrain/NodeDrain/b", ...others]],
    ["nodes", ["Node"], ["Node"], [registration, "Node/NodeDrain/a", "Node/NodeDrain/b", ...others]],
    [
      "drains",
      ["NodeDrain"],
      ["Node"],
      ["NodeDrain/NodeDrain/a", "NodeDrain/NodeDrain/b", ...others.slice(1)],
    ],
    ["drains of one node", ["NodeDrain:a"], ["Node:a"], ["NodeDrain/NodeDrain/a", ...others.slice(1)]],
    [
      "nodes and drains",
      ["Node", "NodeDrain"],
      ["Node"],
      [registration, "NodeDrain/NodeDrain/a", "NodeDrain/NodeDrain/b", ...others],
    ],
    [
      "drains of one node and all of another",
      ["NodeDrain:a", "Node:b"],
      ["Node:a", "Node:b"],
      ["NodeDrain/NodeDrain/a", "Node/NodeDrain/b", ...others],
    ],
    [
      "drains of one node and all nodes",
      ["NodeDrain:a", "Node:*"],
      ["Node"],
      [registration, "NodeDrain/NodeDrain/a", "Node/NodeDrain/b", ...others],
    ],
    [
      "drains and one key of all topics",
      ["NodeDrain", "*:a"],
      ["Node", "*:a"],
      [registration, "NodeDrain/NodeDrain/a", "NodeDrain/NodeDrain/b", ...others.slice(1)],
    ],
    [
      "one key of all topics",
      ["*:a"],
      ["*:a"],
      [registration, "NodeDrain/NodeDrain/a", "Node/NodeDrain/b", ...others],
    ],
    [
      "drains twice",
      ["NodeDrain", "NodeDrain:*"],
      ["Node"],
      ["NodeDrain/NodeDrain/a", "NodeDrain/NodeDrain/b", ...others.slice(1)],
    ],
  ];
  for (const [what, topics, wireTopics, seen] of rows) {
    it(`gives who asks for ${what} what the documents promise`, () => {
      const translation = new Translation(topics, hashicorp);
      assert.deepEqual(translation.wireTopics, wireTopics);
      assert.deepEqual(namesOf(translation.read(frame) ?? { events: [] }), seen);
    });

    it(`leaves everything as it is in the documented dialect, for ${what}`, () => {
      const translation = new Translation(topics, documented);
      assert.equal(translation.wireTopics, topics);
      assert.equal(translation.read(frame), frame);
    });
  }

  it("keeps all of an event but the words, and the frame where no word differs", () => {
    const [event] = frame.events.slice(3);
    const [translated] = new Translation(["Node"], hashicorp).read(frame)?.events.slice(3) ?? [];
    assert.deepEqual(translated, { ...event, type: "NodeEvent" });
    const plain = frameOf(["Node", "NodeRegistration", "a"], ["Job", "JobRegistered", "web"]);
    assert.equal(new Translation(undefined, hashicorp).read(plain), plain);
  });

  it("has no frame left where nothing in it was asked for", () => {
    const nodes = frameOf(["Node", "NodeRegistration", "a"], ["Node", "NodeStreamEvent", "a"]);
    assert.equal(new Translation(["NodeDrain"], hashicorp).read(nodes), undefined);
    assert.equal(
      new Translation(["NodeDrain:b"], hashicorp).read(frameOf(["Node", "NodeDrain", "a"])),
      undefined,
    );
  });

  it("does not stumble over topics and types with unusual names", () => {
    const strange = frameOf(["constructor", "toString", "__proto__"]);
    for (const topics of [undefined, ["constructor", "NodeDrain"]]) {
      assert.deepEqual(new Translation(topics, hashicorp).read(strange), strange);
    }
    assert.equal(isMeant({ type: "NodeDrain" }, strange.events[0] as Event, hashicorp), false);
  });
});

describe("which event is meant", () => {
  const drain = frameOf(["NodeDrain", "NodeDrain", "a"]).events[0] as Event;
  const nodeEvent = frameOf(["Node", "NodeEvent", "a"]).events[0] as Event;
  const rows: readonly [object, boolean, boolean][] = [
    [{}, true, true],
    [{ topic: "NodeDrain" }, true, false],
    [{ type: "NodeDrain" }, true, false],
    [{ topic: "Node", type: "NodeDrain" }, true, false],
    [{ topic: "Node", type: "NodeDrain", key: "b" }, false, false],
    [{ topic: "Node" }, false, true],
    [{ type: "NodeEvent" }, false, true],
    [{ type: "NodeStreamEvent" }, false, true],
    [{ topic: "Node", type: "NodeStreamEvent", key: "a" }, false, true],
    [{ topic: "Job", type: "NodeStreamEvent" }, false, false],
  ];
  for (const [match, isDrain, isNodeEvent] of rows) {
    it(`${JSON.stringify(match)} in the words of the documents and of the product`, () => {
      assert.deepEqual(
        [isMeant(match, drain, hashicorp), isMeant(match, nodeEvent, hashicorp)],
        [isDrain, isNodeEvent],
      );
    });
  }

  it("uses only the documents in their dialect", () => {
    assert.equal(isMeant({ type: "NodeStreamEvent" }, nodeEvent, documented), false);
    assert.equal(isMeant({ topic: "Node", type: "NodeDrain" }, drain, documented), false);
    assert.equal(isMeant({ type: "NodeEvent" }, nodeEvent, documented), true);
  });
});
