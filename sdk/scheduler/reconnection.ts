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

/** @internal */
export interface ConnectionEnd {
  /** Whether the scheduler started to respond. */
  readonly wasAccepted: boolean;
  /** Whether any byte arrived. */
  readonly wasAlive: boolean;
  readonly broughtEvents: boolean;
  /** Closed by the reader because it was idle. */
  readonly wasIdle: boolean;
  readonly openMilliseconds: number;
  /** The error, unless it ended normally. */
  readonly error: unknown;
}

/** @internal */
export type ConnectionOutcome =
  | "productive"
  /** Heartbeats or part of a frame arrived, or it was open without a response. */
  | "alive"
  | "dead";

const shortestDelay = 100;
const longestDelay = 30_000;
/** This many live connections outweigh one dead connection. */
const aliveConnectionsPerDoubling = 20;

/** @internal */
export class BackOff {
  private doublings = 0;

  /** @param random in [0, 1): jitter, so that readers that were cut off together do not reconnect together */
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
/** A rejected token closes the stream at once; a stream that was open longer may just have had no events. */
const longestRejection = 5_000;

/** @internal */
export class Reconnections {
  private readonly backOff = new BackOff();
  private wasEverAlive = false;
  private silentConnections = 0;
  private failedAttempts = 0;

  /** @param maxRetries of the first connection; an established one is always resumed */
  constructor(
    private readonly maxRetries: number,
    private readonly silenceMeans: () => TriviumError,
    private readonly runtime: Runtime,
  ) {}

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
 * A scheduler may only respond with its first event, so a missing response is an idle stream, not a failure.
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
