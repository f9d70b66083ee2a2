import assert from "node:assert/strict";
import { z } from "zod";
import { durationInSeconds, nameInPath, wholeSeconds } from "../../sdk/resource/schemas";

describe("durationInSeconds", () => {
  const schema = durationInSeconds(z);

  it("makes seconds of every accepted spelling", () => {
    assert.deepEqual(
      [90, "90", "90s", "1m30s", "1h"].map((value) => schema.parse(value)),
      [90, 90, 90, 90, 3600],
    );
  });

  for (const value of ["soon", "", -1, "5 minutes", null, true, {}]) {
    it(`refuses ${JSON.stringify(value)} without repeating it`, () => {
      const result = schema.safeParse(value);
      const messages = result.error?.issues.map(({ message }) => message) ?? [];
      assert.equal(messages.length, 1);
      assert.match(messages[0] ?? "", /^must be a duration/);
    });
  }
});

describe("a duration of whole seconds", () => {
  const durations: readonly [unknown, number | undefined][] = [
    ["1h", 3600],
    ["60m", 3600],
    [3600, 3600],
    ["3600", 3600],
    ["0.5m", 30],
    [0, 0],
    ["1500ms", undefined],
    [0.5, undefined],
    [-1, undefined],
    ["soon", undefined],
    [true, undefined],
  ];
  for (const [duration, seconds] of durations) {
    it(`${seconds === undefined ? "is not" : "can be"} ${JSON.stringify(duration)}`, () => {
      assert.equal(wholeSeconds(z).safeParse(duration).data, seconds);
    });
  }
});

describe("a name that becomes a part of a path", () => {
  const problemOf = (name: string): string | undefined =>
    nameInPath(z)
      .safeParse(name)
      .error?.issues.map(({ message }) => message)
      .join("; ");

  it("may be nearly anything", () => {
    for (const name of ["a", "a/b", "a b", "..a", "?x", "#", "%41", "é漢字🙂", "x".repeat(1_024)]) {
      assert.equal(problemOf(name), undefined, name);
    }
  });

  it("leads nowhere else", () => {
    assert.equal(problemOf(""), "must not be empty");
    assert.match(problemOf("..") ?? "", /would resolve to another path/);
    assert.match(problemOf("%2e%2e") ?? "", /would resolve to another path/);
    assert.match(problemOf("a\n") ?? "", /control character/);
    assert.match(problemOf("\ud800") ?? "", /well-formed/);
    assert.match(problemOf("x".repeat(1_025)) ?? "", /longer than 1024/);
  });
});
