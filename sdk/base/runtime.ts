import { setTimeout as delay } from "node:timers/promises";

/** Tests replace time and randomness. */
export interface Runtime {
  /** Monotonic milliseconds, so that a change of the system time does not affect waits. */
  readonly now: () => number;
  /** Milliseconds since 1970, to compare with dates from services. */
  readonly date: () => number;
  /** Rejects at once when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export const systemRuntime: Runtime = {
  now: () => performance.now(),
  date: Date.now,
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
};

/** 24 days. A longer timer fires at once, or throws. */
export const longestTimer = 2 ** 31 - 1;

export function timerMilliseconds(seconds: number): number {
  return Math.min(Math.max(1, Math.ceil(seconds * 1000)), longestTimer);
}

export type WaitRuntime = Pick<Runtime, "now" | "sleep">;
