import { isObject } from "../base/json";
import { isProduct } from "../base/settings";
import { type Runtime, Span, systemRuntime, timerMilliseconds } from "../base/timing";
import type { SchedulerClient } from "./client";
import { FrameDecoder, readFrame, type WireObject } from "./decoder";
import type { Frame } from "./event";
import { parseExactly } from "./exact-numbers";
import { History } from "./history";
import type { ConnectionOptions, StreamOptions } from "./options";
import { isUnanswered, longestRejection, Reconnections } from "./reconnections";
import type { Silence } from "./refusal";
import { Translation } from "./subscription";
import { WatchedStream } from "./watched-stream";

export interface FollowOptions extends Omit<
  StreamOptions,
  keyof ConnectionOptions | "idleTimeout" | "signal" | "index"
> {
  /** How many seconds a connection can be idle, without even a heartbeat. Default: 75. */
  readonly idleTimeout?: number | undefined;
  /** When aborted, ends the stream at once, without an error. */
  readonly signal: AbortSignal;
  /** Default: 0. */
  readonly index?: number | bigint | undefined;
  /** Whether to keep each number as the scheduler wrote it, to be printed by `withNumbers`. */
  readonly isExact?: boolean | undefined;
  /**
   * Called when the scheduler has accepted the subscription; with Nomad, when the first bytes have arrived.
   */
  readonly onConnected?: (() => void) | undefined;
  /** Called when the first bytes of a connection have arrived. */
  readonly onBegun?: (() => void) | undefined;
  /**
   * Called when the scheduler has not started to respond within this time, before the request is repeated.
   */
  readonly onUnanswered?: ((milliseconds: number) => void) | undefined;
}

/** Two and a half intervals between heartbeats, which are sent every 30 seconds. */
const usualIdleTimeout = 75;
const usualMaxFrameSize = 16 * 1024 * 1024;
/** Nomad begins every accepted stream with a heartbeat, so only rejected streams are silent. */
const usualBeginning = 1_000;
const longestBeginning = 10_000;

/**
 * Follows the event stream over any number of connections. It applies back-pressure: only one chunk is buffered.
 *
 * @throws TriviumError if the scheduler rejects the subscription, or if a retry cannot help
 */
export function followEvents(
  client: SchedulerClient,
  options: FollowOptions,
  runtime: Runtime = systemRuntime,
): Batches<Frame> {
  return new Batches(followChunks(client, options, runtime));
}

