import { advisedOtherwise, CancelledError, ServiceError } from "../base/errors";
import type { Caller } from "../base/caller";
import { systemRuntime, timerMilliseconds, type WaitRuntime } from "../base/runtime";

/** How long to wait for a receiver that is not up yet: seconds, once the arguments are checked. */
export interface VerificationWait {
  /** Without one there is one attempt. */
  readonly timeout?: string | number | null | undefined;
  /** Between two attempts; it grows when it is not given. */
  readonly interval?: string | number | null | undefined;
}

const firstInterval = 1;
const longestInterval = 10;

/**
 * Retries a request for which the service verifies the receiver, until the verification succeeds. The service
 * saves nothing before, so retries are safe. The last attempt is made when the time limit is reached.
 *
 * @throws the error of the last attempt, with the explanation of the service
 */
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
        // The last progress message stays on the resource's line.
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
