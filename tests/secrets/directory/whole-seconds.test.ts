import assert from "node:assert/strict";
import { z } from "zod";
import { wholeSeconds } from "../../../sdk/secrets/directory/whole-seconds";

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
