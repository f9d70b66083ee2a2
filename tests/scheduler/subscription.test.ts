import assert from "node:assert/strict";
import { definitionIn } from "../../sdk/resource/definition";
import { inspect } from "node:util";
import { z } from "zod";
import { checkArguments } from "../../sdk/resource/lifecycle/check";
import { rightsFor } from "../../sdk/scheduler/rights";
import { readFrame } from "../../sdk/scheduler/decoder";
import type { Event, Frame } from "../../sdk/scheduler/event";
import { eventGateDefinition } from "../../sdk/scheduler/event-gate";
import {
  checkTopics,
  describeMatch,
  type EventMatch,
  isMeant,
  isSelected,
  matches,
  topicFilter,
  Translation,
} from "../../sdk/scheduler/subscription";
import { wireEvent, wireFrame } from "./raw-scheduler";

function frameOf(...events: readonly (readonly [topic: string, type: string, key: string])[]): Frame {
  const sent = events.map(([Topic, Type, Key]) => wireEvent(1, { Topic, Type, Key }));
  return readFrame(wireFrame(1, sent)) ?? assert.fail("no frame");
}

const eventOf = (topic: string, type: string): Event =>
  frameOf([topic, type, "a"]).events[0] ?? assert.fail("no event");

describe("a translation of the event stream", () => {
  const frame = frameOf(
    ["Node", "NodeRegistration", "a"],
    ["Node", "NodeDrain", "a"],
    ["Node", "NodeDrain", "b"],
    ["Node", "NodeStreamEvent", "b"],
    ["Job", "NodeDrain", "web"],
    ["Service", "ServiceRegistration", "s"],
  );

  /** What a scheduler sends that was asked like that, and what the program then sees of nodes. */
  const rows: readonly [string, readonly string[] | undefined, readonly string[] | undefined, string][] = [
    ["everything", undefined, undefined, "Node/a NodeDrain/a NodeDrain/b Node/b"],
    ["nodes", ["Node"], ["Node"], "Node/a Node/a Node/b Node/b"],
    ["drains of one node", ["NodeDrain:a"], ["Node:a"], "NodeDrain/a"],
    ["nodes and drains", ["Node", "NodeDrain"], ["Node"], "Node/a NodeDrain/a NodeDrain/b Node/b"],
    ["drains and one node", ["NodeDrain", "Node:a"], ["Node"], "Node/a NodeDrain/a NodeDrain/b"],
    ["drains of one node and nodes", ["NodeDrain:a", "Node:*"], ["Node"], "Node/a NodeDrain/a Node/b Node/b"],
    ["drains twice", ["NodeDrain", "NodeDrain:*"], ["Node"], "NodeDrain/a NodeDrain/b"],
  ];
  for (const [what, topics, wireTopics, seen] of rows) {
    it(`a translation delivers what the documentation promises for ${what}`, () => {
      const translation = new Translation(topics, "hashicorp");
      assert.deepEqual(translation.wireTopics, wireTopics);
      const { events = [] } = translation.read(frame) ?? {};
      const found = events.map(({ topic, key }) => `${topic}/${key}`).join(" ");
      assert.equal(found, `${seen} Job/web Service/s`);
      const documented = new Translation(topics, "documented");
      assert.equal(documented.wireTopics, topics);
      assert.equal(documented.read(frame), frame);
    });
  }

  it("a translation changes only the names in an event, and keeps the frame if no name differs", () => {
    const [event] = frame.events.slice(3);
    const [translated] = new Translation(["Node"], "hashicorp").read(frame)?.events.slice(3) ?? [];
    assert.deepEqual(translated, { ...event, type: "NodeEvent" });
    const plain = frameOf(["Node", "NodeRegistration", "a"], ["constructor", "toString", "__proto__"]);
    assert.equal(new Translation(undefined, "hashicorp").read(plain), plain);
  });

  it("a translation drops a frame in which nothing was requested", () => {
    const nodes = frameOf(["Node", "NodeRegistration", "a"], ["Node", "NodeDrain", "a"]);
    assert.equal(new Translation(["NodeDrain:b"], "hashicorp").read(nodes), undefined);
  });
});

describe("the names in a match", () => {
  const drain = eventOf("NodeDrain", "NodeDrain");
  const nodeEvent = eventOf("Node", "NodeEvent");
  const rows: readonly [EventMatch, boolean, boolean][] = [
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
    it(`a match can use documented names and the product's names: ${JSON.stringify(match)}`, () => {
      assert.equal(isMeant(match, drain, "hashicorp"), isDrain);
      assert.equal(isMeant(match, nodeEvent, "hashicorp"), isNodeEvent);
    });
  }

  it("a match uses only the documented names in the documented dialect", () => {
    assert.equal(isMeant({ type: "NodeStreamEvent" }, nodeEvent, "documented"), false);
    assert.equal(isMeant({ topic: "Node", type: "NodeDrain" }, drain, "documented"), false);
    assert.equal(isMeant({ type: "NodeEvent" }, nodeEvent, "documented"), true);
  });
});

