import assert from "node:assert/strict";
import { z } from "zod";
import { explainIssue, pathText, firstProblems } from "../../sdk/resource/issues";

describe("pathText", () => {
  const paths: readonly [readonly PropertyKey[], string][] = [
    [["name"], "name"],
    [["triggers", 1], "triggers[1]"],
    [["verification", "timeout"], "verification.timeout"],
    [["metadata", "a b", 0, "c"], 'metadata["a b"][0].c'],
    [[], ""],
  ];
  for (const [path, text] of paths) {
    it(`writes ${JSON.stringify(path)} as a program would: ${text}`, () => {
      assert.equal(pathText(path), text);
    });
  }
});

describe("explainIssue", () => {
  const cases: readonly [string, z.ZodType, unknown, string][] = [
    ["a missing value", z.string(), undefined, "is required"],
    ["a missing choice", z.enum(["a", "b"]), undefined, "is required"],
    ["a number for text", z.string(), 5, "must be a string, not a number"],
    ["null for a list", z.array(z.string()), null, "must be a list, not null"],
    ["a list for an object", z.strictObject({}), [], "must be an object, not a list"],
    ["text for a boolean", z.boolean(), "canary", "must be true or false, not a string"],
    ["another choice", z.enum(["a", "b"]), "canary", 'must be one of "a", "b"'],
    ["a member too many", z.strictObject({}), { extra: "canary" }, 'has no member "extra"'],
    ["what a schema explains itself", z.string().min(3, "must be longer"), "ca", "must be longer"],
  ];
  for (const [name, schema, value, expected] of cases) {
    it(`explains ${name}`, () => {
      const { error } = z.safeParse(schema, value, { error: explainIssue });
      assert.deepEqual(
        error?.issues.map(({ message }) => message),
        [expected],
      );
    });
  }
});

describe("many problems", () => {
  it("are shown as the first ten and their number", () => {
    const problems = Array.from({ length: 25 }, (_, index) => `problem ${index}`);
    const shown = firstProblems(problems, (more) => `and ${more} more`);
    assert.deepEqual(shown, [...problems.slice(0, 10), "and 15 more"]);
    assert.deepEqual(firstProblems(problems.slice(0, 10), String), problems.slice(0, 10));
  });
});
