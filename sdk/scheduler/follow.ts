import { isProduct } from "../base/settings";
import {
  ConnectionError,
  ContractError,
  messageOf,
  ServiceError,
  TimeoutError,
  TriviumError,
} from "../base/errors";
import { type Runtime, systemRuntime, timerMilliseconds } from "../base/timing";
import { messagesIn } from "../http/error-body";
import { decideRetry } from "../http/retry";
import type { ResponseStream } from "../http/transport";
import { isRefusal, type SchedulerClient } from "./client";
import { FrameDecoder, readFrame, TooLongFrame, type WireObject } from "./decoder";
import type { Frame } from "./event";
import { History } from "./history";
import type { ConnectionOptions, Reconnection, StreamOptions } from "./options";
import { Translation } from "./subscription";

export interface FollowOptions extends Omit<
  StreamOptions,
  keyof ConnectionOptions | "idleTimeout" | "signal"
> {
  /** How many seconds a connection may be idle, without even a heartbeat. Default: 75. */
  readonly idleTimeout?: number | undefined;
  /** Ends the stream at once, without an error. */
  readonly signal: AbortSignal;
  readonly onConnected?: (() => void) | undefined;
  /** Called when the scheduler has not started to respond in this time, and is asked again. */
  readonly onUnanswered?: ((milliseconds: number) => void) | undefined;
}

