import assert from "node:assert/strict";
import { z } from "zod";
import { checkArguments } from "../../sdk/resource/check";
import { eventGateDefinition } from "../../sdk/scheduler/event-gate";
import { unknownTopics } from "../../sdk/scheduler/topics";

describe("topics of a subscription", () => {
  it("are known when the documents list them, with or without a key", () => {
    assert.equal(
      unknownTopics(["Node", "Deployment:web", "*", "*:web", "NodeDrain"], "documented"),
      undefined,
    );
    assert.match(unknownTopics(["Nodes"], "documented") ?? "", /documents do not list/);
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
