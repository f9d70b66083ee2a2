import assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  httpDate,
  KeyedMutex,
  longestTimer,
  parseDuration,
  ServiceClock,
  systemRuntime,
  TimeLimit,
  timerMilliseconds,
} from "../../sdk/base/timing";

describe("parseDuration", () => {
  const accepted: readonly [seconds: number, ...spellings: unknown[]][] = [
    [0, 0, "0"],
    [90, 90, "90", "90s", " 90s "],
    [1.5, 1.5, "1.5"],
    [3600, "1h", "60m"],
    [5400, "1h30m", "30m1h", "1.5h"],
    [1800, ".5h"],
    [86_400, "1d"],
    [90_061, "1d1h1m1s", "1s1m1h1d"],
    [7464, "1h2m2s1h1m2s20s60s"],
    [0.1, "100ms"],
    [0.3, "100ms200ms"],
    [0.00025, "250us", "250µs"],
    [0.000000005, "5ns"],
  ];
  for (const [seconds, ...spellings] of accepted) {
    it(`parseDuration reads ${seconds} s from ${spellings.map((each) => JSON.stringify(each)).join()}`, () =>
      spellings.forEach((each) => assert.equal(parseDuration(each), seconds)));
  }

  it("parseDuration rejects everything else", () => {
    const texts = ["", " ", "h", "1x", "1h 30m", "-1h", "1hour", "1e3s", "h1", "1.h", "∞"];
    const others = [null, undefined, true, [], {}, -1, Number.NaN, Number.POSITIVE_INFINITY];
    [...texts, ...others].forEach((each) => assert.equal(parseDuration(each), undefined));
  });

  it("parseDuration never throws, whatever the text", () =>
    fc.assert(fc.property(fc.string(), (text) => (parseDuration(text) ?? 0) >= 0)));
});

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
    it(`the milliseconds of a timer are ${expected} for ${seconds} s`, () =>
      assert.equal(timerMilliseconds(seconds), expected));
  }

  it("the milliseconds of a timer never exceed the runtime's maximum", async () => {
    const cancelled = new AbortController();
    const sleeping = systemRuntime.sleep(timerMilliseconds(1e9), cancelled.signal);
    const first = await Promise.race([sleeping, systemRuntime.sleep(20).then(() => "still asleep")]);
    assert.equal(first, "still asleep");
    cancelled.abort();
    await assert.rejects(sleeping);
  });
});

const noon = Date.parse("2026-03-01T12:00:00Z");
const date = "Sun, 01 Mar 2026 12:00:00 GMT";

describe("a time limit", () => {
  it("a time limit ends at most a second late, even if there is always more to read", async () => {
    const begun = performance.now();
    let isOver = false;
    const read = (): void => {
      const piece = performance.now();
      while (performance.now() < piece + 40) {
        // Reading takes time.
      }
      isOver ||= performance.now() > begun + 4_000;
      setImmediate(() => isOver || read());
    };
    read();
    const limit = await new Promise<TimeLimit>((end) => {
      const made: TimeLimit = new TimeLimit(50, () => end(made));
    });
    limit.clear();
    isOver = true;
    const late = performance.now() - begun - 50;
    assert.ok(late < 2_000, `${late} ms late`);
  });
});

describe("ServiceClock", () => {
  it("the service's clock is this machine's until the service has returned its time", () => {
    const clock = new ServiceClock();
    assert.equal(clock.known, false);
    assert.equal(clock.at(noon), noon);
    clock.note(undefined, noon, noon);
    clock.note("12", noon, noon);
    assert.equal(clock.known, false);
  });

  const rows: readonly [string, sentAt: number, receivedAt: number, ahead: number][] = [
    ["the same clock", noon, noon, 0],
    ["a response that itself took a second", noon - 1000, noon, 0],
    ["a truncated second", noon + 900, noon + 950, 0],
    ["a machine two seconds ahead", noon + 2000, noon + 2000, 0],
    ["a machine more than two seconds ahead", noon + 2001, noon + 2001, -1501],
    ["a machine a second behind", noon - 1000, noon - 1000, 0],
    ["a machine more than a second behind", noon - 1001, noon - 1001, 1501],
    ["a slow response", noon - 20_000, noon + 5, 0],
    ["a machine an hour ahead", noon + 3_600_000, noon + 3_600_000, -3_599_500],
    ["a machine an hour behind", noon - 3_600_000, noon - 3_600_000, 3_600_500],
  ];
  for (const [what, sentAt, receivedAt, ahead] of rows) {
    it(`the service's clock is ${ahead / 1000} s ahead after ${what}`, () => {
      const clock = new ServiceClock();
      // The latest response counts.
      clock.note(date, noon + 60_000, noon + 60_000);
      clock.note(date, sentAt, receivedAt);
      assert.deepEqual([clock.known, clock.at(noon) - noon], [true, ahead]);
    });
  }
});

it("httpDate accepts dates as HTTP writes them, and nothing else", () => {
  const twice = `${date}, ${date}`;
  assert.deepEqual([date, "Sunday, 01-Mar-26 12:00:00 GMT", twice].map(httpDate), [noon, noon, noon]);
  for (const text of [undefined, "", "5", "soon", "2026-03-01", "May 5", "Sun, nonsense GMT"]) {
    assert.equal(httpDate(text), undefined, text);
  }
});

it("a mutex runs work with the same key in order, even after a failure, and work with another key at once", async () => {
  const turns = new KeyedMutex();
  const notes: string[] = [];
  /** Work that ends when the test says so. */
  const start = (key: string, name: string, failure?: Error) => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const result = turns.run(key, async () => {
      notes.push(`${name} begins`);
      await ended;
      if (failure !== undefined) {
        throw failure;
      }
      notes.push(`${name} ends`);
      return name;
    });
    return { result, end };
  };
  const failing = start("mount", "one", new Error("one failed"));
  const [two, three] = [start("mount", "two"), start("mount", "three")];
  const other = start("another mount", "other");
  other.end();
  assert.equal(await other.result, "other");
  assert.deepEqual(notes.splice(0), ["one begins", "other begins", "other ends"]);
  [three, two, failing].forEach(({ end }) => end());
  await assert.rejects(failing.result, /one failed/);
  assert.deepEqual([await two.result, await three.result], ["two", "three"]);
  assert.deepEqual(notes, ["two begins", "two ends", "three begins", "three ends"]);
});
