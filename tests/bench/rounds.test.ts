import assert from "node:assert/strict";
import { median, speed } from "../../bench/rounds";

describe("speed", () => {
  /** Two contenders on a clock that only they move, and who of them had a turn when. */
  function race(durations: Readonly<Record<"one" | "other", (turn: number) => number>>, rounds: number) {
    let time = 0;
    const turns: string[] = [];
    const contender = (name: "one" | "other") => () => {
      turns.push(name);
      time += durations[name](turns.filter((turn) => turn === name).length);
      return 7;
    };
    const ratio = speed(contender("one"), contender("other"), rounds, () => time);
    return { ratio, turns };
  }

  it("is above one for who needs less time", () => {
    assert.equal(race({ one: () => 5, other: () => 10 }, 4).ratio, 2);
    assert.equal(race({ one: () => 10, other: () => 5 }, 4).ratio, 0.5);
  });

  it("compares within rounds, in which the machine is equally busy for both, and takes their median", () => {
    const busier = (turn: number): number => 2 ** turn;
    assert.equal(race({ one: busier, other: (turn) => 3 * busier(turn) }, 6).ratio, 3);
    const oneHiccup = (turn: number): number => (turn === 6 ? 1000 : 4);
    assert.equal(race({ one: oneHiccup, other: () => 4 }, 6).ratio, 1);
  });

  it("does not count the first rounds, in which code is still being compiled", () => {
    assert.equal(race({ one: (turn) => (turn <= 3 ? 1000 : 1), other: () => 1 }, 1).ratio, 1);
  });

  it("lets each begin in every other round", () => {
    const { turns } = race({ one: () => 1, other: () => 1 }, 3);
    const beginners = turns.filter((_, turn) => turn % 2 === 0);
    assert.deepEqual(beginners, ["other", "one", "other", "one", "other", "one"]);
  });

  it("refuses to compare what does not do the same", () => {
    assert.throws(
      () =>
        speed(
          () => 1,
          () => 2,
          1,
        ),
      /do not do the same: one did 1, the other 2/,
    );
  });
});

describe("median", () => {
  it("is the value in the middle, or lies between the two there", () => {
    assert.equal(median([10, 1, 2]), 2);
    assert.equal(median([10, 1, 2, 4]), 3);
    assert.equal(median([5]), 5);
    assert.throws(() => median([]), /no median of nothing/);
  });
});
