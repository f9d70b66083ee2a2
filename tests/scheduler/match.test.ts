import assert from "node:assert/strict";
import type { Event } from "../../sdk/scheduler";
import { readFrame } from "../../sdk/scheduler/decoder";
import { describeMatch, type EventMatch, matches } from "../../sdk/scheduler/match";
import { wireEvent, wireFrame } from "./wire";

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