/** Two and a half heartbeats, which are sent every 30 seconds. */
const usualIdleTimeout = 75;
const usualMaxFrameSize = 16 * 1024 * 1024;

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
  const { signal, onGap, onConnected, onUnanswered, onReconnect } = options;
  const { idleTimeout = usualIdleTimeout, maxFrameSize = usualMaxFrameSize } = options;
  const { maxRetries = 5, dialect } = client.settings;
  const history = new History(options.index ?? 0, isProduct[dialect], onGap);
  const translation = new Translation(options.topics, dialect);
  const reconnections = new Reconnections(maxRetries, () => client.silentRefusal(options), runtime);
  let brought = { events: false, objects: false };
  let error: unknown;
  // Keeps an error for the loop below: the consumer of the frames cannot reconnect.
  function* framesIn(objects: Iterable<WireObject>): Generator<Frame, void, undefined> {
    try {
      for (const object of objects) {
        const sent = readFrame(object);
        brought.objects = true;
        const frame = sent && history.note(sent);
        brought.events ||= frame !== undefined;
        // After the history: events outside the subscription were read too and are no gap.
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
    let openSince = 0;
    brought = { events: false, objects: false };
    error = undefined;
    try {
      const response = await client.openEventStream(options, history.index, signal);
      stream = new WatchedStream(response, timerMilliseconds(idleTimeout));
      openSince = runtime.now();
      onConnected?.();
      // A new decoder per connection: an object that was cut off is sent again as a whole.
      decoder = new FrameDecoder(maxFrameSize);
      for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) {
        yield framesIn(decoder.decode(chunk));
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
    const openMilliseconds = stream === undefined ? 0 : runtime.now() - openSince;
    const text = decoder?.text;
    const end = { stream, openMilliseconds, brought, text, error };
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

/** The rest of a text that ends a stream comes at once. */
const longestRest = 1_000;

/** Reads a response that may last for hours, and gives up when it is idle. */
export class WatchedStream {
  /** Whether any byte arrived. */
  isAlive = false;
  /** Closed because it was idle. */
  isIdle = false;
  private readonly chunks: AsyncIterator<Uint8Array>;

  constructor(
    private readonly stream: ResponseStream,
    private idleMilliseconds: number,
  ) {
    this.chunks = stream.body[Symbol.asyncIterator]();
  }

  /** @returns `undefined` at the end of the stream, or when it was idle for too long */
  async read(): Promise<Uint8Array | undefined> {
    // Only during a read: a leftover timer would keep the process alive.
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

  /** Waits for the end only briefly. */
  hurry(): void {
    this.idleMilliseconds = Math.min(this.idleMilliseconds, longestRest);
  }

  close(): void {
    this.stream.close();
  }
}

/** Flattens what a generator yields: an available item costs one promise, not several. Items must not throw. */
export class Batches<Item> implements AsyncIterableIterator<Item, void, undefined> {
  private items: Iterator<Item> | undefined;
  /** Pending calls of `next`, which are resolved in order. */
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** @param left aborted when the loop is left, to end a pending wait: the generator alone would finish it first */
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

/** @internal */
export interface ConnectionEnd {
  /** `undefined` if the scheduler did not start to respond. */
  readonly stream: Pick<WatchedStream, "isAlive" | "isIdle"> | undefined;
  readonly openMilliseconds: number;
  /** New events; any objects, heartbeats and repeated events included. */
  readonly brought: { readonly events: boolean; readonly objects: boolean };
  /** What ended it in the place of a frame. */
  readonly text: string | undefined;
  /** The error, unless it ended normally. */
  readonly error: unknown;
}

const shortestDelay = 100;
const longestDelay = 30_000;
/** This many live connections outweigh one dead connection. */
const aliveConnectionsPerDoubling = 20;
/** This many consecutive connections that are accepted and soon end without a byte are a rejection. */
const mostSilentConnections = 5;
/** A rejected token closes the stream at once; a stream that was open longer may just have had no events. */
const longestRejection = 5_000;
/** A scheduler that has just started refuses valid tokens, until it has replayed its log. */
const longestReplay = 5_000;

/** @internal */
export class Reconnections {
  wasEverAlive = false;
  private doublings = 0;
  private silentConnections = 0;
  private failedAttempts = 0;
  private refusedSince: number | undefined;
  private hadInvalidFrame = false;

  /** @param maxRetries of the first connection; an established one is always resumed */
  constructor(
    private readonly maxRetries: number,
    private readonly silenceMeans: () => TriviumError,
    private readonly runtime: Pick<Runtime, "now" | "random" | "date">,
  ) {}

  /** @throws the error, or that of a rejection, if another attempt is pointless */
  after(end: ConnectionEnd): Reconnection {
    const { stream, openMilliseconds, brought, text, error } = end;
    const isInvalid = stream !== undefined && ContractError.isInstance(error);
    // The same frame comes again.
    const isRepeated = isInvalid && this.hadInvalidFrame && !brought.events;
    this.hadInvalidFrame = isInvalid;
    if (isMistake(error) || isRepeated || (!this.wasEverAlive && !brought.objects && isHopeless(error))) {
      throw error;
    }
    const wasAlive = stream?.isAlive === true || openMilliseconds > longestRejection;
    this.wasEverAlive ||= wasAlive;
    const wasUnanswered = isUnanswered(error);
    this.failedAttempts = stream !== undefined || wasUnanswered ? 0 : this.failedAttempts + 1;
    const wasClosedSilently = stream?.isIdle === false && !wasAlive;
    this.silentConnections = wasAlive ? 0 : this.silentConnections + (wasClosedSilently ? 1 : 0);
    const isRefused = isRefusal(error) || isOurs(error);
    const mayPass = this.mayPass(isRefused || wasClosedSilently);
    if (wasClosedSilently && this.silentConnections >= mostSilentConnections && !mayPass) {
      throw this.silenceMeans();
    }
    if ((!this.wasEverAlive && this.failedAttempts > this.maxRetries) || (isRefused && !mayPass)) {
      throw error;
    }
    if (brought.events) {
      this.doublings = 0;
    }
    const delay = Math.min(longestDelay, shortestDelay * 2 ** Math.floor(this.doublings));
    // Heartbeats, part of a frame, and an open connection without a response prove that the scheduler runs.
    const isDead = text === undefined ? !wasAlive && !wasUnanswered : !brought.objects;
    this.doublings += isDead && !brought.events ? 1 : 1 / aliveConnectionsPerDoubling;
    // Jitter, so that readers that were cut off together do not reconnect together.
    const jittered = delay * (0.5 + this.runtime.random() / 2);
    return {
      reason: describe(end),
      delayMilliseconds: Math.round(Math.max(jittered, this.askedToWait(error))),
    };
  }

  /** Whether a refusal of an established stream may still pass. */
  private mayPass(isRefused: boolean): boolean {
    const now = this.runtime.now();
    this.refusedSince = isRefused && this.wasEverAlive ? (this.refusedSince ?? now) : undefined;
    return this.refusedSince !== undefined && now - this.refusedSince < longestReplay;
  }

  private askedToWait(error: unknown): number {
    if (!ServiceError.isInstance(error) || error.headers["retry-after"] === undefined) {
      return 0;
    }
    const decision = decideRetry({
      operation: { idempotent: true, method: "GET" },
      failure: { kind: "status", status: error.status, headers: error.headers, mayHaveBeenProcessed: true },
      retries: { rateLimited: 0, other: 0 },
      maxRetries: 1,
      random: this.runtime.random(),
      now: this.runtime.date(),
    });
    return typeof decision === "string" ? 0 : decision.delayMilliseconds;
  }
}

/**
 * A scheduler may only respond with its first event, so a missing response is an idle stream, not a failure.
 * @internal
 */
export function isUnanswered(error: unknown): error is TimeoutError {
  return TimeoutError.isInstance(error) && error.phase === "headers";
}

/** Whether the first attempt proves that another would fail in the same way. */
function isHopeless(error: unknown): boolean {
  if (error === undefined || TimeoutError.isInstance(error)) {
    return false;
  }
  if (ConnectionError.isInstance(error)) {
    return error.permanent;
  }
  return (
    isRefusal(error) ||
    !ServiceError.isInstance(error) ||
    !(error.status >= 500 || [408, 425, 429].includes(error.status))
  );
}

/** Whether the caller made it: no other scheduler and no other time would help. */
function isMistake(error: unknown): boolean {
  return error !== undefined && (error instanceof TooLongFrame || !TriviumError.isInstance(error));
}

/** Whether it was raised on this machine, such as for a token file that is just being replaced. */
function isOurs(error: unknown): boolean {
  const ofNetwork = [ServiceError, ConnectionError, TimeoutError, ContractError] as const;
  return error !== undefined && !ofNetwork.some((each) => each.isInstance(error));
}

function describe({ stream, text, error }: ConnectionEnd): string {
  if (text !== undefined) {
    return messagesIn(Buffer.from(text)).join("; ");
  }
  if (stream === undefined || ContractError.isInstance(error)) {
    return messageOf(error);
  }
  if (stream.isIdle) {
    return "the scheduler sent nothing for too long";
  }
  return stream.isAlive
    ? "the connection to the scheduler ended"
    : "the scheduler closed the connection without a response";
}
