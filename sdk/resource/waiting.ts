import { setTimeout as delay } from "node:timers/promises";

/** Time, as a resource uses it that waits for something; tests bring their own. */
export interface WaitRuntime {
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** The real time. */
export const systemRuntime: WaitRuntime = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
};
