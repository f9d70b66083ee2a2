import assert from "node:assert/strict";
import { mostProblems } from "../../../../sdk/go-template/syntax-problem";
import { Problems } from "../../../../sdk/secrets/directory/template/finding";

describe("Problems", () => {
  it("tells places in lines and columns, in the order of the text", () => {
    const problems = new Problems();
    problems.error(6, "sixth");
    problems.warning(0, "first");
    problems.error(3, "third");
    problems.error(2, "the end of the first line");
    assert.deepEqual(problems.findings("ab\ncd\n"), [
      { message: "first", line: 1, column: 1, severity: "warning" },
      { message: "the end of the first line", line: 1, column: 3, severity: "error" },
      { message: "third", line: 2, column: 1, severity: "error" },
      { message: "sixth", line: 3, column: 1, severity: "error" },
    ]);
  });

  it("keeps the findings of one place in order, each once", () => {
    const problems = new Problems();
    for (const message of ["b", "a", "b"]) {
      problems.error(0, message);
    }
    assert.deepEqual(
      problems.findings("").map(({ message }) => message),
      ["b", "a"],
    );
  });

  it("knows whether there are errors", () => {
    const problems = new Problems();
    problems.warning(0, "a warning");
    assert.equal(problems.hasErrors, false);
    problems.error(0, "an error");
    assert.equal(problems.hasErrors, true);
  });

  it("is full at some time", () => {
    const problems = new Problems();
    for (let offset = 0; offset < mostProblems; offset++) {
      assert.equal(problems.full, false);
      problems.error(offset, "again");
    }
    assert.equal(problems.full, true);
    problems.error(mostProblems, "again");
    assert.equal(problems.findings("").length, mostProblems);
  });
});
