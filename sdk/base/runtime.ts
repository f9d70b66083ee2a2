import { setTimeout as delay } from "node:timers/promises";

/** Time and chance, as waits use them; tests bring their own. */
export interface Runtime {
  /** Milliseconds of a clock that is never set: waits must not grow because somebody sets the time back. */
  readonly now: () => number;
  /** Milliseconds since 1970, for the dates that services tell. */
  readonly date: () => number;
  /** Resolves after the time has passed; rejects at once when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** The real clock and real chance. */
export const systemRuntime: Runtime = {
  now: () => performance.now(),
  date: Date.now,
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
};

/** What of it those need who only wait. */
export type WaitRuntime = Pick<Runtime, "now" | "sleep">;
