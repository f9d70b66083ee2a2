import assert from "node:assert/strict";
import type { Caller } from "../../sdk/base/caller";
import { ServiceError } from "../../sdk/base/errors";
import { longestTimer } from "../../sdk/base/timing";
import { untilVerified, type VerificationWait } from "../../sdk/provisioning/verification";
import { failure } from "../http/calls";
import { impatientClock, type ManualClock, settle } from "../http/clock";

const request = { summary: "create the thing", method: "POST", url: "https://service.example/things" };
const refusal = (status: number, messages = ["verification failed: HTTP 500"]): ServiceError =>
  new ServiceError({ request, status, messages });
const unverified = refusal(400);
const times = (count: number): ServiceError[] => Array<ServiceError>(count).fill(unverified);

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

describe("waiting for the receiver of notifications", () => {
  let progress: string[];
  let caller: Caller;
  let clock: ManualClock;
  beforeEach(() => {
    const signal = new AbortController().signal;
    progress = [];
    caller = { signal, progress: (line) => progress.push(line), announce: () => undefined };
    clock = impatientClock();
  });

  const successes: readonly [string, VerificationWait | undefined, pauses: readonly number[]][] = [
    ["never, when the receiver responds at once", { timeout: 30 }, []],
    ["a second first, then twice as long each time", { timeout: 60 }, [1000, 2000, 4000]],
    ["no longer than ten seconds", { timeout: 60 }, [1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]],
    ["as long as the interval says, each time", { timeout: 60, interval: 2.5 }, [2500, 2500, 2500]],
    ["until the time limit, but not beyond it", { timeout: 5 }, [1000, 2000, 2000]],
    ["until the time limit when the interval is longer", { timeout: 0.5, interval: 60 }, [500]],
    ["as long as a timer can run", { timeout: 9e6, interval: 3e6 }, [longestTimer, longestTimer]],
  ];
  for (const [what, wait, pauses] of successes) {
    it(`the wait for a receiver waits ${what}`, async () => {
      assert.equal(await untilVerified(caller, wait, attempts(...times(pauses.length)), clock), "saved");
      assert.deepEqual(clock.sleeps, pauses);
    });
  }

  it("the wait for a receiver shows what it waits for, the elapsed and remaining time, and the service's reason if there is one", async () => {
    await untilVerified(caller, { timeout: 60 }, attempts(unverified, refusal(400, []), unverified), clock);
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
      const attempt = attempts(...times(100));
      const slow = { now: () => clock.now() + attempt.made * attemptTakes, sleep: clock.sleep };
      const error = await failure(untilVerified(caller, wait, attempt, slow));
      assert.equal(attempt.made, made);
      assert.ok(error.message.startsWith(unverified.message));
      const { timeout } = wait;
      assert.match(error.advice ?? "", new RegExp(`raise verification\\.timeout \\(now ${timeout} s\\)\\.$`));
      assert.equal(error.mayHaveBeenProcessed, false);
    });
  }

  for (const error of [refusal(422), refusal(500), new RangeError("a mistake")]) {
    it(`the wait for a receiver does not try again after ${error.message}`, async () => {
      const waiting = untilVerified(caller, { timeout: 60 }, attempts(unverified, error), clock);
      await assert.rejects(waiting, (each) => each === error);
      assert.deepEqual(clock.sleeps, [1000]);
    });
  }

  it("the wait for a receiver ends at once when it is canceled", async () => {
    const cancellation = new AbortController();
    const attempt = attempts(...times(100));
    const wait = { timeout: 86_400, interval: 86_400 };
    const error = failure(untilVerified({ ...caller, signal: cancellation.signal }, wait, attempt));
    await settle();
    cancellation.abort();
    const { message } = await error;
    assert.equal(message, "Canceled while waiting for the receiver. The service saved nothing.");
    assert.equal(attempt.made, 1);
  });
});
