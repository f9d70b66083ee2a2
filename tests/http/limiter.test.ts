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

  it("keeps a greater distance after every further pause, and a smaller one after successes", async () => {
    const limiter = new Limiter(100, clock);
    const distance = async (): Promise<number> => {
      started = [];
      queue(limiter, "a");
      queue(limiter, "b");
      const before = clock.now();
      await settle();
      while (started.length < 2) {
        await clock.advance(1);
      }
      return clock.now() - before;
    };
    limiter.pause(0);
    const first = await distance();
    limiter.pause(0);
    limiter.pause(0);
    const third = await distance();
    assert.ok(first > 0 && third > first, `${first} ${third}`);
    for (let count = 0; count < 100; count++) {
      limiter.succeeded();
    }
    await clock.advance(1000);
    assert.equal(await distance(), 0);
  });

  it("takes pauses that several requests ask for at the same time as one", async () => {
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
    assert.deepEqual(told, ["the service is busy, waiting 3 s", "the service is busy, waiting 3 s"]);
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
