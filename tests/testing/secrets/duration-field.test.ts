import assert from "node:assert/strict";
import fc from "fast-check";
import { readDuration } from "../../../sdk/testing/secrets/duration-field";

describe("a duration in a body", () => {
  const accepted: readonly [unknown, number][] = [
    [0, 0],
    [90, 90],
    ["0", 0],
    ["3600", 3600],
    [" 5s ", 5],
    ["90s", 90],
    ["1h30m", 5400],
    ["1d", 86_400],
    ["1.5h", 5400],
    ["1.1h", 3960],
    ["1500ms", 1],
    ["999ms", 0],
    ["2000000us", 2],
    ["1000000000ns", 1],
    ["24h0m0s", 86_400],
  ];
  for (const [value, seconds] of accepted) {
    it(`${JSON.stringify(value)} is ${seconds} seconds`, () => assert.equal(readDuration(value), seconds));
  }

  for (const value of [
    -1,
    "-1",
    "-1s",
    1.5,
    "1.5",
    "",
    "s",
    "soon",
    "1 h",
    "1w",
    "1h 30m",
    null,
    true,
    [],
    {},
  ]) {
    it(`${JSON.stringify(value)} is none`, () => assert.equal(readDuration(value), undefined));
  }

  it("is the same in every spelling", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 1_000 }),
        fc.nat({ max: 59 }),
        fc.nat({ max: 59 }),
        (hours, minutes, seconds) => {
          const total = hours * 3_600 + minutes * 60 + seconds;
          for (const spelling of [total, String(total), `${total}s`, `${hours}h${minutes}m${seconds}s`]) {
            assert.equal(readDuration(spelling), total);
          }
        },
      ),
    );
  });
});
