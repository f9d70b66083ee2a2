import assert from "node:assert/strict";
import { ServiceError } from "../../sdk/base/errors";
import { longestTimer } from "../../sdk/base/timing";
import { untilVerified, type VerificationWait } from "../../sdk/provisioning/verification";
import { failure } from "../http/calls";
import { ManualClock, settle } from "../http/clock";

const request = { summary: "create the thing", method: "POST", url: "https://service.example/things" };
const refusal = (status: number, messages = ["verification failed: HTTP 500"]): ServiceError =>
  new ServiceError({ request, status, messages });
const unverified = refusal(400);

/** Attempts that fail one after the other with these errors; the one after them succeeds. */
function attempts(...failures: readonly Error[]) {
  const attempt = (): Promise<string> => {
    const error = failures[attempt.made];
    attempt.made += 1;
    return error === undefined ? Promise.resolve("saved") : Promise.reject(error);
  };
  attempt.made = 0;
  return attempt;
}

/** A clock on which waits take no time, but pass. */
function impatientClock() {
  let time = 1_000_000;
  const pauses: number[] = [];
  const pass = (milliseconds: number): Promise<void> => {
    time += milliseconds;
    return Promise.resolve();
  };
  const sleep = (milliseconds: number): Promise<void> => {
    pauses.push(milliseconds / 1000);
    return pass(milliseconds);
  };
  return { now: () => time, sleep, pauses, pass };
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

  const longest = longestTimer / 1000;
  const successes: readonly [string, VerificationWait | undefined, pauses: readonly number[]][] = [
    ["never, when the receiver responds at once", { timeout: 30 }, []],
    ["never, when the program does not say so", undefined, []],
    ["a second first, then twice as long each time", { timeout: 60 }, [1, 2, 4]],
    ["no longer than ten seconds", { timeout: 60 }, [1, 2, 4, 8, 10, 10, 10]],
    ["as long as the interval says, each time", { timeout: 60, interval: 2.5 }, [2.5, 2.5, 2.5]],
    ["to the end of the time, not beyond it", { timeout: 5 }, [1, 2, 2]],
    ["to the end when the interval is longer", { timeout: 0.5, interval: 60 }, [0.5]],
    ["no longer than a timer can run", { timeout: 9_000_000, interval: 3_000_000 }, [longest, longest]],
  ];
  for (const [what, wait, pauses] of successes) {
    it(`the wait for a receiver waits ${what}`, async () => {
      const clock = impatientClock();
      assert.equal(await untilVerified(caller, wait, attempts(...times(pauses.length)), clock), "saved");
      assert.deepEqual(clock.pauses, pauses);
    });
  }

  it("the wait for a receiver says what it waits for, how long already, how long still, and why if the service does", async () => {
    const failures = [unverified, refusal(400, []), unverified];
    await untilVerified(caller, { timeout: 60 }, attempts(...failures), impatientClock());
    assert.deepEqual(progress, [
      "waiting for the receiver (0 s of 60 s): verification failed: HTTP 500",
      "waiting for the receiver (1 s of 60 s)",
      "waiting for the receiver (3 s of 60 s): verification failed: HTTP 500",
      "the receiver responded",
    ]);
  });

  // The third one counts the time that the attempts themselves take.
  for (const [wait, made, attemptTakes] of [
    [{ timeout: 10 }, 5, 0],
    [{ timeout: 0 }, 1, 0],
    [{ timeout: 30, interval: 1 }, 2, 20_000],
  ] as const) {
    it(`the wait for a receiver gives up after ${made} attempts, with the service's reason: ${JSON.stringify(wait)}`, async () => {
      const clock = impatientClock();
      const attempt = attempts(...times(100));
      const slow = () => clock.pass(attemptTakes).then(attempt);
      const error = await failure(untilVerified(caller, wait, slow, clock));
      assert.equal(attempt.made, made);
      assert.ok(error.message.startsWith(unverified.message));
      const { timeout } = wait;
      assert.match(error.advice ?? "", new RegExp(`raise verification\\.timeout \\(now ${timeout} s\\)\\.$`));
      assert.equal(error.mayHaveBeenProcessed, false);
    });
  }

  for (const error of [refusal(422), refusal(500), new RangeError("a mistake")]) {
    it(`the wait for a receiver does not try again after ${error.message}`, async () => {
      const clock = impatientClock();
      const attempt = attempts(unverified, error);
      await assert.rejects(untilVerified(caller, { timeout: 60 }, attempt, clock), (each) => each === error);
      assert.deepEqual([attempt.made, clock.pauses], [2, [1]]);
    });
  }

  for (const clock of [new ManualClock(), undefined]) {
    it(`the wait for a receiver ends at once when it is cancelled, with ${clock === undefined ? "the real" : "any"} clock`, async () => {
      const cancellation = new AbortController();
      const attempt = attempts(...times(100));
      const wait = { timeout: 86_400, interval: 86_400 };
      const cancellable = { ...caller, signal: cancellation.signal };
      const error = failure(untilVerified(cancellable, wait, attempt, clock));
      await settle();
      cancellation.abort();
      const { message } = await error;
      assert.equal(message, "Cancelled while waiting for the receiver. The service saved nothing.");
      assert.deepEqual([attempt.made, clock?.asleep ?? 0], [1, 0]);
    });
  }
});
