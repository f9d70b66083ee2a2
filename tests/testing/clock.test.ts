import assert from "node:assert/strict";
import { EmulatorClock } from "../../sdk/testing/clock";

describe("the emulator's clock", () => {
  it("stops when frozen, except when it is advanced", () => {
    const clock = new EmulatorClock(1_000);
    assert.equal(clock.now(), 1_000);
    clock.advance(500);
    assert.equal(clock.now(), 1_500);
    clock.reset();
    assert.equal(clock.now(), 1_000);
  });

  it("runs ahead of the machine's clock by what was advanced", () => {
    const clock = new EmulatorClock(undefined);
    const before = Date.now();
    clock.advance(3_600_000);
    const between = clock.now();
    const after = Date.now();
    assert.ok(between >= before + 3_600_000 && between <= after + 3_600_000);
  });

  it("fires timers in the order of their time, each at its own time, and repeated ones as often as due", () => {
    const clock = new EmulatorClock(0);
    const fired: [string, number][] = [];
    clock.after(30, () => fired.push(["second", clock.now()]));
    clock.after(20, () => fired.push(["first", clock.now()]));
    clock.after(500, () => fired.push(["never", clock.now()]));
    const repeat = (): void => {
      clock.after(40, () => {
        fired.push(["repeated", clock.now()]);
        repeat();
      });
    };
    repeat();
    clock.advance(100);
    assert.deepEqual(fired, [
      ["first", 20],
      ["second", 30],
      ["repeated", 40],
      ["repeated", 80],
    ]);
    assert.equal(clock.now(), 100);
  });

  it("does not fire a cancelled timer", () => {
    const clock = new EmulatorClock(0);
    let fired = false;
    clock.after(10, () => (fired = true))();
    clock.advance(20);
    assert.equal(fired, false);
  });

  it("fires by itself when it runs", async () => {
    const clock = new EmulatorClock(undefined);
    // Its own timers keep no process alive, so the test has to.
    const alive = setInterval(() => undefined, 1_000);
    assert.equal(await clock.wait(1), true);
    clearInterval(alive);
  });

  it("tells who waits when it is put back to the start", async () => {
    const clock = new EmulatorClock(0);
    const waiting = clock.wait(10);
    clock.reset();
    assert.equal(await waiting, false);
  });
});
