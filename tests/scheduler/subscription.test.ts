import fc from "fast-check";
import assert from "node:assert/strict";
import { z } from "zod";
import { checkArguments } from "../../sdk/resource/lifecycle/check";
import { rightsFor } from "../../sdk/scheduler/client";
import { readFrame } from "../../sdk/scheduler/decoder";
import { schedulerDialects } from "../../sdk/scheduler/dialect";
import type { Event, Frame } from "../../sdk/scheduler/event";
import { eventGateDefinition } from "../../sdk/scheduler/event-gate";
import { describeMatch, type EventMatch, isMeant, matches } from "../../sdk/scheduler/match";
import {
  isSelected,
  textOfFilter,
  topicFilter,
  Translation,
  unknownTopics,
} from "../../sdk/scheduler/subscription";
import { wireEvent, wireFrame } from "./raw-scheduler";

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

/** An event in the words of the documents. */
interface Documented {
  readonly topic: string;
  readonly type: string;
  readonly key: string;
  readonly filterKeys: readonly string[];
}

const someKeys = ["a", "b", "c"];
const typesByTopic: Readonly<Record<string, readonly [string, ...string[]]>> = {
  Node: ["NodeRegistration", "NodeEvent"],
  NodeDrain: ["NodeDrain"],
  Job: ["JobRegistered"],
};
const documentedEvent: fc.Arbitrary<Documented> = fc
  .constantFrom(...Object.keys(typesByTopic))
  .chain((topic) =>
    fc.record({
      topic: fc.constant(topic),
      type: fc.constantFrom(...(typesByTopic[topic] ?? [])),
      key: fc.constantFrom(...someKeys),
      filterKeys: fc.subarray(someKeys),
    }),
  );
const wireFilter = fc
  .tuple(fc.constantFrom("Node", "NodeDrain", "Job", "*"), fc.constantFrom("", ":*", ":a", ":b"))
  .map((parts) => parts.join(""));
const subscribed = fc.option(fc.array(wireFilter, { minLength: 1, maxLength: 4 }), { nil: undefined });

/** Whether a scheduler sends an event to who asks for these topics. */
function isSent(
  topics: readonly string[] | undefined,
  { topic, key, filterKeys }: Omit<Documented, "type">,
): boolean {
  return (topics ?? ["*"]).some((each) => {
    const [name, wantedKey = "*"] = each.split(":");
    return (
      (name === "*" || name === topic) &&
      (wantedKey === "*" || wantedKey === key || filterKeys.includes(wantedKey))
    );
  });
}

function documentedFrame({ topic, type, key, filterKeys }: Documented): Frame {
  const members = { Topic: topic, Type: type, Key: key, FilterKeys: filterKeys };
  return readFrame(wireFrame(1, [wireEvent(1, members)])) ?? assert.fail("no frame");
}

/** The same event as the scheduler of the hashicorp dialect sends it. */
function inHashicorp(documented: Documented): Documented {
  const { topic, type } = documented;
  return {
    ...documented,
    topic: topic === "NodeDrain" ? "Node" : topic,
    type: type === "NodeEvent" ? "NodeStreamEvent" : type,
  };
}

