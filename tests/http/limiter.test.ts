import assert from "node:assert/strict";
import { Limiter, type AcquireOptions } from "../../sdk/http/limiter";
import { ManualClock, settle } from "./clock";

describe("limiter", () => {
  let clock: ManualClock;
  let started: string[];

  beforeEach(() => {
    clock = new ManualClock();
    started = [];
  });

  function queue(limiter: Limiter, names: string, options: AcquireOptions = {}): void {
    Array.from(names).forEach((name) => void limiter.acquire(options).then(() => started.push(name)));
  }

  async function assertStarted(expected: string): Promise<void> {
    await settle();
    assert.equal(started.join(""), expected);
  }

  it("the limiter starts as many requests as are allowed, first come first served, with retries first", async () => {
    const limiter = new Limiter(2, clock);
    queue(limiter, "abcd");
    queue(limiter, "RS", { again: true });
    for (const expected of ["ab", "abR", "abRS", "abRSc", "abRScd"]) {
      await assertStarted(expected);
      limiter.release();
    }
  });

  it("the limiter starts the next request even if the clock was set back, and after a pause even if the clock has stopped", async () => {
    let now = 1_000_000;
    const { date, sleep, random } = clock;
    const frozen = { now: () => now, date, sleep, random };
    const limiter = new Limiter(1, frozen);
    queue(limiter, "a");
    await assertStarted("a");
    limiter.pause(1000);
    limiter.release();
    queue(limiter, "bc");
    await clock.advance(1000);
    await assertStarted("ab");
    limiter.release();
    now = 5;
    queue(limiter, "d");
    await clock.advance(0);
    await assertStarted("abc");
  });

  it("the limiter starts no requests during a pause, which is never shortened, and then one after the other", async () => {
    const limiter = new Limiter(10, clock);
    limiter.pause(1000);
    limiter.pause(4000);
    limiter.pause(2000);
    queue(limiter, "abc");
    await clock.advance(3999);
    await assertStarted("");
    await clock.advance(1);
    await assertStarted("a");
    await clock.advance(1000);
    await assertStarted("abc");
  });

  /** Milliseconds between two requests that both want to start at once. */
  async function distance(limiter: Limiter): Promise<number> {
    await clock.advance(1000);
    started = [];
    queue(limiter, "ab");
    await settle();
    const before = clock.now();
    while (started.length < 2) {
      await clock.advance(1);
    }
    return clock.now() - before;
  }

  it("the interval between requests doubles with every further pause, up to a quarter of a second", async () => {
    const limiter = new Limiter(100, clock);
    const distances: number[] = [];
    for (let count = 0; count < 6; count++) {
      limiter.pause(100);
      await clock.advance(100);
      distances.push(await distance(limiter));
    }
    assert.deepEqual(distances, [10, 20, 40, 80, 160, 250]);
  });

  it("the interval between requests doubles for a pause that begins when the previous one ends, but not for a pause within it", async () => {
    const limiter = new Limiter(100, clock);
    Array.from({ length: 8 }, () => limiter.pause(100));
    await clock.advance(99);
    limiter.pause(1);
    await clock.advance(1);
    limiter.pause(100);
    assert.equal(await distance(limiter), 20);
  });

  it("the interval between requests shrinks with every success until it is zero", async () => {
    const limiter = new Limiter(100, clock);
    limiter.pause(0);
    const distances: number[] = [];
    for (const successes of [1, 19, 100]) {
      Array.from({ length: successes }, () => limiter.succeeded());
      distances.push(await distance(limiter));
    }
    assert.deepEqual(distances, [10, 4, 0]);
  });

  it("the interval between requests has jitter", async () => {
    const distances: number[] = [];
    for (const random of [0, 0.9]) {
      clock = Object.assign(new ManualClock(), { random: () => random });
      const limiter = new Limiter(100, clock);
      limiter.pause(0);
      distances.push(await distance(limiter));
    }
    assert.deepEqual(distances, [5, 14]);
  });

  it("the limiter shows the length of the pause to all waiting callers", async () => {
    const limiter = new Limiter(1, clock);
    const shown: string[] = [];
    const progress = (message: string): void => void shown.push(message);
    queue(limiter, "ab", { progress });
    await settle();
    limiter.pause(3000);
    queue(limiter, "c", { progress });
    const text = "the service is rate limiting, waiting";
    assert.deepEqual(shown, [`${text} 3 s`, `${text} 3 s`]);
    await clock.advance(2999);
    queue(limiter, "d", { progress });
    await clock.advance(1);
    queue(limiter, "e", { progress });
    limiter.pause(0);
    assert.deepEqual(shown.slice(2), [`${text} 0.1 s`]);
  });

  it("the limiter ends a wait at once when it is aborted, and ignores the signal after the turn has begun", async () => {
    const limiter = new Limiter(1, clock);
    const abort = new AbortController();
    queue(limiter, "a", { signal: abort.signal });
    await settle();
    const waiting = limiter.acquire({ signal: abort.signal });
    queue(limiter, "c");
    abort.abort(new Error("stop"));
    await assert.rejects(waiting, { message: "stop" });
    await assert.rejects(limiter.acquire({ signal: abort.signal }), { message: "stop" });
    limiter.release();
    await assertStarted("ac");
  });

  it("the limiter keeps no timer when nothing waits", async () => {
    const limiter = new Limiter(1, clock);
    const abort = new AbortController();
    limiter.pause(60_000);
    const waiting = limiter.acquire({ signal: abort.signal });
    assert.equal(clock.asleep, 1);
    abort.abort(new Error("stop"));
    await assert.rejects(waiting);
    assert.equal(clock.asleep, 0);
  });
});
