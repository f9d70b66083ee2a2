import assert from "node:assert/strict";
import { seededRandom } from "../../sdk/testing/random";

describe("the seeded random numbers", () => {
  const draw = (seed: number, count: number): number[] => {
    const random = seededRandom(seed);
    return Array.from({ length: count }, () => random());
  };

  it("are the same for the same seed and others for another", () => {
    assert.deepEqual(draw(7, 50), draw(7, 50));
    assert.notDeepEqual(draw(7, 50), draw(8, 50));
  });

  it("spread evenly from 0 up to 1", () => {
    const numbers = draw(1, 10_000);
    assert.ok(numbers.every((number) => number >= 0 && number < 1));
    for (let tenth = 0; tenth < 10; tenth++) {
      const share = numbers.filter((number) => Math.floor(number * 10) === tenth).length;
      assert.ok(share > 850 && share < 1_150, `${share} of 10,000 in the tenth ${tenth}`);
    }
  });
});
