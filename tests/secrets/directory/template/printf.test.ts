import assert from "node:assert/strict";
import { formatProblem } from "../../../../sdk/secrets/directory/template/printf";

describe("formatProblem", () => {
  const right: readonly [string, number][] = [
    ["", 0],
    ["100%%", 0],
    ["%s", 1],
    ["%s-%s", 2],
    ["%05d|%-8s|%+.2f|% x|%#v|%6.2f", 6],
    ["%[1]s-%[1]s", 1],
    ["%*d", 2],
    ["100%", 0],
  ];
  for (const [format, given] of right) {
    it(`accepts ${JSON.stringify(format)} with ${given}`, () => {
      assert.equal(formatProblem(format, given), undefined);
    });
  }

  it("counts what the format asks for", () => {
    assert.equal(formatProblem("%s-%d", 1), "The format asks for 2 values, but gets 1.");
    assert.equal(formatProblem("%s", 0), "The format asks for 1 value, but gets 0.");
    assert.equal(formatProblem("%%", 1), "The format asks for 0 values, but gets 1.");
  });
});