describe("a subscription in the hashicorp dialect", () => {
  it("brings the same events as in the documented one, and only the node drains that it names", () => {
    fc.assert(
      fc.property(documentedEvent, subscribed, (documented, topics) => {
        const translation = new Translation(topics, schedulerDialects.hashicorp);
        const sent = inHashicorp(documented);
        const seen = isSent(translation.wireTopics, sent)
          ? translation.read(documentedFrame(sent))
          : undefined;
        const isDrainOfNode = documented.topic === "NodeDrain" && isSent(topics, sent);
        const expected = isSent(topics, documented) ? documented : isDrainOfNode ? sent : undefined;
        assert.deepEqual(seen, expected && documentedFrame(expected));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("topics of a subscription", () => {
  it("are known when the documents list them, with or without a key", () => {
    assert.equal(
      unknownTopics(["Node", "Deployment:web", "*", "*:web", "NodeDrain"], "documented"),
      undefined,
    );
    assert.match(unknownTopics(["Nodes"], "documented") ?? "", /does not document/);
  });

  it("are known in the hashicorp dialect when a later release has them", () => {
    assert.equal(unknownTopics(["Service"], "hashicorp"), undefined);
    assert.notEqual(unknownTopics(["Service"], "documented"), undefined);
  });

  it("of an EventGate are warned about at its check, and refuse nothing", () => {
    const args = { topics: ["Nodes"], match: {}, timeout: "1m" };
    const { failures, warnings } = checkArguments(eventGateDefinition, z, "documented", args);
    assert.deepEqual([failures, warnings.length], [[], 1]);
    assert.match(warnings[0] ?? "", /^topics has a topic that/);
  });
});

describe("a topic of a subscription", () => {
  const texts: readonly [string, string, string | undefined, string][] = [
    ["Node", "Node", undefined, "Node"],
    ["Node:*", "Node", undefined, "Node"],
    ["Deployment:web", "Deployment", "web", "Deployment:web"],
    ["*", "*", undefined, "*"],
    ["*:web", "*", "web", "*:web"],
    ["Job:a:b", "Job", "a:b", "Job:a:b"],
  ];
  for (const [text, name, key, asked] of texts) {
    it(`${text} means ${key ?? "all"} of ${name}`, () => {
      const filter = topicFilter(text);
      assert.deepEqual(filter, { name, key });
      assert.equal(textOfFilter(filter), asked);
    });
  }

  const [event] = readFrame(wireFrame(1, [wireEvent(1, { Key: "n1", FilterKeys: ["web"] })]))?.events ?? [];
  const selections: readonly [string, string, boolean][] = [
    ["Node", "Node", true],
    ["Node", "Job", false],
    ["*", "Job", true],
    ["Node:n1", "Node", true],
    ["Node:n2", "Node", false],
    ["Node:n", "Node", false],
    ["Node:web", "Node", true],
    ["*:web", "Job", true],
    ["Job Node:n1", "Node", true],
    ["Job:n2 Deployment", "Node", false],
  ];
  for (const [filters, topic, expected] of selections) {
    it(`${filters} ${expected ? "selects" : "leaves"} an event of ${topic} by its keys`, () => {
      assert.ok(event !== undefined);
      assert.equal(isSelected(filters.split(" ").map(topicFilter), topic, event), expected);
    });
  }

  it("selects an event without filter keys by its key alone", () => {
    const [plain] = readFrame(wireFrame(1))?.events ?? [];
    assert.ok(plain !== undefined);
    assert.equal(isSelected([topicFilter("Node:n1")], "Node", plain), true);
    assert.equal(isSelected([topicFilter("Node:web")], "Node", plain), false);
  });
});

const jobs = "for jobs, allocations, deployments and evaluations";

describe("rightsFor", () => {
  const table: readonly [readonly string[] | undefined, string | undefined, string][] = [
    [undefined, undefined, "a management token for all topics"],
    [["*"], undefined, "a management token for all topics"],
    [["*:web", "Node"], undefined, "node:read for nodes; a management token for all topics"],
    [["Node", "NodeDrain:n1"], "*", "node:read for nodes"],
    [["Node"], "*", "node:read for nodes"],
    [["Job"], undefined, `namespace:read-job in the namespace default ${jobs}`],
    [["Allocation", "Evaluation:e1"], "team", `namespace:read-job in the namespace team ${jobs}`],
    [["Deployment:web"], "*", `namespace:read-job in all namespaces ${jobs}`],
    [["ACLToken", "Service"], undefined, "a management token for ACLToken, Service"],
  ];
  for (const [topics, namespace, needed] of table) {
    it(`reports that ${JSON.stringify(topics)} in ${namespace ?? "no namespace"} needs ${needed}`, () => {
      const everywhere =
        namespace === "*"
          ? ' The namespace "*" requires a management token, or a policy for all namespaces.'
          : "";
      assert.equal(
        rightsFor(topics, namespace),
        `This subscription requires ${needed}.${everywhere} If one topic is not allowed, the whole subscription is rejected.`,
      );
    });
  }
});

describe("an event match", () => {
  const event: Event =
    readFrame(wireFrame(1, [wireEvent(1)]))?.events[0] ?? assert.fail("the frame has no event");

  const table: readonly [EventMatch, boolean, string][] = [
    [{}, true, "an event"],
    [{ topic: undefined }, true, "an event"],
    [{ topic: "Node", key: null }, true, 'an event with topic "Node"'],
    [{ topic: "Node" }, true, 'an event with topic "Node"'],
    [{ topic: "node" }, false, 'an event with topic "node"'],
    [{ type: "NodeRegistration", key: "n1" }, true, 'an event with type "NodeRegistration" and key "n1"'],
    [{ type: "NodeRegistration", key: "n2" }, false, 'an event with type "NodeRegistration" and key "n2"'],
    [{ namespace: "" }, true, 'an event with namespace ""'],
    [{ namespace: "default" }, false, 'an event with namespace "default"'],
  ];
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
    it(`${expected ? "takes" : "leaves"} an event by what its payload contains: ${JSON.stringify(payload)}`, () => {
      const nodeEvents = [{ Message: "registered" }, { Message: "up", Subsystem: "Cluster" }];
      const node = { ...event, payload: { Node: { ID: "n1", Events: nodeEvents } } };
      assert.equal(matches({ payload }, node), expected);
      assert.equal(describeMatch({ payload }), "an event with a matching payload");
    });
  }

  for (const [match, expected, words] of table) {
    it(`${JSON.stringify(match)} ${expected ? "takes" : "leaves"} an event of a node`, () => {
      assert.equal(matches(match, event), expected);
      assert.equal(describeMatch(match), words);
    });
  }
});
