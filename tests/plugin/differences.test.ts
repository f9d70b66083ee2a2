import assert from "node:assert/strict";
import { differences } from "../../sdk/plugin/differences";

describe("the parts of a value that differ", () => {
  const inList = ['x[""][0][1]', 'x[""][1]'];
  const several = [
    ["x.a", "DELETE"],
    ['x["0]"]', "UPDATE"],
    [inList[0], "ADD"],
    [inList[1], "DELETE"],
  ];
  for (const [before, after, expected] of [
    [["a", "b"], ["a", "c"], [["x[1]", "UPDATE"]]],
    [["a"], ["a", "b"], [["x[1]", "ADD"]]],
    [["a", "b"], ["a"], [["x[1]", "DELETE"]]],
    [null, ["a"], [["x", "ADD"]]],
    ["a", null, [["x", "DELETE"]]],
    ["a", 1, [["x", "UPDATE"]]],
    [{ b: 1 }, { b: 2 }, [["x.b", "UPDATE"]]],
    [{ "c.d": 2 }, { "c.d": 3 }, [['x["c.d"]', "UPDATE"]]],
    [{ a: 1, "0]": 1, "": [[1], 2] }, { "0]": 2, "": [[1, 3]] }, several],
    [null, null, []],
    [["a"], { a: 1 }, [["x", "UPDATE"]]],
    [{ b: [1] }, { b: [2] }, [["x.b[0]", "UPDATE"]]],
    [{ b: [1] }, { b: [1] }, []],
    [{}, { "CORP\\alice": 1 }, [['x["CORP\\alice"]', "ADD"]]],
    [{ 'a"b\\"': 1 }, {}, [['x["a\\"b\\\\""]', "DELETE"]]],
    [{ a: { b: 1, "c\\": 1 } }, { a: { b: 2, "c\\": 2 } }, [["x.a", "UPDATE"]]],
    [{ a: { b: 1, "c\\": 1 } }, { a: { b: 2, "c\\": 1 } }, [["x.a.b", "UPDATE"]]],
    [{ "line\nbreak": 1 }, { "line\nbreak": 2 }, [['x["line\nbreak"]', "UPDATE"]]],
    [{}, { constructor: 1 }, [["x.constructor", "ADD"]]],
  ] as const) {
    it(`the parts that differ are found: ${JSON.stringify(before)} and ${JSON.stringify(after)}`, () =>
      assert.deepEqual(differences("x", before, after), expected));
  }
});
