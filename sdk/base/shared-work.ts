import type { Caller } from "./caller";
import { CancelledError } from "./errors";

/**
 * Work that several callers wait for. It goes on while one of them waits, and is cancelled when all who waited were.
 */
export class SharedWork {
  private readonly waiting = new Set<Caller>();
  private readonly over = new AbortController();

  /** On whose behalf its requests are: all who wait see progress, and the first one of them what is announced. */
  readonly caller: Caller = {
    signal: this.over.signal,
    progress: (message) => this.waiting.forEach(({ progress }) => progress(message)),
    announce: (kind, message) => {
      const [first] = this.waiting;
      first?.announce(kind, message);
    },
  };

  /** Whether it comes to nothing, so that it has to begin again. */
  get isCancelled(): boolean {
    return this.over.signal.aborted;
  }

  /**
   * Waits for something that the work brings.
   *
   * @throws CancelledError if the caller is cancelled before
   */
  wait<Value>({ signal, progress, announce }: Caller, value: Promise<Value>): Promise<Value> {
    const caller = { signal, progress, announce };
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener("abort", cancel);
        this.waiting.delete(caller);
      };
      const cancel = (): void => {
        leave();
        reject(new CancelledError("Cancelled while waiting for a request that several resources share."));
        if (this.waiting.size === 0) {
          this.over.abort();
        }
      };
      this.waiting.add(caller);
      value.finally(leave).then(resolve, reject);
      if (signal.aborted) {
        cancel();
      } else {
        signal.addEventListener("abort", cancel);
      }
    });
  }
}
