import assert from "node:assert/strict";
import type { Event } from "../../sdk/scheduler";
import { readFrame } from "../../sdk/scheduler/frame";
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
  for (const [match, expected, words] of table) {
    it(`${JSON.stringify(match)} ${expected ? "takes" : "leaves"} an event of a node`, () => {
      assert.equal(matches(match, event), expected);
      assert.equal(describeMatch(match), words);
    });
  }
});
