import assert from "node:assert/strict";
import { BackOff, type ConnectionOutcome } from "../../sdk/scheduler/back-off";

function delays(outcomes: readonly ConnectionOutcome[], random = 0): number[] {
  const backOff = new BackOff();
  return outcomes.map((outcome) => Math.round(backOff.next(outcome, random)));
}

const repeated = (outcome: ConnectionOutcome, times: number): ConnectionOutcome[] =>
  Array.from({ length: times }, () => outcome);

describe("BackOff", () => {
  it("doubles while connections bring nothing, up to 30 seconds", () => {
    assert.deepEqual(
      delays(repeated("dead", 11)),
      [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000],
    );
  });

  it("adds up to as much again by chance", () => {
    assert.deepEqual(delays(repeated("dead", 3), 0.999_999), [100, 200, 400]);
  });

  it("begins anew after a connection that brought events", () => {
    assert.deepEqual(delays([...repeated("dead", 4), "productive", "dead"]), [50, 100, 200, 400, 50, 50]);
  });

  it("grows slowly while connections live but bring no event", () => {
    const alive = delays(repeated("alive", 250));
    assert.deepEqual([alive[0], alive[15], alive[30], alive[50]], [50, 50, 100, 200]);
    assert.equal(alive.at(-1), 15_000);
  });
});
