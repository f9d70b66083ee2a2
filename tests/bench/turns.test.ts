import assert from "node:assert/strict";
import { divide, spreadOf, takeTurns } from "../../bench/turns";

describe("bench: turns", () => {
  it("lets another side begin each round", async () => {
    const order: string[] = [];
    const turn = (name: string) => () => Promise.resolve(order.push(name));
    const taken = await takeTurns({ a: turn("a"), b: turn("b") }, 2);
    assert.deepEqual(order, ["a", "b", "b", "a"]);
    assert.deepEqual(taken, { a: [1, 4], b: [2, 3] });
  });

  it("compares within rounds, not across them", () => {
    assert.deepEqual(spreadOf([10, 200, 9], [10, 100, 10], divide), { least: 0.9, median: 1, most: 2 });
  });
});
