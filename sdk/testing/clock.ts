import { longestTimer } from "../base/timing";

interface Timer {
  readonly due: number;
  fire(): void;
}

/**
 * Runs with the machine's clock plus the advanced time; only {@link EmulatorClock.advance} moves a frozen
 * clock.
 */
export class EmulatorClock {
  private readonly timers = new Set<Timer>();
  private advanced = 0;
  /** While a timer fires, the time is exactly the time at which it was due. */
  private firingAt: number | undefined;
  private realTimer: NodeJS.Timeout | undefined;

  /** @param frozenAt milliseconds since 1970; `undefined` for a clock that runs */
  constructor(private readonly frozenAt: number | undefined) {}

  now(): number {
    return this.firingAt ?? (this.frozenAt ?? Date.now()) + this.advanced;
  }

  /** Fires all timers that are due by then, in order. */
  advance(milliseconds: number): void {
    const target = this.now() + milliseconds;
    try {
      for (let next = this.nextTimer(); next !== undefined && next.due <= target; next = this.nextTimer()) {
        this.timers.delete(next);
        this.firingAt = Math.max(next.due, this.now());
        next.fire();
      }
    } finally {
      this.firingAt = undefined;
      this.advanced += milliseconds;
      this.arm();
    }
  }

  /** @returns a function that cancels the timer */
  after(milliseconds: number, callback: () => void): () => void {
    const timer = { due: this.now() + milliseconds, fire: callback };
    this.timers.add(timer);
    this.arm();
    return () => {
      this.timers.delete(timer);
      this.arm();
    };
  }

  /** Cancels all timers. */
  reset(): void {
    this.timers.clear();
    this.advanced = 0;
    this.arm();
  }

  private nextTimer(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.timers) {
      if (next === undefined || timer.due < next.due) {
        next = timer;
      }
    }
    return next;
  }

  private arm(): void {
    clearTimeout(this.realTimer);
    const next = this.nextTimer();
    if (next === undefined || this.frozenAt !== undefined || this.firingAt !== undefined) {
      return;
    }
    const remaining = Math.min(Math.max(next.due - this.now(), 0), longestTimer);
    this.realTimer = setTimeout(() => this.advance(0), remaining);
    // A pending heartbeat must not keep a finished test run alive.
    this.realTimer.unref();
  }
}
