import { ConnectionError, messageOf, ServiceError, TimeoutError, type TriviumError } from "../base/errors";
import { decideRetry } from "../http/retry";
import type { Runtime } from "../base/runtime";
import { isRefusal } from "./client";

/** A connection ended or failed, and another attempt follows. */
export interface Reconnection {
  /** Why the last one ended, as text. */
  readonly reason: string;
  /** The delay before the next attempt. */
  readonly delayMilliseconds: number;
}

/**
 * The outcome of a connection.
 *
 * @internal
 */
export interface ConnectionEnd {
  /** Whether the scheduler started to respond. */
  readonly wasAccepted: boolean;
  /** Whether any byte arrived. */
  readonly wasAlive: boolean;
  /** Whether events arrived. */
  readonly broughtEvents: boolean;
  /** Whether it was given up because it was idle. */
  readonly wasIdle: boolean;
  /** How long it was open, in milliseconds. */
  readonly openMilliseconds: number;
  /** The error, unless it ended normally. */
  readonly error: unknown;
}

/**
 * The result of a connection or an attempt.
 *
 * @internal
 */
export type ConnectionOutcome =
  /** Events arrived. */
  | "productive"
  /** Heartbeats or part of a frame arrived, or it was open without a response. */
  | "alive"
  /** Nothing arrived. */
  | "dead";

const shortestDelay = 100;
const longestDelay = 30_000;
/** This many live connections outweigh one dead connection. */
const aliveConnectionsPerDoubling = 20;

/**
 * The delay before the next connection, based on earlier ones.
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

/** This many consecutive connections that are accepted and soon end without a byte are a rejection. */
const mostSilentConnections = 5;
/**
 * A scheduler that rejects a token closes the connection at once. The document knows no heartbeats: a connection that
 * was open for longer may just have had no events.
 */
const longestRejection = 5_000;

/**
 * Decides, from how connections end, whether and when to reconnect.
 *
 * @internal
 */
export class Reconnections {
  private readonly backOff = new BackOff();
  private wasEverAlive = false;
  private silentConnections = 0;
  private failedAttempts = 0;

  /**
   * @param maxRetries how often the first connection is tried again; one that has been made is resumed
   *   forever
   * @param silenceMeans what the scheduler means by closing connections without a byte
   */
  constructor(
    private readonly maxRetries: number,
    private readonly silenceMeans: () => TriviumError,
    private readonly runtime: Runtime,
  ) {}

  /** @throws the final error */
  after(end: ConnectionEnd): Reconnection {
    const { wasAccepted, broughtEvents, wasIdle, openMilliseconds, error } = end;
    const wasAlive = end.wasAlive || openMilliseconds > longestRejection;
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

  /** The delay that the service requests, in milliseconds. */
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
 * Whether the scheduler accepted the request and did not start to respond in time. It may only respond with
 * its first event, so this is an idle stream, not a failure.
 *
 * @internal
 */
export function isUnanswered(error: unknown): error is TimeoutError {
  return TimeoutError.isInstance(error) && error.phase === "headers";
}

/** Whether another attempt would fail in the same way. */
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
    return "the scheduler sent nothing for too long";
  }
  if (!wasAccepted) {
    return messageOf(error);
  }
  return wasAlive
    ? "the connection to the scheduler ended"
    : "the scheduler closed the connection without a response";
}
