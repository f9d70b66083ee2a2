import { TimeLimit } from "../base/timing";
import type { ResponseStream } from "../http/transport";

/** How long to wait for the rest of a message that ends a stream, which arrives at once. */
const longestRest = 1_000;

/** Reads a response that can last for hours, and gives up when it is idle. */
export class WatchedStream {
  /** Whether any byte arrived. */
  isAlive = false;
  /** Whether it was closed because it was idle. */
  isIdle = false;
  private readonly chunks: AsyncIterator<Uint8Array>;

  constructor(
    private readonly stream: ResponseStream,
    private idleMilliseconds: number,
  ) {
    this.chunks = stream.body[Symbol.asyncIterator]();
  }

  /** @returns `undefined` at the end of the stream, or if it was idle for too long */
  async read(): Promise<Uint8Array | undefined> {
    // Only during a read: a leftover timer would keep the process alive.
    const limit = new TimeLimit(this.idleMilliseconds, () => {
      this.isIdle = true;
      this.stream.close();
    });
    try {
      const next = await this.chunks.next();
      this.isAlive ||= next.done !== true;
      return next.done === true ? undefined : next.value;
    } finally {
      limit.clear();
    }
  }

  mayBeIdle(milliseconds: number): void {
    this.idleMilliseconds = milliseconds;
  }

  /** Waits for the end only briefly. */
  hurry(): void {
    this.mayBeIdle(Math.min(this.idleMilliseconds, longestRest));
  }

  close(): void {
    this.stream.close();
  }
}
