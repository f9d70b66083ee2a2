import assert from "node:assert/strict";
import { ConnectionError, requestTimedOut, ServiceError } from "../../sdk/base/errors";
import { longestTimer } from "../../sdk/base/runtime";
import { untilVerified, type VerificationWait } from "../../sdk/provisioning/verification";
import { failure } from "../http/calls";
import { ManualClock, settle } from "../http/clock";

const request = { summary: "create the thing", method: "POST", url: "https://service.example/things" };
const words = ["verification failed: HTTP 500"];
const refusal = (status: number): ServiceError => new ServiceError({ request, status, messages: words });
const unverified = refusal(400);

/** Attempts which fail one after the other with what is given; the one after them succeeds. */
function attempts(...failures: readonly Error[]) {
  const left = [...failures];
  const attempt = (): Promise<string> => {
    attempt.made += 1;
    const error = left.shift();
    return error === undefined ? Promise.resolve("saved") : Promise.reject(error);
  };
  attempt.made = 0;
  return attempt;
}

/** A clock on which waits take no time, but pass. */
function impatientClock() {
  let time = 1_000_000;
  const sleeps: number[] = [];
  const pass = (milliseconds: number): Promise<void> => {
    time += milliseconds;
    return Promise.resolve();
  };
  const sleep = (milliseconds: number): Promise<void> => {
    sleeps.push(milliseconds);
    return pass(milliseconds);
  };
  return { now: () => time, sleep, sleeps, pass };
}

const times = (count: number): ServiceError[] => Array.from({ length: count }, () => unverified);

describe("waiting for the receiver of notifications", () => {
  const progress: string[] = [];
  const caller = {
    signal: new AbortController().signal,
    progress: (message: string) => void progress.push(message),
    announce: () => undefined,
  };
  beforeEach(() => (progress.length = 0));

  const successes: readonly [
    string,
    VerificationWait | undefined,
    failures: number,
    pauses: readonly number[],
  ][] = [
    ["never, when the receiver answers at once", { timeout: 30, interval: undefined }, 0, []],
    ["never, when nobody asked for it", undefined, 0, []],
    ["a second first, then twice as long each time", { timeout: 60, interval: undefined }, 3, [1, 2, 4]],
    ["no longer than ten seconds", { timeout: 60, interval: undefined }, 7, [1, 2, 4, 8, 10, 10, 10]],
    ["as long as the interval says, each time", { timeout: 60, interval: 2.5 }, 3, [2.5, 2.5, 2.5]],
    ["to the end of the time, not beyond it", { timeout: 5, interval: undefined }, 3, [1, 2, 2]],
    ["to the end when the interval is longer", { timeout: 0.5, interval: 60 }, 1, [0.5]],
    [
      "no longer than a timer can run",
      { timeout: 9_000_000, interval: 3_000_000 },
      2,
      [longestTimer / 1000, longestTimer / 1000],
    ],
  ];
  for (const [what, wait, failures, pauses] of successes) {
    it(`waits ${what}`, async () => {
      const clock = impatientClock();
      const attempt = attempts(...times(failures));
      assert.equal(await untilVerified(caller, wait, attempt, clock), "saved");
      assert.equal(attempt.made, failures + 1);
      assert.deepEqual(
        clock.sleeps.map((milliseconds) => milliseconds / 1000),
        pauses,
      );
    });
  }

  it("says what it waits for, how long already, how long still, and why", async () => {
    await untilVerified(
      caller,
      { timeout: 60, interval: undefined },
      attempts(...times(3)),
      impatientClock(),
    );
    assert.deepEqual(progress, [
      ...[0, 1, 3].map(
        (waited) => `waiting for the receiver (${waited} s of 60 s): verification failed: HTTP 500`,
      ),
      "the receiver responded",
    ]);
  });

  it("says so too when the service gives no reason", async () => {
    const silent = new ServiceError({ request, status: 400, messages: [] });
    await untilVerified(caller, { timeout: 60, interval: undefined }, attempts(silent), impatientClock());
    assert.equal(progress[0], "waiting for the receiver (0 s of 60 s)");
  });

  const vain: readonly [string, VerificationWait, made: number, hint: string][] = [
    [
      "growing intervals",
      { timeout: 10, interval: undefined },
      5,
      "within 10 s (5 attempts). To wait longer, raise verification.timeout (now 10 s)",
    ],
    [
      "an interval",
      { timeout: 10, interval: 5 },
      3,
      "within 10 s (3 attempts). To wait longer, raise verification.timeout (now 10 s)",
    ],
    [
      "no time at all",
      { timeout: 0, interval: undefined },
      1,
      "within 0 s (one attempt). To wait longer, raise verification.timeout (now 0 s)",
    ],
  ];
  for (const [what, wait, made, hint] of vain) {
    it(`gives up after the time, with the service's reason: ${what}`, async () => {
      const attempt = attempts(...times(100));
      const error = await failure(untilVerified(caller, wait, attempt, impatientClock()));
      assert.equal(attempt.made, made);
      assert.ok(error.message.startsWith(unverified.message));
      assert.equal(error.advice, `The verification did not succeed ${hint}.`);
      assert.equal(error.mayHaveBeenProcessed, false);
    });
  }

  it("counts the time that the attempts take", async () => {
    const clock = impatientClock();
    const attempt = attempts(...times(100));
    const slow = async (): Promise<string> => {
      await clock.pass(20_000);
      return attempt();
    };
    await failure(untilVerified(caller, { timeout: 30, interval: 1 }, slow, clock));
    assert.equal(attempt.made, 2);
  });

  const others: readonly [string, Error][] = [
    ...[422, 500].map((status): [string, Error] => [`status ${status}`, refusal(status)]),
    ["a broken connection", new ConnectionError({ request, code: "ECONNRESET", problem: "it broke" })],
    ["a timeout", requestTimedOut({ request, phase: "headers", timeoutMilliseconds: 1 })],
    ["anything else", new RangeError("a mistake")],
  ];
  for (const [what, error] of others) {
    it(`does not try again after ${what}`, async () => {
      const clock = impatientClock();
      const attempt = attempts(unverified, error);
      const wait = { timeout: 60, interval: undefined };
      await assert.rejects(untilVerified(caller, wait, attempt, clock), (thrown) => thrown === error);
      assert.deepEqual([attempt.made, clock.sleeps], [2, [1000]]);
    });
  }

  it("ends at once when it is cancelled, and says that nothing was saved", async () => {
    const cancellation = new AbortController();
    const clock = new ManualClock();
    const attempt = attempts(...times(100));
    const { signal } = cancellation;
    const error = failure(untilVerified({ ...caller, signal }, { timeout: 60, interval: 5 }, attempt, clock));
    await settle();
    assert.equal(clock.asleep, 1);
    cancellation.abort();
    assert.equal(
      (await error).message,
      "Cancelled while waiting for the receiver. The service saved nothing.",
    );
    assert.deepEqual([attempt.made, clock.asleep], [1, 0]);
  });

  it("waits by the real clock by default, and can be cancelled there too", async () => {
    const cancellation = new AbortController();
    const { signal } = cancellation;
    const wait = { timeout: 86_400, interval: 86_400 };
    const error = failure(untilVerified({ ...caller, signal }, wait, attempts(unverified)));
    await settle();
    cancellation.abort();
    assert.match((await error).message, /^Cancelled while waiting/);
  });
});
