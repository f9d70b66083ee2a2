import assert from "node:assert/strict";
import { differences } from "../../sdk/plugin/differences";

describe("the parts of a value that differ", () => {
  for (const [before, after, expected] of [
    [["a", "b"], ["a", "c"], [["x[1]", "UPDATE"]]],
    [["a"], ["a", "b"], [["x[1]", "ADD"]]],
    [["a", "b"], ["a"], [["x[1]", "DELETE"]]],
    [null, ["a"], [["x", "ADD"]]],
    ["a", null, [["x", "DELETE"]]],
    ["a", 1, [["x", "UPDATE"]]],
    [
      { b: 1, "c.d": 2 },
      { b: 2, "c.d": 3 },
      [
        ["x.b", "UPDATE"],
        ['x["c.d"]', "UPDATE"],
      ],
    ],
    [{ b: [1] }, { b: [2] }, [["x.b[0]", "UPDATE"]]],
    [{ b: [1] }, { b: [1] }, []],
  ] as const) {
    it(`${JSON.stringify(before)} and ${JSON.stringify(after)}`, () => {
      assert.deepEqual(differences("x", before, after), expected);
    });
  }
});
