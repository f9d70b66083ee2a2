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

type Work = () => Promise<unknown>;

const works = new Map<object, Work>();

/** Runs work once before this process ends. Only the last work of each owner is kept. */
export function atProcessEnd(owner: object, work: Work): void {
  if (works.size === 0) {
    // Provider processes never get here: the engine ends them.
    process.once("beforeExit", () => void finishProcess());
  }
  works.set(owner, work);
}

export async function finishProcess(): Promise<void> {
  const all = [...works.values()];
  works.clear();
  await Promise.allSettled(all.map((work) => work()));
}
