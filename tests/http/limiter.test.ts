import assert from "node:assert/strict";
import { Limiter, type Turn } from "../../sdk/http/limiter";
import { ManualClock, settle } from "./clock";

describe("limiter", () => {
  let clock: ManualClock;
  let started: string[];
  let turns: Map<string, Turn>;

  beforeEach(() => {
    clock = new ManualClock();
    started = [];
    turns = new Map();
  });

  function queue(limiter: Limiter, name: string, options: Parameters<Limiter["turn"]>[0] = {}): void {
    void limiter.turn(options).then((turn) => {
      started.push(name);
      turns.set(name, turn);
    });
  }

  it("lets so many start at once, and the others in their order", async () => {
    const limiter = new Limiter(2, clock);
    ["a", "b", "c", "d"].forEach((name) => queue(limiter, name));
    await settle();
    assert.deepEqual(started, ["a", "b"]);
    turns.get("b")?.end();
    await settle();
    assert.deepEqual(started, ["a", "b", "c"]);
    turns.get("a")?.end();
    await settle();
    assert.deepEqual(started, ["a", "b", "c", "d"]);
  });

  it("counts a turn that is handed back twice only once", async () => {
    const limiter = new Limiter(1, clock);
    ["a", "b", "c"].forEach((name) => queue(limiter, name));
    await settle();
    turns.get("a")?.end();
    turns.get("a")?.end();
    await settle();
    assert.deepEqual(started, ["a", "b"]);
  });

  it("lets those who come again go before those who have not had a turn", async () => {
    const limiter = new Limiter(1, clock);
    ["a", "b"].forEach((name) => queue(limiter, name));
    queue(limiter, "again", { again: true });
    await settle();
    turns.get("a")?.end();
    await settle();
    assert.deepEqual(started, ["a", "again"]);
  });

  it("starts nobody during a pause, and not everybody at once after it", async () => {
    const limiter = new Limiter(10, clock);
    limiter.pause(3000);
    ["a", "b", "c"].forEach((name) => queue(limiter, name));
    await clock.advance(2999);
    assert.deepEqual(started, []);
    await clock.advance(1);
    assert.deepEqual(started, ["a"]);
    await clock.advance(1000);
    assert.deepEqual(started, ["a", "b", "c"]);
  });

  it("lengthens a pause, and never shortens one", async () => {
    const limiter = new Limiter(10, clock);
    limiter.pause(1000);
    limiter.pause(4000);
    limiter.pause(2000);
    queue(limiter, "a");
    await clock.advance(3999);
    assert.deepEqual(started, []);
    await clock.advance(1);
    assert.deepEqual(started, ["a"]);
  });

  describe("the distance between requests", () => {
    /** Milliseconds between two requests that both want to start at once. */
    async function distance(limiter: Limiter): Promise<number> {
      await clock.advance(1000);
      started = [];
      ["a", "b"].forEach((name) => queue(limiter, name));
      await settle();
      const before = clock.now();
      while (started.length < 2) {
        await clock.advance(1);
      }
      return clock.now() - before;
    }

    it("doubles with every further pause, up to a quarter of a second", async () => {
      const limiter = new Limiter(100, clock);
      const distances: number[] = [];
      for (let count = 0; count < 6; count++) {
        limiter.pause(100);
        await clock.advance(100);
        distances.push(await distance(limiter));
      }
      assert.deepEqual(distances, [10, 20, 40, 80, 160, 250]);
    });

    it("doubles for a pause that begins when the one before ends, not for one within it", async () => {
      const limiter = new Limiter(100, clock);
      limiter.pause(100);
      await clock.advance(99);
      limiter.pause(1);
      await clock.advance(1);
      limiter.pause(100);
      assert.equal(await distance(limiter), 20);
    });

    it("shrinks with every success, and is gone in the end", async () => {
      const limiter = new Limiter(100, clock);
      limiter.pause(0);
      const distances: number[] = [];
      for (const successes of [1, 19, 100]) {
        Array.from({ length: successes }, () => limiter.succeeded());
        distances.push(await distance(limiter));
      }
      assert.deepEqual(distances, [10, 4, 0]);
    });

    it("is somewhat longer or shorter by chance", async () => {
      for (const [chance, expected] of [
        [0, 5],
        [0.9, 14],
      ] as const) {
        clock = Object.assign(new ManualClock(), { random: () => chance });
        const limiter = new Limiter(100, clock);
        limiter.pause(0);
        assert.equal(await distance(limiter), expected);
      }
    });
  });

  it("treats pauses that several requests ask for at the same time as one", async () => {
    const [one, many] = [new Limiter(100, clock), new Limiter(100, clock)];
    one.pause(100);
    for (let count = 0; count < 8; count++) {
      many.pause(100);
    }
    for (let count = 0; count < 20; count++) {
      queue(one, "one");
      queue(many, "many");
    }
    await clock.advance(150);
    const of = (name: string): number => started.filter((each) => each === name).length;
    assert.ok(of("one") > 1 && of("one") < 20);
    assert.equal(of("many"), of("one"));
  });

  it("tells everybody who waits how long the pause is", async () => {
    const limiter = new Limiter(1, clock);
    const told: string[] = [];
    const progress = (message: string): void => void told.push(message);
    queue(limiter, "a", { progress });
    queue(limiter, "b", { progress });
    await settle();
    assert.deepEqual(told, []);
    limiter.pause(3000);
    queue(limiter, "c", { progress });
    assert.deepEqual(told, [
      "the service is rate limiting, waiting 3 s",
      "the service is rate limiting, waiting 3 s",
    ]);
    await clock.advance(2999);
    queue(limiter, "d", { progress });
    await clock.advance(1);
    queue(limiter, "e", { progress });
    limiter.pause(0);
    assert.deepEqual(told.slice(2), ["the service is rate limiting, waiting 0.1 s"]);
  });

  it("ends a wait at once when it is aborted, for a turn or in a pause", async () => {
    const limiter = new Limiter(1, clock);
    queue(limiter, "a");
    const abort = new AbortController();
    const waiting = limiter.turn({ signal: abort.signal });
    queue(limiter, "c");
    abort.abort(new Error("stop"));
    await assert.rejects(waiting, { message: "stop" });
    turns.get("a")?.end();
    await settle();
    assert.deepEqual(started, ["a", "c"]);
    await assert.rejects(limiter.turn({ signal: abort.signal }), { message: "stop" });
  });

  it("does not mind the signal of a turn that has begun", async () => {
    const limiter = new Limiter(1, clock);
    const abort = new AbortController();
    queue(limiter, "a", { signal: abort.signal });
    queue(limiter, "b");
    await settle();
    abort.abort();
    turns.get("a")?.end();
    await settle();
    assert.deepEqual(started, ["a", "b"]);
  });

  it("keeps no timer for nobody", async () => {
    const limiter = new Limiter(1, clock);
    const abort = new AbortController();
    limiter.pause(60_000);
    const waiting = limiter.turn({ signal: abort.signal });
    assert.equal(clock.asleep, 1);
    abort.abort(new Error("stop"));
    await assert.rejects(waiting);
    assert.equal(clock.asleep, 0);
  });
});
