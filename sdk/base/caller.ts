import { CancelledError } from "./errors";

export interface Caller {
  readonly signal: AbortSignal;
  /** Shows a line temporarily, on the resource's line in the CLI. */
  readonly progress: (message: string) => void;
  /** Shows a line permanently. */
  readonly announce: (kind: "information" | "warning", message: string) => void;
}

/** Work that several callers wait for. It is cancelled when all of them are. */
export class SharedWork {
  private readonly waiting = new Set<Caller>();
  private readonly over = new AbortController();

  /** All callers see progress. Only the first one shows announcements. */
  readonly caller: Caller = {
    signal: this.over.signal,
    progress: (message) => this.waiting.forEach(({ progress }) => progress(message)),
    announce: (kind, message) => {
      const [first] = this.waiting;
      first?.announce(kind, message);
    },
  };

  get isCancelled(): boolean {
    return this.over.signal.aborted;
  }

  /** @throws CancelledError if the caller is cancelled first */
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
