import type { Runtime } from "../../sdk/base/timing";

/** A clock that moves only when a test moves it, and chance without surprises. */
export class ManualClock implements Runtime {
  private time = Date.parse("2026-03-01T12:00:00Z");
  private readonly sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  /** Every wait that was begun, in milliseconds. */
  readonly sleeps: number[] = [];

  readonly now = (): number => this.time;
  readonly date = (): number => this.time;
  readonly random = (): number => 0.5;

  readonly sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      this.sleeps.push(milliseconds);
      const sleeper = { until: this.time + milliseconds, wake: resolve };
      this.sleepers.add(sleeper);
      signal?.addEventListener("abort", () => {
        this.sleepers.delete(sleeper);
        reject(signal.reason as Error);
      });
    });

  /** How many waits have not ended. */
  get asleep(): number {
    return this.sleepers.size;
  }

  /** Lets time pass, waking everybody when it is due, and what follows from it happen. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    for (;;) {
      const [next] = [...this.sleepers]
        .filter(({ until }) => until <= end)
        .sort((left, right) => left.until - right.until);
      if (next === undefined) {
        break;
      }
      this.time = Math.max(this.time, next.until);
      this.sleepers.delete(next);
      next.wake();
      await settle();
    }
    this.time = end;
    await settle();
  }
}

/** A clock on which every wait takes no time at all, but passes. */
export function impatientClock(): ManualClock {
  const clock = new ManualClock();
  const { sleep } = clock;
  return Object.assign(clock, {
    sleep: (milliseconds: number, signal?: AbortSignal) => {
      const slept = sleep(milliseconds, signal);
      void clock.advance(milliseconds);
      return slept;
    },
  });
}

/** Lets everything happen that needs neither time nor a network. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
