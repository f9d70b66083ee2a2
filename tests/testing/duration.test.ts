import assert from "node:assert/strict";
import { toMilliseconds } from "../../sdk/testing/duration";

describe("the emulator's durations", () => {
  const accepted: readonly [number | string, number][] = [
    [0, 0],
    [1500, 1500],
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5m", 90_000],
    ["1h", 3_600_000],
    ["2d", 172_800_000],
    ["1h30m5s", 5_405_000],
  ];
  for (const [duration, milliseconds] of accepted) {
    it(`reads ${JSON.stringify(duration)}`, () => {
      assert.equal(toMilliseconds(duration), milliseconds);
    });
  }

  for (const duration of [
    "",
    "30",
    "h",
    "1 h",
    "-1s",
    "1w",
    "forever",
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ]) {
    it(`refuses ${typeof duration === "number" ? String(duration) : JSON.stringify(duration)}`, () => {
      assert.throws(() => toMilliseconds(duration), { name: "RangeError", message: /is not a duration/ });
    });
  }
});
