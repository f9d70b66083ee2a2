import assert from "node:assert/strict";
import { readFrame } from "../../sdk/scheduler/frame";
import { isSelected, textOfFilter, topicFilter } from "../../sdk/scheduler/topic-filter";
import { wireEvent, wireFrame } from "./wire";

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
