import assert from "node:assert/strict";
import { difference, medianOf, ratio, takeTurns } from "../../bench/turns";

describe("takeTurns", () => {
  it("lets each have a turn in each round, begun by another every time, one after the other", async () => {
    const begun: string[] = [];
    let underWay = 0;
    const turn = (name: string, took: number) => async () => {
      begun.push(name);
      underWay += 1;
      assert.equal(underWay, 1);
      await Promise.resolve();
      underWay -= 1;
      return took + begun.length;
    };
    const taken = await takeTurns(
      { one: turn("one", 100), two: turn("two", 200), three: turn("three", 300) },
      2,
    );
    assert.deepEqual(begun, ["one", "two", "three", "two", "three", "one"]);
    assert.deepEqual(taken, { one: [101, 106], two: [202, 204], three: [303, 305] });
  });
});

describe("ratio", () => {
  it("compares within rounds, and says how far these lie apart", () => {
    assert.deepEqual(ratio([10, 300, 4], [10, 100, 2]), { value: 2, spread: [1, 3] });
  });
});

describe("difference", () => {
  it("compares within rounds, and says how far these lie apart", () => {
    assert.deepEqual(difference([10, 300, 4], [10, 100, 2]), { value: 2, spread: [0, 200] });
  });
});

describe("medianOf", () => {
  it("is the value in the middle, with the least and the most", () => {
    assert.deepEqual(medianOf([3, 1, 2]), { value: 2, spread: [1, 3] });
  });
});
