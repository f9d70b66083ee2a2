import { advisedOtherwise, CancelledError, ServiceError } from "../base/errors";
import type { Caller } from "../base/caller";
import { systemRuntime, timerMilliseconds, type WaitRuntime } from "../base/runtime";

/** In seconds, once the arguments are checked. */
export interface VerificationWait {
  /** Without it there is one attempt. */
  readonly timeout?: string | number | null | undefined;
  /** Between two attempts; doubled after each attempt if not given. */
  readonly interval?: string | number | null | undefined;
}

const firstInterval = 1;
const longestInterval = 10;

/** Retries are safe: the service saves nothing before the verification succeeds. */
export async function untilVerified<Result>(
  caller: Caller,
  wait: VerificationWait | null | undefined,
  attempt: () => Promise<Result>,
  { now, sleep }: WaitRuntime = systemRuntime,
): Promise<Result> {
  const { timeout, interval: fixed } = wait ?? {};
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
        const times = attempts === 1 ? "one attempt" : `${attempts} attempts`;
        throw advisedOtherwise(
          error,
          `The verification did not succeed within ${waited} s (${times}). To wait longer, raise verification.timeout (now ${timeout} s).`,
        );
      }
      const words = error.messages.length === 0 ? "" : `: ${error.messages.join("; ")}`;
      caller.progress(`waiting for the receiver (${waited} s of ${timeout} s)${words}`);
      const interval =
        typeof fixed === "number" ? fixed : Math.min(firstInterval * 2 ** (attempts - 1), longestInterval);
      await sleep(timerMilliseconds(Math.min(interval, left)), caller.signal).catch(() => {
        throw new CancelledError("Cancelled while waiting for the receiver. The service saved nothing.");
      });
    }
  }
}
