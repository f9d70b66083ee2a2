import { CancelledError } from "./errors";

export interface Caller {
  readonly signal: AbortSignal;
  /** Shows a line temporarily, on the resource's line in the CLI. */
  readonly progress: (message: string) => void;
  /** Shows a line permanently. */
  readonly announce: (kind: "information" | "warning", message: string) => void;
}

/** Milliseconds to learn the outcome of a canceled request. The CLI exits within five seconds. */
const lastLook = 1500;

/** A caller that still works for a moment after Ctrl-C, to learn the outcome of a request. */
export function signalAfterwards(signal: AbortSignal): AbortSignal {
  return signal.aborted ? AbortSignal.timeout(lastLook) : signal;
}

type Waiter = Pick<Caller, "signal" | "progress">;

/** Work that several callers wait for. It is canceled when all of its callers are. */
export class SharedWork<Value> {
  private readonly waiting = new Set<Partial<Waiter>>();
  private readonly end = new AbortController();
  private readonly value: Promise<Value>;

  /** @param work the work, whose progress is shown to all callers */
  constructor(work: (caller: Waiter) => Promise<Value>) {
    const progress = (message: string) => this.waiting.forEach((waiter) => waiter.progress?.(message));
    this.value = work({ signal: this.end.signal, progress }).finally(() => this.end.abort());
  }

  /** Whether the work is done or canceled. */
  get hasEnded(): boolean {
    return this.end.signal.aborted;
  }

  /** @throws CancelledError if the caller is canceled first */
  wait({ signal, ...waiter }: Partial<Waiter>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal?.removeEventListener("abort", cancel);
        this.waiting.delete(waiter);
      };
      const cancel = (): void => {
        leave();
        reject(new CancelledError("Canceled while waiting for a request that several resources share."));
        if (this.waiting.size === 0) {
          this.end.abort();
        }
      };
      this.waiting.add(waiter);
      this.value.finally(leave).then(resolve, reject);
      if (signal?.aborted === true) {
        cancel();
      } else {
        signal?.addEventListener("abort", cancel);
      }
    });
  }
}
