import { setTimeout as delay } from "node:timers/promises";
import { ServiceError, TriviumError } from "../http/errors";
import type { Caller } from "../resource/definition";

/** How long to wait for a receiver that is not up yet. In seconds. */
export interface VerificationWait {
  readonly timeout: number;
  /** Between two attempts; it grows when it is not given. */
  readonly interval: number | undefined;
}

/** Time, as the wait uses it. */
export interface WaitRuntime {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

const systemRuntime: WaitRuntime = {
  now: Date.now,
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
};

const firstInterval = 1;
const longestInterval = 10;

/**
 * Makes a request for which the service first asks the receiver, again and again until the receiver answers. The
 * service saves nothing while it does not, so to ask again is safe.
 *
 * @param wait `undefined`: one attempt
 * @throws what the last attempt threw, which carries the service's reason
 */
export async function untilVerified<Result>(
  caller: Caller,
  wait: VerificationWait | undefined,
  attempt: () => Promise<Result>,
  { now, sleep }: WaitRuntime = systemRuntime,
): Promise<Result> {
  const begun = now();
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!ServiceError.isInstance(error) || error.status !== 400 || wait === undefined) {
        throw error;
      }
      const waited = Math.round((now() - begun) / 1000);
      const interval = wait.interval ?? Math.min(firstInterval * 2 ** (attempts - 1), longestInterval);
      if (waited + interval > wait.timeout) {
        throw new TriviumError(error.message, {
          hint: `The receiver was waited for ${waited} s, in ${attempts} attempts; verification.timeout allows ${wait.timeout} s.`,
        });
      }
      caller.progress(
        `waiting for the receiver (${waited} s of ${wait.timeout} s): ${error.words.join("; ")}`,
      );
      await sleep(interval * 1000, caller.signal).catch((reason: unknown) => {
        throw new TriviumError("Cancelled while waiting for the receiver. The service has saved nothing.", {
          hint: reason instanceof Error && reason.name !== "AbortError" ? reason.message : undefined,
        });
      });
    }
  }
}
