import assert from "node:assert/strict";
import fc from "fast-check";
import { schedulerDialects } from "../../sdk/scheduler/dialect";
import type { Frame } from "../../sdk/scheduler/event";
import { readFrame } from "../../sdk/scheduler/decoder";
import { Translation } from "../../sdk/scheduler/subscription";
import { wireEvent, wireFrame } from "./wire";

/** An event in the words of the documents. */
interface Documented {
  readonly topic: string;
  readonly type: string;
  readonly key: string;
  readonly filterKeys: readonly string[];
}

const keys = ["a", "b", "c"];
const typesByTopic: Readonly<Record<string, readonly [string, ...string[]]>> = {
  Node: ["NodeRegistration", "NodeEvent"],
  NodeDrain: ["NodeDrain"],
  Job: ["JobRegistered"],
};
const event: fc.Arbitrary<Documented> = fc.constantFrom(...Object.keys(typesByTopic)).chain((topic) =>
  fc.record({
    topic: fc.constant(topic),
    type: fc.constantFrom(...(typesByTopic[topic] ?? [])),
    key: fc.constantFrom(...keys),
    filterKeys: fc.subarray(keys),
  }),
);
const filter = fc
  .tuple(fc.constantFrom("Node", "NodeDrain", "Job", "*"), fc.constantFrom("", ":*", ":a", ":b"))
  .map((parts) => parts.join(""));
const subscription = fc.option(fc.array(filter, { minLength: 1, maxLength: 4 }), { nil: undefined });

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

function frameOf({ topic, type, key, filterKeys }: Documented): Frame {
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
      fc.property(event, subscription, (documented, topics) => {
        const translation = new Translation(topics, schedulerDialects.hashicorp);
        const sent = inHashicorp(documented);
        const seen = isSent(translation.wireTopics, sent) ? translation.read(frameOf(sent)) : undefined;
        const isDrainOfNode = documented.topic === "NodeDrain" && isSent(topics, sent);
        const expected = isSent(topics, documented) ? documented : isDrainOfNode ? sent : undefined;
        assert.deepEqual(seen, expected && frameOf(expected));
      }),
      { numRuns: 2000 },
    );
  });
});
