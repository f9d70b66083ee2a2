import { systemRuntime, type Runtime } from "../base/runtime";
import type { AnswerStream } from "../http/transport";
import { Batches } from "./batches";
import type { SchedulerClient, Subscription } from "./client";
import { FrameDecoder, MalformedStreamError, type WireObject } from "./decoder";
import type { Frame } from "./event";
import { readFrame } from "./frame";
import { type Gap, History } from "./history";
import { type ConnectionEnd, isUnanswered, type Reconnection, Reconnections } from "./reconnection";

/** How to follow the event stream. */
export interface FollowOptions extends Subscription {
  /** Where to begin. Default 0: with the oldest that the scheduler still has. */
  readonly index?: number | undefined;
  /** How long a connection may bring nothing, not even a sign of life. Default: 75,000. */
  readonly idleMilliseconds?: number | undefined;
  /** The length in bytes beyond which a frame is refused. Default: 16 MiB. */
  readonly maxFrameSize?: number | undefined;
  /** Ends it at once, without an error. */
  readonly signal: AbortSignal;
  /** Told before the frame that comes after a possible gap. */
  readonly onGap?: ((gap: Gap) => void) | undefined;
  /** Told when the scheduler begins to answer. */
  readonly onConnected?: (() => void) | undefined;
  /** Told when the scheduler has not begun to answer for so many milliseconds, and is asked anew. */
  readonly onUnanswered?: ((milliseconds: number) => void) | undefined;
  /** Told when a connection has ended or could not be made, before the wait for the next attempt. */
  readonly onReconnect?: ((reconnection: Reconnection) => void) | undefined;
}

/** Two heartbeats, which come every 30 seconds, and half of one. */
const usualIdleTime = 75_000;
const usualMaxFrameSize = 16 * 1024 * 1024;

/**
 * Follows the event stream over as many connections as it takes, until the signal is aborted. It reads no faster
 * than it is asked for frames: one chunk of bytes is all that is held of what has come.
 *
 * @throws TriviumError when the scheduler refuses, or when trying again cannot help
 */
export function followEvents(
  client: SchedulerClient,
  options: FollowOptions,
  runtime: Runtime = systemRuntime,
): Batches<Frame> {
  return new Batches(followChunks(client, options, runtime));
}

/** Yields the frames of each chunk, of which all have to be taken before the next chunk. */
async function* followChunks(
  client: SchedulerClient,
  options: FollowOptions,
  runtime: Runtime,
): AsyncGenerator<Iterator<Frame, void, undefined>, void, undefined> {
  const { signal, onGap, onConnected, onUnanswered, onReconnect } = options;
  const { idleMilliseconds = usualIdleTime, maxFrameSize = usualMaxFrameSize } = options;
  const history = new History(options.index ?? 0);
  const translation = client.translationFor(options);
  const reconnections = new Reconnections(client.maxRetries, () => client.silentRefusal(options), runtime);
  let broughtEvents = false;
  function* framesIn(objects: Iterable<WireObject>): Generator<Frame, void, undefined> {
    for (const object of objects) {
      const sent = readFrame(object);
      if (sent === undefined) {
        continue;
      }
      const { frame, gap } = history.note(sent);
      if (gap !== undefined) {
        onGap?.(gap);
      }
      // Only now: what was not asked for has been read as well, and is no gap.
      const meant = frame && translation.read(frame);
      broughtEvents ||= frame !== undefined;
      if (meant !== undefined) {
        yield meant;
        if (isOver(signal)) {
          return;
        }
      }
    }
  }
  while (!isOver(signal)) {
    let stream: WatchedStream | undefined;
    broughtEvents = false;
    let error: unknown;
    try {
      const answer = await client.openEventStream(options, history.index, signal);
      stream = new WatchedStream(answer, idleMilliseconds);
      onConnected?.();
      // With every connection a new one: what the end of the last has cut off is sent again as a whole.
      const decoder = new FrameDecoder(maxFrameSize);
      for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) {
        yield framesIn(decoder.decode(chunk));
        if (isOver(signal)) {
          return;
        }
      }
    } catch (caught) {
      error = caught instanceof MalformedStreamError ? client.malformed(caught.message, caught.hint) : caught;
    } finally {
      stream?.close();
    }
    if (isUnanswered(error)) {
      onUnanswered?.(error.timeoutMilliseconds);
    }
    if (isOver(signal)) {
      return;
    }
    const { isAlive: wasAlive = false, isIdle: wasIdle = false } = stream ?? {};
    const end: ConnectionEnd = { wasAccepted: stream !== undefined, wasAlive, wasIdle, broughtEvents, error };
    const reconnection = reconnections.after(end);
    onReconnect?.(reconnection);
    await runtime.sleep(reconnection.delayMilliseconds, signal).catch(() => undefined);
    history.reconnected();
  }
}

/** A function, since the compiler takes a property that it has seen once to stay what it was. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

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
