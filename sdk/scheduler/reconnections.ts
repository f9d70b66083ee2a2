import {
  ConnectionError,
  ContractError,
  messageOf,
  ServiceError,
  TimeoutError,
  TriviumError,
} from "../base/errors";
import type { Runtime } from "../base/timing";
import { messagesIn } from "../http/error-body";
import { decideRetry } from "../http/retry";
import { TooLongFrame } from "./decoder";
import type { Reconnection } from "./options";
import { isRefusal, isUnknownRegion, type Silence } from "./refusal";
import type { WatchedStream } from "./watched-stream";

/** @internal */
export interface ConnectionEnd {
  /** `undefined` if the scheduler did not start to respond. */
  readonly stream: Pick<WatchedStream, "isAlive" | "isIdle"> | undefined;
  readonly openMilliseconds: number;
  /** New events; any objects, heartbeats and repeated events included. */
  readonly brought: { readonly events: boolean; readonly objects: boolean };
  /** The text that ended the stream instead of a frame. */
  readonly text: string | undefined;
  /** The error; missing if the connection ended normally. */
  readonly error: unknown;
  /** Why nothing was sent, if this might be a refusal. */
  readonly silence?: Silence | undefined;
}

const shortestDelay = 100;
const longestDelay = 30_000;
/** This many live connections outweigh one dead connection. */
const aliveConnectionsPerDoubling = 20;
/** This many consecutive connections that are accepted and soon end without a byte are a rejection. */
const mostSilentConnections = 5;
/**
 * A connection that stays open and silent for this long is a rejection at once, if nothing else explains it.
 */
const mostLikelyRefusals = 2;
/**
 * A rejected token closes the stream at once; a stream that was open longer might just not have had any
 * events.
 */
export const longestRejection = 5_000;
/** A scheduler that has just started rejects valid tokens until it has replayed its log. */
const longestReplay = 5_000;

/** @internal */
export class Reconnections {
  wasEverAlive = false;
  private doublings = 0;
  private silentConnections = 0;
  private failedAttempts = 0;
  private refusedMilliseconds: number | undefined;
  private lastEnd = { at: 0, delayMilliseconds: 0 };
  private hadInvalidFrame = false;

  /** @param maxRetries retries of the first connection; an established one is always resumed */
  constructor(
    private readonly maxRetries: number,
    private readonly runtime: Pick<Runtime, "now" | "random" | "date">,
  ) {}

  /** @throws the error, or the one of a rejection, if another attempt cannot succeed */
  after(end: ConnectionEnd): Reconnection {
    const { stream, openMilliseconds, brought, text, silence } = end;
    const error: unknown = end.error ?? (silence?.meaning === "refused" ? silence.error : undefined);
    const isInvalid = stream !== undefined && ContractError.isInstance(error);
    // The same frame would be sent again.
    const isRepeated = isInvalid && this.hadInvalidFrame && !brought.events;
    this.hadInvalidFrame = isInvalid;
    if (isMistake(error) || isRepeated || (!this.wasEverAlive && !brought.objects && isHopeless(error))) {
      throw error;
    }
    const wasAlive =
      stream?.isAlive === true || (silence === undefined && openMilliseconds > longestRejection);
    this.wasEverAlive ||= wasAlive;
    const wasUnanswered = isUnanswered(error);
    this.failedAttempts = stream !== undefined || wasUnanswered ? 0 : this.failedAttempts + 1;
    this.silentConnections = wasAlive ? 0 : this.silentConnections + (silence === undefined ? 0 : 1);
    const isRefused = isRefusal(error) || isOurs(error);
    const mayPass = this.mayPass(isRefused || silence !== undefined);
    if (silence !== undefined && this.silentConnections >= enough(silence, stream) && !mayPass) {
      throw silence.error;
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
    const delayMilliseconds = Math.round(Math.max(jittered, this.askedToWait(error)));
    this.lastEnd = { at: this.runtime.now(), delayMilliseconds };
    return { reason: describe(end), delayMilliseconds };
  }

  /** Whether a refusal of an established stream might be temporary. */
  private mayPass(isRefused: boolean): boolean {
    const now = this.runtime.now();
    const { at, delayMilliseconds } = this.lastEnd;
    // A test's clock can stand still or go back.
    const passed = now > at ? now - at : delayMilliseconds;
    const { refusedMilliseconds: before } = this;
    const refused = before === undefined ? 0 : before + passed;
    this.refusedMilliseconds = isRefused && this.wasEverAlive ? refused : undefined;
    return this.refusedMilliseconds !== undefined && this.refusedMilliseconds < longestReplay;
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
 * A scheduler might not respond before its first event, so a missing response is an idle stream, not a
 * failure.
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
    isUnknownRegion(error) ||
    !ServiceError.isInstance(error) ||
    !(error.status >= 500 || [408, 425, 429].includes(error.status))
  );
}

/** @returns how many consecutive silent connections count as a refusal */
function enough({ meaning }: Silence, stream: ConnectionEnd["stream"]): number {
  return meaning === "unlikely" ? mostSilentConnections : stream?.isIdle === true ? 1 : mostLikelyRefusals;
}

/** Whether the caller caused the error, so that it does not depend on the scheduler or on time. */
function isMistake(error: unknown): boolean {
  return error !== undefined && (error instanceof TooLongFrame || !TriviumError.isInstance(error));
}

/** Whether the error was raised on this machine, for example because a token file is just being replaced. */
function isOurs(error: unknown): boolean {
  const ofNetwork = [ServiceError, ConnectionError, TimeoutError, ContractError] as const;
  return error !== undefined && !isUnknownRegion(error) && !ofNetwork.some((each) => each.isInstance(error));
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
