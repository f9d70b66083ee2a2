import { type Runtime, Span } from "../base/timing";

export interface AcquireOptions {
  /** Whether the request had a turn before, because retries go first. */
  readonly again?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((message: string) => void) | undefined;
}

interface Waiting {
  readonly start: () => void;
  readonly progress: AcquireOptions["progress"];
}

const shortestSpacing = 10;
const longestSpacing = 250;

/**
 * Limits concurrency, first come first served, and pauses all requests when the service limits the rate.
 * After a pause, requests start one at a time. Each further pause doubles the interval between them, and each
 * success reduces it.
 */
export class Limiter {
  private inFlight = 0;
  private paused: Span | undefined;
  /** When the next request can start. */
  private gap: Span | undefined;
  private spacing = 0;
  private readonly again: Waiting[] = [];
  private readonly first: Waiting[] = [];
  private alarm: AbortController | undefined;

  constructor(
    private readonly maxConcurrency: number,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Waits for a turn; call {@link release} afterwards. Rejects with the signal's reason if the signal is
   * aborted first.
   */
  async acquire({ again = false, signal, progress }: AcquireOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    const queue = again ? this.again : this.first;
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        queue.splice(queue.indexOf(waiting), 1);
        this.dispatch();
        reject(signal?.reason as Error);
      };
      const start = (): void => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const waiting = { start, progress };
      signal?.addEventListener("abort", abort);
      queue.push(waiting);
      this.tell(waiting);
      this.dispatch();
    });
  }

  release(): void {
    this.inFlight--;
    this.dispatch();
  }

  pause(milliseconds: number): void {
    const left = this.paused?.left ?? 0;
    // Concurrent requests that were rejected together count as one pause.
    if (left === 0) {
      this.spacing = Math.min(longestSpacing, Math.max(shortestSpacing, this.spacing * 2));
    }
    this.paused = this.span(Math.max(left, milliseconds));
    [...this.again, ...this.first].forEach((waiting) => this.tell(waiting));
    this.dispatch();
  }

  succeeded(): void {
    this.spacing = this.spacing < shortestSpacing / 4 ? 0 : this.spacing * 0.95;
  }

  private tell({ progress }: Waiting): void {
    const wait = this.paused?.left ?? 0;
    if (wait > 0) {
      progress?.(`the service is rate limiting, waiting ${Math.max(0.1, Math.round(wait / 100) / 10)} s`);
    }
  }

  private span(milliseconds: number): Span {
    return new Span(milliseconds, this.runtime.now);
  }

  private dispatch(): void {
    this.alarm?.abort();
    this.alarm = undefined;
    while (this.inFlight < this.maxConcurrency && this.again.length + this.first.length > 0) {
      const wait = Math.max(this.paused?.left ?? 0, this.gap?.left ?? 0);
      if (wait > 0) {
        this.alarm = new AbortController();
        this.runtime.sleep(wait, this.alarm.signal).then(
          () => {
            // Even if the clock does not advance.
            this.paused = this.gap = undefined;
            this.dispatch();
          },
          () => undefined,
        );
        return;
      }
      this.inFlight++;
      this.gap = this.spacing === 0 ? undefined : this.span(this.spacing * (0.5 + this.runtime.random()));
      (this.again.shift() ?? this.first.shift())?.start();
    }
  }
}
