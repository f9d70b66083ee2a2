import assert from "node:assert/strict";
import { z } from "zod";
import {
  durationInSeconds,
  nameInPath,
  nameInResponse,
  warnOfEmpty,
  wholeSeconds,
  sameTriggers,
  triggersArgument,
  triggersDefinition,
} from "../../../sdk/resource/fields/kinds";
import { equivalent } from "../../../sdk/resource/fields/argument";

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

describe("a duration that is missing", () => {
  it("is required", () => {
    const messages = durationInSeconds(z)
      .safeParse(undefined)
      .error?.issues.map(({ message }) => message);
    assert.deepEqual(messages, ["is required"]);
  });
});

describe("a duration of whole seconds", () => {
  it("is refused in parts of seconds, and the problem is named", () => {
    const messages = wholeSeconds(z)
      .safeParse("1500ms")
      .error?.issues.map(({ message }) => message);
    assert.deepEqual(messages, ["must be a whole number of seconds"]);
  });

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

describe("warnOfEmpty", () => {
  const values: readonly [unknown, string | undefined][] = [
    ["", "is empty"],
    [" ", undefined],
    [undefined, undefined],
    [[], undefined],
    [["a"], undefined],
    [["a", ""], "has an empty item"],
    [{ includes: () => true }, undefined],
  ];
  for (const [value, warning] of values) {
    it(`${warning === undefined ? "says nothing of" : "warns of"} ${JSON.stringify(value)}`, () => {
      assert.equal(warnOfEmpty(value), warning);
    });
  }
});

describe("a name in a response", () => {
  const accepts = (name: string): boolean => nameInResponse(z).safeParse(name).success;

  it("may be any text that is well-formed, and not too long", () => {
    for (const name of ["a", "~ a/b?#", "é漢字🙂", "a\nb", "x".repeat(1_000)]) {
      assert.equal(accepts(name), true, name);
    }
    for (const name of ["", "x".repeat(1_001), "a\ud800", "\udc00b"]) {
      assert.equal(accepts(name), false, name);
    }
  });
});

describe("triggers", () => {
  it("are names with simple values, or nothing", () => {
    const accepts = (value: unknown): boolean => triggersArgument(z).safeParse(value).success;
    assert.ok([undefined, {}, { a: "x", b: 2, c: true }].every(accepts));
    assert.ok(![null, "x", ["x"], { a: null }, { a: {} }, { a: [1] }].some(accepts));
  });

  it("are the same in another order, and none is the same as nothing", () => {
    assert.ok(equivalent(triggersDefinition, { a: 1, b: 2 }, { b: 2, a: 1 }));
    assert.ok(equivalent(triggersDefinition, {}, null));
    assert.ok(!equivalent(triggersDefinition, { a: 1 }, { a: "1" }));
    assert.ok(!equivalent(triggersDefinition, { a: 1 }, null));
  });

  it("make nothing happen again where they say the same, or nothing", () => {
    assert.ok(sameTriggers({ a: 1 }, { a: 1 }));
    assert.ok(sameTriggers(undefined, {}));
    assert.ok(sameTriggers({}, null));
    assert.ok(!sameTriggers({ a: 1 }, { a: 2 }));
    assert.ok(!sameTriggers({ a: 1 }, undefined));
  });
});
