import { ConnectionError, messageOf, ServiceError, TimeoutError, type TriviumError } from "../base/errors";
import { decideRetry } from "../http/retry";
import type { Runtime } from "../base/runtime";
import { isRefusal } from "./refusal";

/** A connection has ended, or could not be made, and another attempt follows. */
export interface Reconnection {
  /** What became of the last one, for people. */
  readonly reason: string;
  /** How long until the next attempt. */
  readonly delayMilliseconds: number;
}

/**
 * What became of a connection.
 *
 * @internal
 */
export interface ConnectionEnd {
  /** Whether the scheduler began to answer. */
  readonly wasAccepted: boolean;
  /** Whether any byte came. */
  readonly wasAlive: boolean;
  /** Whether there were events in what came. */
  readonly broughtEvents: boolean;
  /** Whether it was given up because nothing came any more. */
  readonly wasIdle: boolean;
  /** What there was instead of an orderly end. */
  readonly error: unknown;
}

/**
 * What came of a connection that has ended, or of an attempt to make one.
 *
 * @internal
 */
export type ConnectionOutcome =
  /** It brought events. */
  | "productive"
  /** It brought signs of life, or part of a frame, or was there without an answer. */
  | "alive"
  /** It brought nothing. */
  | "dead";

const shortestDelay = 100;
const longestDelay = 30_000;
/** So many connections that were alive count as much as one that was dead. */
const aliveConnectionsPerDoubling = 20;

/**
 * How long to wait before the next connection, in view of those before it.
 *
 * @internal
 */
export class BackOff {
  private doublings = 0;

  /**
   * @param outcome of the last connection
   * @param random from 0 to below 1: readers that were cut off together should not come back together
   * @returns milliseconds
   */
  next(outcome: ConnectionOutcome, random: number): number {
    if (outcome === "productive") {
      this.doublings = 0;
    }
    const delay = Math.min(longestDelay, shortestDelay * 2 ** Math.floor(this.doublings));
    this.doublings += outcome === "dead" ? 1 : 1 / aliveConnectionsPerDoubling;
    return delay * (0.5 + random / 2);
  }
}

/** So many connections in a row that are accepted and end without a byte are a refusal. */
const mostSilentConnections = 5;

/**
 * Decides, from how connections end, whether and when there is another one.
 *
 * @internal
 */
export class Reconnections {
  private readonly backOff = new BackOff();
  private wasEverAlive = false;
  private silentConnections = 0;
  private failedAttempts = 0;

  /**
   * @param maxRetries how often the first connection is tried again; one that has been made is resumed for ever
   * @param silenceMeans what the scheduler means by closing connections without a byte
   */
  constructor(
    private readonly maxRetries: number,
    private readonly silenceMeans: () => TriviumError,
    private readonly runtime: Runtime,
  ) {}

  /** @throws the error with which to give up */
  after(end: ConnectionEnd): Reconnection {
    const { wasAccepted, wasAlive, broughtEvents, wasIdle, error } = end;
    if (isHopeless(error)) {
      throw error;
    }
    this.wasEverAlive ||= wasAlive;
    const wasUnanswered = isUnanswered(error);
    this.failedAttempts = wasAccepted || wasUnanswered ? 0 : this.failedAttempts + 1;
    const wasClosedSilently = wasAccepted && !wasAlive && !wasIdle;
    this.silentConnections = wasAlive ? 0 : this.silentConnections + (wasClosedSilently ? 1 : 0);
    if (this.silentConnections >= mostSilentConnections) {
      throw this.silenceMeans();
    }
    if (!this.wasEverAlive && this.failedAttempts > this.maxRetries) {
      throw error;
    }
    const outcome = broughtEvents ? "productive" : wasAlive || wasUnanswered ? "alive" : "dead";
    const delay = this.backOff.next(outcome, this.runtime.random());
    const delayMilliseconds = Math.round(Math.max(delay, this.askedToWait(error)));
    return { reason: describe(end), delayMilliseconds };
  }

  /** How long the service itself wants to be left alone, in milliseconds. */
  private askedToWait(error: unknown): number {
    if (!ServiceError.isInstance(error) || error.headers["retry-after"] === undefined) {
      return 0;
    }
    const decision = decideRetry({
      idempotent: true,
      pureRead: true,
      sent: true,
      failure: { kind: "status", status: error.status },
      headers: error.headers,
      retries: { rateLimited: 0, other: 0 },
      maxRetries: 1,
      random: this.runtime.random(),
      now: this.runtime.date(),
    });
    return decision.retry ? decision.delayMilliseconds : 0;
  }
}

/**
 * Whether the scheduler took the request and did not begin to answer in time. It may do so only with its first event,
 * so this is the silence of a stream, and no failure.
 *
 * @internal
 */
export function isUnanswered(error: unknown): error is TimeoutError {
  return TimeoutError.isInstance(error) && error.phase === "headers";
}

/** Whether another attempt would end in the same way. */
function isHopeless(error: unknown): boolean {
  if (error === undefined || TimeoutError.isInstance(error)) {
    return false;
  }
  if (ConnectionError.isInstance(error)) {
    return error.permanent;
  }
  return (
    !ServiceError.isInstance(error) ||
    isRefusal(error) ||
    !(error.status >= 500 || [408, 425, 429].includes(error.status))
  );
}

function describe({ wasAccepted, wasAlive, wasIdle, error }: ConnectionEnd): string {
  if (wasIdle) {
    return "the scheduler has gone silent";
  }
  if (!wasAccepted) {
    return messageOf(error);
  }
  return wasAlive
    ? "the connection to the scheduler has ended"
    : "the scheduler has closed the connection without a word";
}
