import assert from "node:assert/strict";
import * as fc from "fast-check";
import { parseDuration } from "../../sdk/base/duration";

describe("parseDuration", () => {
  const accepted: readonly [unknown, number][] = [
    [0, 0],
    [90, 90],
    [1.5, 1.5],
    ["0", 0],
    ["90", 90],
    ["1.5", 1.5],
    ["90s", 90],
    [" 90s ", 90],
    ["1h", 3600],
    ["60m", 3600],
    ["1h30m", 5400],
    ["30m1h", 5400],
    ["1.5h", 5400],
    [".5h", 1800],
    ["1d", 86_400],
    ["1d1h1m1s", 90_061],
    ["100ms", 0.1],
    ["100ms200ms", 0.3],
    ["250us", 0.00025],
    ["250µs", 0.00025],
    ["5ns", 0.000000005],
  ];
  for (const [text, seconds] of accepted) {
    it(`reads ${JSON.stringify(text)} as ${seconds} s`, () => {
      assert.equal(parseDuration(text), seconds);
    });
  }

  const refused: readonly unknown[] = [
    "",
    " ",
    "h",
    "1x",
    "1h 30m",
    "-1h",
    "1hour",
    "1e3s",
    "h1",
    "1.h",
    "∞",
    null,
    undefined,
    true,
    [],
    {},
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ];
  for (const text of refused) {
    it(`refuses ${typeof text === "number" ? String(text) : JSON.stringify(text)}`, () => {
      assert.equal(parseDuration(text), undefined);
    });
  }

  it("adds up parts in any order and number", () => {
    const parts = fc.array(
      fc.tuple(
        fc.nat(10_000),
        fc.constantFrom(["s", 1] as const, ["m", 60] as const, ["h", 3600] as const, ["d", 86_400] as const),
      ),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(parts, (list) => {
        const text = list.map(([count, [unit]]) => `${count}${unit}`).join("");
        const seconds = list.reduce((sum, [count, [, factor]]) => sum + count * factor, 0);
        assert.equal(parseDuration(text), seconds);
      }),
    );
  });

  it("never throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const seconds = parseDuration(text);
        assert.ok(seconds === undefined || seconds >= 0);
      }),
    );
  });
});
