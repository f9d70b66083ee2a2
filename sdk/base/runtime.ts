import { setTimeout as delay } from "node:timers/promises";

/** Time and randomness for waits; tests replace them. */
export interface Runtime {
  /** Milliseconds of a monotonic clock, so that a change of the system time does not affect waits. */
  readonly now: () => number;
  /** Milliseconds since 1970, to compare with dates from services. */
  readonly date: () => number;
  /** Resolves after the delay; rejects at once when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

/** The real clock and real randomness. */
export const systemRuntime: Runtime = {
  now: () => performance.now(),
  date: Date.now,
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
};

/** The longest timer in milliseconds: 24 days. A longer one would end at once, or throw. */
export const longestTimer = 2 ** 31 - 1;

/** Seconds as milliseconds for a timer, at most the longest. */
export function timerMilliseconds(seconds: number): number {
  return Math.min(Math.max(1, Math.ceil(seconds * 1000)), longestTimer);
}

/** The part that waits need. */
export type WaitRuntime = Pick<Runtime, "now" | "sleep">;
