import { advisedOtherwise, CancelledError, ServiceError } from "../base/errors";
import type { Caller } from "../base/caller";
import { systemRuntime, timerMilliseconds, type WaitRuntime } from "../base/timing";

/** The times in seconds, once the arguments are checked. */
export interface VerificationWait {
  /** The total time. Without it, there is only one attempt. */
  readonly timeout?: string | number | null | undefined;
  /** The interval between attempts. Default: one second, doubled after each attempt. */
  readonly interval?: string | number | null | undefined;
}

const longestInterval = 10;

/** Retries are safe, because the service does not save anything before the verification succeeds. */
export async function untilVerified<Result>(
  caller: Caller,
  wait: VerificationWait | null | undefined,
  attempt: () => Promise<Result>,
  { now, sleep }: WaitRuntime = systemRuntime,
): Promise<Result> {
  const { timeout, interval } = wait ?? {};
  const begun = now();
  for (let attempts = 1; ; attempts++) {
    try {
      const result = await attempt();
      if (attempts > 1) {
        // The CLI keeps showing the last progress message.
        caller.progress("the receiver responded");
      }
      return result;
    } catch (error) {
      if (!ServiceError.isInstance(error) || error.status !== 400 || typeof timeout !== "number") {
        throw error;
      }
      const seconds = (now() - begun) / 1000;
      const left = timeout - seconds;
      const waited = Math.round(seconds);
      if (left <= 0) {
        throw advisedOtherwise(
          error,
          `The verification did not succeed within ${waited} s. To wait longer, raise verification.timeout (now ${timeout} s).`,
        );
      }
      caller.progress(
        [`waiting for the receiver (${waited} s of ${timeout} s)`, ...error.messages].join(": "),
      );
      const pause = typeof interval === "number" ? interval : Math.min(2 ** (attempts - 1), longestInterval);
      await sleep(timerMilliseconds(Math.min(pause, left)), caller.signal).catch(() => {
        throw new CancelledError("Canceled while waiting for the receiver. The service saved nothing.");
      });
    }
  }
}