/** Yields the frames of each chunk, all of which must be consumed before the next chunk. */
export async function* followChunks(
  client: SchedulerClient,
  options: FollowOptions,
  runtime: Runtime = systemRuntime,
): AsyncGenerator<Iterable<Frame>, void, undefined> {
  const { signal, onGap, onConnected, onBegun, onUnanswered, onReconnect } = options;
  const { idleTimeout = usualIdleTimeout, maxFrameSize = usualMaxFrameSize } = options;
  const { maxRetries = 5, dialect } = client.settings;
  const { isExact = false } = options;
  const ofProduct = isProduct[dialect];
  const history = new History(options.index ?? 0, ofProduct, onGap);
  const translation = new Translation(options.topics, dialect);
  const reconnections = new Reconnections(maxRetries, runtime);
  const idleMilliseconds = timerMilliseconds(idleTimeout);
  const beginMilliseconds = ofProduct ? Math.min(idleMilliseconds, longestBeginning) : idleMilliseconds;
  let brought = { events: false, objects: false };
  let error: unknown;
  // Keeps an error for the loop below, because the consumer of the frames cannot reconnect.
  function* framesIn(decoder: FrameDecoder, chunk: Uint8Array): Generator<Frame, void, undefined> {
    try {
      for (const object of decoder.decode(chunk)) {
        const sent = readFrame(isExact ? exactly(decoder.source) : object, decoder.source);
        brought.objects = true;
        const frame = sent && history.note(sent);
        brought.events ||= frame !== undefined;
        // Filters after the history, because events outside the subscription were also read and are not a
        // gap.
        const meant = frame && translation.read(frame);
        if (meant !== undefined) {
          yield meant;
          if (isOver(signal)) {
            return;
          }
        }
      }
    } catch (caught) {
      error = caught;
    }
  }
  while (!isOver(signal)) {
    let stream: WatchedStream | undefined;
    let decoder: FrameDecoder | undefined;
    let opening: Span | undefined;
    brought = { events: false, objects: false };
    error = undefined;
    try {
      const response = await client.openEventStream(options, history.index, signal);
      stream = new WatchedStream(response, beginMilliseconds);
      opening = new Span(longestRejection, runtime.now);
      if (!ofProduct) {
        onConnected?.();
      }
      // A new decoder for each connection: an object that was cut off is sent again as a whole.
      decoder = new FrameDecoder(maxFrameSize);
      let chunk = await (ofProduct
        ? beginningOf(stream, () => client.whySilent(options, signal))
        : stream.read());
      if (chunk !== undefined) {
        stream.mayBeIdle(idleMilliseconds);
        onBegun?.();
      }
      if (chunk !== undefined && ofProduct) {
        onConnected?.();
      }
      for (; chunk !== undefined; chunk = await stream.read()) {
        yield framesIn(decoder, chunk);
        if (error !== undefined || isOver(signal)) {
          break;
        }
        if (decoder.text !== undefined) {
          if (!brought.objects && !reconnections.wasEverAlive) {
            error = decoder.refusal;
            break;
          }
          stream.hurry();
        }
      }
    } catch (caught) {
      error = caught;
    } finally {
      stream?.close();
    }
    if (isUnanswered(error)) {
      onUnanswered?.(error.timeoutMilliseconds);
    }
    if (isOver(signal)) {
      return;
    }
    const openMilliseconds = opening?.passed ?? 0;
    const text = decoder?.text;
    const wasSilent = stream?.isAlive === false && error === undefined;
    // In the documented dialect, a stream that was open longer might just not have had any events.
    const mayBeRefused = ofProduct || (stream?.isIdle === false && openMilliseconds <= longestRejection);
    const silence =
      wasSilent && mayBeRefused
        ? await client.whySilent(options, signal).catch((caught: unknown) => void (error = caught))
        : undefined;
    if (isOver(signal)) {
      return;
    }
    const end = { stream, openMilliseconds, brought, text, error, silence: silence ?? undefined };
    const reconnection = reconnections.after(end);
    onReconnect?.(reconnection);
    await runtime.sleep(reconnection.delayMilliseconds, signal).catch(() => undefined);
    history.reconnected(/event dropped from buffer/i.test(text ?? ""));
  }
}

/** A function, because the compiler would narrow a property after the first check. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

function exactly(source: string): WireObject {
  const object = parseExactly(source);
  return isObject(object) ? object : {};
}

/** @throws the refusal, if the scheduler confirms that the silence is one */
async function beginningOf(
  stream: WatchedStream,
  whySilent: () => Promise<Silence>,
): Promise<Uint8Array | undefined> {
  const first = stream.read();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), usualBeginning);
  });
  const begun = await Promise.race([first, late]).finally(() => clearTimeout(timer));
  if (begun !== "late") {
    return begun;
  }
  const silence = await Promise.race([first.then(() => undefined), whySilent()]);
  if (silence?.meaning === "refused") {
    first.catch(() => undefined);
    throw silence.error;
  }
  return first;
}

/**
 * Flattens what a generator yields, with one promise for an available item instead of several. Items must not
 * throw.
 */
export class Batches<Item> implements AsyncIterableIterator<Item, void, undefined> {
  private items: Iterator<Item> | undefined;
  /** Pending calls of `next`, which are resolved in order. */
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  /**
   * @param left aborted when the loop is left, to end a pending wait, which the generator alone would finish
   * first
   */
  constructor(
    private readonly batches: AsyncGenerator<Iterable<Item>, void, undefined>,
    private readonly left?: AbortController,
  ) {}

  next(): Promise<IteratorResult<Item, void>> {
    const item = this.waiting === 0 ? this.take() : undefined;
    if (item !== undefined) {
      return Promise.resolve(item);
    }
    this.waiting += 1;
    const next = this.last.then(() => this.advance());
    this.last = next.catch(() => undefined);
    return next;
  }

  async return(): Promise<IteratorResult<Item, void>> {
    this.left?.abort();
    this.items = undefined;
    await this.batches.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private take(): IteratorYieldResult<Item> | undefined {
    const next = this.items?.next();
    return next?.done === true ? undefined : next;
  }

  private async advance(): Promise<IteratorResult<Item, void>> {
    try {
      for (let item = this.take(); ; item = this.take()) {
        if (item !== undefined) {
          return item;
        }
        const batch = await this.batches.next();
        if (batch.done === true) {
          return { done: true, value: undefined };
        }
        this.items = batch.value[Symbol.iterator]();
      }
    } finally {
      this.waiting -= 1;
    }
  }
}
