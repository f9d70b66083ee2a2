import assert from "node:assert/strict";
import { z } from "zod";
import { checkArguments } from "../../sdk/resource/check";
import { eventGateDefinition } from "../../sdk/scheduler/event-gate";
import { isSelected, textOfFilter, topicFilter, unknownTopics } from "../../sdk/scheduler/subscription";
import { readFrame } from "../../sdk/scheduler/decoder";
import { wireEvent, wireFrame } from "./wire";

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
