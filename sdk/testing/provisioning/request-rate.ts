import type { EmulatorClock } from "../clock";

/** What a request learns of its rate. */
export interface RateReport {
  /** Whether there were too many. */
  readonly exceeded: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

const second = 1_000;

/** Counts the requests of each caller in the running second of the emulator's time. */
export class RequestRate {
  private readonly counts = new Map<string, number>();
  private window = 0;

  /**
   * @param announced how many a second the service says it takes
   * @param enforced how many it really takes; `undefined` for any number
   */
  constructor(
    private readonly clock: EmulatorClock,
    private readonly announced: number,
    private readonly enforced: number | undefined,
  ) {}

  count(caller: string): RateReport {
    const now = this.clock.now();
    const window = Math.floor(now / second);
    if (window !== this.window) {
      this.window = window;
      this.counts.clear();
    }
    const count = (this.counts.get(caller) ?? 0) + 1;
    this.counts.set(caller, count);
    const limit = this.enforced ?? this.announced;
    return {
      exceeded: this.enforced !== undefined && count > this.enforced,
      headers: {
        "X-RateLimit-Limit": String(limit),
        "X-RateLimit-Remaining": String(Math.max(0, limit - count)),
        // How long to wait, not when the wait is over.
        "X-RateLimit-Reset": (((window + 1) * second - now) / second).toFixed(3),
      },
    };
  }

  clear(): void {
    this.counts.clear();
  }
}
