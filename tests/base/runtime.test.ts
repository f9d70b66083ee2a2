import assert from "node:assert/strict";
import { longestTimer, systemRuntime, timerMilliseconds } from "../../sdk/base/runtime";

describe("milliseconds of a timer", () => {
  for (const [seconds, expected] of [
    [0, 1],
    [0.0001, 1],
    [0.25, 250],
    [2, 2000],
    [2_592_000, longestTimer],
    [1e300, longestTimer],
    [Number.POSITIVE_INFINITY, longestTimer],
  ] as const) {
    it(`are ${expected} for ${seconds} s`, () => {
      assert.equal(timerMilliseconds(seconds), expected);
    });
  }

  it("are never too many for the runtime", async () => {
    const cancelled = new AbortController();
    const sleeping = systemRuntime.sleep(timerMilliseconds(1e9), cancelled.signal);
    const first = await Promise.race([sleeping, systemRuntime.sleep(20).then(() => "still asleep")]);
    assert.equal(first, "still asleep");
    cancelled.abort();
    await assert.rejects(sleeping);
  });
});
