import assert from "node:assert/strict";
import fc from "fast-check";
import { isObject, type JsonValue, sameJson } from "../../sdk/base/json";
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

  const oddKeys = ["", ...'a * 0 toString \\ " \\" "\\ a] [0] . a.b CORP\\alice'.split(" ")];
  const key = fc.oneof(
    fc.constantFrom(...oddKeys),
    fc.string({ unit: fc.constantFrom("a", "\\", '"', "[", "]", ".", " ") }),
  );
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<JsonValue[]>(1, 2, "x", true),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));

  it("the differing parts lead from one value to the other, as the engine reads them", () =>
    fc.assert(
      fc.property(value, value, (before, after) => {
        const found = differences("x", before, after);
        assert.equal(found.length === 0, sameJson(before, after));
        let whole: Part = { x: before };
        for (const [path, change] of found) {
          const parts = partsOf(path);
          const [from, to] = [at({ x: before }, parts), at({ x: after }, parts)];
          assert.equal(change, from === undefined ? "ADD" : to === undefined ? "DELETE" : "UPDATE", path);
          whole = changed(whole, parts, to);
        }
        assert.deepEqual(whole, { x: after });
      }),
      { numRuns: 500 },
    ));
});

/** Reads a path as the engine's resource.ParsePropertyPath does. */
function partsOf(path: string): (string | number)[] {
  const parts: (string | number)[] = [];
  for (let rest = path; rest !== "";) {
    const [whole, quoted, index, name] =
      /^(?:\["((?:\\"|[^"\\]|\\(?!"))*)"\]|\[(\d+)\]|\.?([^.[]+))/s.exec(rest) ?? assert.fail(path);
    parts.push(quoted?.replaceAll('\\"', '"') ?? name ?? Number(index));
    rest = rest.slice(whole.length);
  }
  return parts;
}

type Part = JsonValue | undefined;

function at(value: Part, [part, ...rest]: readonly (string | number)[]): Part {
  if (part === undefined) {
    return value;
  }
  const known = typeof value === "object" && value !== null && Object.hasOwn(value, part);
  return known ? at((value as Record<string | number, JsonValue>)[part], rest) : undefined;
}

/** The value with another part; those behind the end of a list come in order, and go from the last. */
function changed(value: Part, [part, ...rest]: readonly (string | number)[], to: Part): Part {
  if (part === undefined) {
    return to;
  }
  const member = changed(at(value, [part]), rest, to);
  if (typeof part === "number") {
    const list = Array.isArray(value) ? (value as JsonValue[]) : assert.fail();
    return member === undefined ? list.slice(0, part) : list.toSpliced(part, 1, member);
  }
  const map = isObject(value) ? (value as Record<string, JsonValue>) : assert.fail();
  const others = Object.entries(map).filter(([name]) => name !== part);
  return Object.fromEntries([...others, ...(member === undefined ? [] : [[part, member] as const])]);
}
