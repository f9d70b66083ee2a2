import assert from "node:assert/strict";
import * as fc from "fast-check";
import { parseDuration } from "../../sdk/base/duration";

describe("parseDuration", () => {
  const accepted: readonly [seconds: number, ...spellings: unknown[]][] = [
    [0, 0, "0"],
    [90, 90, "90", "90s", " 90s "],
    [1.5, 1.5, "1.5"],
    [3600, "1h", "60m"],
    [5400, "1h30m", "30m1h", "1.5h"],
    [1800, ".5h"],
    [86_400, "1d"],
    [90_061, "1d1h1m1s"],
    [0.1, "100ms"],
    [0.3, "100ms200ms"],
    [0.00025, "250us", "250µs"],
    [0.000000005, "5ns"],
  ];
  for (const [seconds, ...spellings] of accepted) {
    it(`reads ${seconds} s from ${spellings.map((each) => JSON.stringify(each)).join()}`, () => {
      spellings.forEach((each) => assert.equal(parseDuration(each), seconds));
    });
  }

  it("refuses everything else", () => {
    const texts = ["", " ", "h", "1x", "1h 30m", "-1h", "1hour", "1e3s", "h1", "1.h", "∞"];
    const others = [null, undefined, true, [], {}, -1, Number.NaN, Number.POSITIVE_INFINITY];
    [...texts, ...others].forEach((each) => assert.equal(parseDuration(each), undefined));
  });

  it("adds up parts in any order and number", () => {
    const unit = fc.constantFrom<[string, number][]>(["s", 1], ["m", 60], ["h", 3600], ["d", 86_400]);
    const parts = fc.array(fc.tuple(fc.nat(10_000), unit), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(parts, (list) => {
        const text = list.map(([count, [name]]) => `${count}${name}`).join("");
        const seconds = list.reduce((sum, [count, [, factor]]) => sum + count * factor, 0);
        assert.equal(parseDuration(text), seconds);
      }),
    );
  });

  it("never throws, whatever the text", () => {
    fc.assert(fc.property(fc.string(), (text) => (parseDuration(text) ?? 0) >= 0));
  });
});
