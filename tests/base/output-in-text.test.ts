import assert from "node:assert/strict";
import { problemOfOutputInText } from "../../sdk/base/output-in-text";

const made = "x: Calling [toString] on an [Output<T>] is not supported.";

function nested(depth: number, inside: unknown): unknown {
  let value = inside;
  for (let level = 0; level < depth; level += 1) {
    value = [value];
  }
  return value;
}

describe("problemOfOutputInText", () => {
  const circle: { self?: unknown; text?: string } = { text: "a" };
  circle.self = circle;
  const rows: readonly (readonly [string, unknown, boolean])[] = [
    ["a text", "a", false],
    ["a text that was made from an output", made, true],
    ["a member that was made from an output", { a: [{ b: made }] }, true],
    ["a value that contains itself", circle, false],
    ["a value that contains itself and such a text", { circle, made }, true],
    ["a deeply nested value", nested(20_000, "a"), false],
    ["a deeply nested value with such a text", nested(20_000, made), true],
  ];
  for (const [what, value, isFound] of rows) {
    it(`an output in a string is ${isFound ? "found" : "not found"} in ${what}`, () =>
      assert.equal(problemOfOutputInText(value) !== undefined, isFound));
  }
});
