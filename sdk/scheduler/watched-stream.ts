import type { AnswerStream } from "../http/transport";

/** Reads an answer that may last for hours, and gives up when nothing comes. */
export class WatchedStream {
  /** Whether anything has come. */
  isAlive = false;
  /** Nothing came for too long. */
  isIdle = false;
  private readonly chunks: AsyncIterator<Uint8Array>;

  /** @param idleMilliseconds how long to wait for the next bytes; while nobody reads, nobody waits */
  constructor(
    private readonly stream: AnswerStream,
    private readonly idleMilliseconds: number,
  ) {
    this.chunks = stream.body[Symbol.asyncIterator]();
  }

  /**
   * @returns the next bytes; `undefined` when the stream has ended or was given up
   * @throws as the body of an {@link AnswerStream}
   */
  async read(): Promise<Uint8Array | undefined> {
    // Only while somebody waits: a timer left behind would keep the process alive.
    const timer = setTimeout(() => {
      this.isIdle = true;
      this.stream.close();
    }, this.idleMilliseconds);
    try {
      const next = await this.chunks.next();
      this.isAlive ||= next.done !== true;
      return next.done === true ? undefined : next.value;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connection. */
  close(): void {
    this.stream.close();
  }
}