describe("topics of a subscription", () => {
  it("topics are known if the documentation lists them or, in the hashicorp dialect, a later release", () => {
    const listed = ["Node", "Deployment:web", "*", "*:web", "NodeDrain"];
    assert.equal(checkTopics(listed, "documented"), false);
    assert.match(inspect(checkTopics(["Nodes"], "documented")), /does not document/);
    assert.equal(checkTopics(["Service"], "hashicorp"), false);
    assert.equal(checkTopics(["Job:a:b"], "hashicorp"), "has a key with a colon, which Nomad rejects");
    assert.equal(checkTopics(["Job:a:b"], "documented"), false);
    const later: Event["topic"] = "Variable";
    assert.equal(checkTopics([later], "hashicorp"), false);
    assert.notEqual(checkTopics(["Service"], "documented"), false);
  });

  it("unknown topics of an EventGate cause a warning in check, and no failure", () => {
    const args = { topics: ["Nodes"], match: {}, timeout: "1m" };
    const { failures, warnings } = checkArguments(definitionIn(eventGateDefinition, "documented"), z, args);
    assert.deepEqual([failures, warnings.length], [[], 1]);
    assert.match(warnings[0] ?? "", /^topics has a topic that/);
  });

  const selections: readonly [string, string, boolean][] = [
    ["Node", "Node", true],
    ["Node", "Job", false],
    ["*", "Job", true],
    ["Node:n1", "Node", true],
    ["Node:n", "Node", false],
    ["Node:web", "Node", true],
    ["*:web", "Job", true],
    ["Job Node:n1", "Node", true],
    ["Node:*", "Node", true],
    ["Job:a:b", "Job", true],
    ["Job:b", "Job", false],
    ["Job:n2 Deployment", "Node", false],
  ];
  for (const [filters, topic, expected] of selections) {
    it(`the filter ${filters} ${expected ? "selects" : "does not select"} an event of ${topic} by its keys`, () => {
      const [event] = readFrame(wireFrame(1, [wireEvent(1, { FilterKeys: ["web", "a:b"] })]))?.events ?? [];
      assert.equal(event && isSelected(filters.split(" ").map(topicFilter), topic, event), expected);
    });
  }
});

const jobs = "for jobs, allocations, deployments and evaluations";

describe("rightsFor", () => {
  const table: readonly [readonly string[] | undefined, string | undefined, string][] = [
    [undefined, undefined, "a management token for all topics"],
    [["*"], undefined, "a management token for all topics"],
    [["*:web", "Node"], undefined, "node:read for nodes; a management token for all topics"],
    [["Node", "NodeDrain:n1"], "*", "node:read for nodes"],
    [["Job"], undefined, `namespace:read-job in the namespace default ${jobs}`],
    [["Allocation", "Evaluation:e1"], "team", `namespace:read-job in the namespace team ${jobs}`],
    [["Deployment:web"], "*", `namespace:read-job in all namespaces ${jobs}`],
    [["ACLToken", "NodePool", "New"], undefined, "a management token for ACLToken, NodePool, New"],
    [
      ["Service", "CSIPlugin:p", "HostVolume", "CSIVolume"],
      "team",
      "namespace:read-job in the namespace team for services and CSI plugins; namespace:host-volume-read in the namespace team for host volumes; namespace:csi-read-volume in the namespace team for CSI volumes",
    ],
    [
      ["Variable", "Operator"],
      undefined,
      "access to any variable in the namespace default for variables (only the ones that the token is allowed to list are sent); operator:read for Operator",
    ],
  ];
  for (const [topics, namespace, needed] of table) {
    it(`rightsFor reports that ${JSON.stringify(topics)} in ${namespace ?? "no namespace"} requires ${needed}`, () => {
      const ofAll = ' The namespace "*" requires a management token, or a policy for all namespaces.';
      const told = `This subscription requires ${needed}.${namespace === "*" ? ofAll : ""} If one topic is not allowed, the whole subscription is rejected.`;
      assert.equal(rightsFor(topics, namespace), told);
    });
  }
});

describe("an event match", () => {
  const event = eventOf("Node", "NodeRegistration");

  const table: readonly [EventMatch, boolean, string][] = [
    [{}, true, "an event"],
    [{ topic: undefined }, true, "an event"],
    [{ topic: "Node", key: null }, true, 'an event with topic "Node"'],
    [{ topic: "node" }, false, 'an event with topic "node"'],
    [{ type: "NodeRegistration", key: "a" }, true, 'an event with type "NodeRegistration" and key "a"'],
    [{ type: "NodeRegistration", key: "b" }, false, 'an event with type "NodeRegistration" and key "b"'],
    [{ namespace: "" }, true, 'an event with namespace ""'],
    [{ namespace: "default" }, false, 'an event with namespace "default"'],
  ];
  for (const [match, expected, words] of table) {
    it(`the match ${JSON.stringify(match)} ${expected ? "accepts" : "rejects"} an event of a node`, () => {
      assert.equal(matches(match, event), expected);
      assert.equal(describeMatch(match), words);
    });
  }

  const payloads: readonly [Readonly<Record<string, unknown>>, boolean][] = [
    [{}, true],
    [{ Node: {} }, true],
    [{ Node: { ID: "n1" } }, true],
    [{ Node: { ID: "n2" } }, false],
    [{ Job: {} }, false],
    [{ Node: { Events: [{ Message: "up" }] } }, true],
    [{ Node: { Events: [{ Message: "down" }] } }, false],
  ];
  for (const [payload, expected] of payloads) {
    it(`a match ${expected ? "accepts" : "rejects"} an event by the content of its payload: ${JSON.stringify(payload)}`, () => {
      const Events = [{ Message: "registered" }, { Message: "up", Subsystem: "Cluster" }];
      const node = { ...event, payload: { Node: { ID: "n1", Events } } };
      assert.equal(matches({ payload }, node), expected);
      assert.equal(describeMatch({ payload }), "an event with a matching payload");
    });
  }
});
