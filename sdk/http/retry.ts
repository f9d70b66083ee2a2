import { httpDate } from "../base/timing";
import type { Operation } from "./transport";

export interface Failure {
  /**
   * `permanent`: a failure that a retry cannot fix, such as an invalid certificate or an unexpected response.
   */
  readonly kind: "status" | "connection" | "timeout" | "permanent";
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether nothing listens at the address, or the name is unknown. */
  readonly unreachable?: boolean;
  readonly mayHaveBeenProcessed: boolean;
}

export interface RetryContext {
  readonly operation: Pick<Operation, "idempotent" | "method">;
  readonly failure: Failure;
  readonly retries: { readonly rateLimited: number; readonly other: number };
  readonly maxRetries: number;
  /**
   * Whether the service has ever responded to this process; if not, its address might be wrong. Default:
   * true.
   */
  readonly everReached?: boolean;
  readonly waitedMilliseconds?: number;
  readonly random: number;
  /** Milliseconds since 1970, for dates in headers. */
  readonly now: number;
}

export interface RetryDecision {
  readonly delayMilliseconds: number;
  readonly reason: string;
  /** Whether all requests must wait, because the service limits the rate of the whole process. */
  readonly pausesAll: boolean;
}

const firstDelay = 500;
const longestBackOff = 10_000;
/** The total wait for a service that has never been reachable. */
export const longestWaitIfUnreached = 3000;
/** The maximum wait, even if the service requests a longer one. */
export const longestWait = 60_000;
/**
 * The retry budget for 429, as a multiple of the usual budget: a rate-limiting service responds eventually.
 */
export const rateLimitFactor = 6;

/**
 * Pure: randomness and time are inputs.
 *
 * @returns `exhausted` if the budget is used up, `final` if another attempt is unsafe or useless
 */
export function decideRetry(context: RetryContext): RetryDecision | "exhausted" | "final" {
  const { failure, retries, maxRetries, random, everReached = true, waitedMilliseconds = 0 } = context;
  // A request that is not idempotent is only retried if the service has certainly not processed it.
  const isSafe = context.operation.idempotent || !failure.mayHaveBeenProcessed;
  if (!isSafe || !isWorthRepeating(context)) {
    return "final";
  }
  const { status, unreachable = false } = failure;
  const rateLimited = status === 429;
  const requested = requestedDelay(context);
  // A Retry-After beyond our cap does not get the rate-limit budget: the next attempt would be rejected too.
  const patient = rateLimited && (requested ?? 0) <= longestWait;
  const used = rateLimited ? retries.rateLimited : retries.other;
  if (used >= (patient ? maxRetries * rateLimitFactor : maxRetries)) {
    return "exhausted";
  }
  const delayMilliseconds = Math.round(
    requested === undefined ? backOff(used, random) : atLeast(requested, random),
  );
  if (unreachable && !everReached && waitedMilliseconds + delayMilliseconds > longestWaitIfUnreached) {
    return "exhausted";
  }
  return {
    delayMilliseconds,
    reason: `${describe(failure)}, waiting ${inSeconds(delayMilliseconds, requested)}`,
    pausesAll: rateLimited || (status === 503 && requested !== undefined),
  };
}

function isWorthRepeating({ failure: { kind, status }, operation }: RetryContext): boolean {
  if (status === undefined) {
    return kind !== "permanent";
  }
  const { idempotent, method } = operation;
  return (
    [408, 425, 429, 502, 503, 504].includes(status) ||
    (idempotent && (status === 412 || (status === 500 && method === "GET")))
  );
}

/** @returns milliseconds; `undefined` if the service does not request a delay */
function requestedDelay({ failure: { status, headers = {} }, now }: RetryContext): number | undefined {
  const reset = status === 429 ? headers["x-ratelimit-reset"] : undefined;
  // A date from the service is relative to the service's clock.
  const serviceNow = httpDate(headers.date) ?? now;
  return milliseconds(headers["retry-after"], serviceNow) ?? milliseconds(reset, serviceNow);
}

/** @param text with several values if the header was sent more than once: the longest wait counts */
function milliseconds(text: string | undefined, now: number): number | undefined {
  const parts = text?.match(/[a-z]{3,9},[^,]*gmt|[^,\s][^,]*/gi) ?? [];
  const waits = parts.map((part) => millisecondsIn(part, now)).filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function millisecondsIn(text: string, now: number): number | undefined {
  const number = /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) * 1000 : undefined;
  if (number !== undefined && number < now / 2) {
    return number;
  }
  // Some services return a timestamp in seconds since 1970, others the seconds to wait.
  const time = number ?? httpDate(text);
  return time === undefined ? undefined : Math.max(0, time - now);
}

function backOff(used: number, random: number): number {
  return Math.min(longestBackOff, firstDelay * 2 ** used) * (0.5 + random / 2);
}

/** Jitter keeps clients that were rejected together from returning together. */
function atLeast(requested: number, random: number): number {
  return Math.min(requested + random * Math.min(1000, 50 + requested / 4), longestWait);
}

function describe({ kind, status, unreachable }: Failure): string {
  switch (kind) {
    case "status":
      return status === 429 ? "rate limited" : `the service returned ${status ?? ""}`;
    case "connection":
      return unreachable === true ? "the service is not reachable" : "the connection failed";
    default:
      return "the request timed out";
  }
}

function inSeconds(delayMilliseconds: number, requested: number | undefined): string {
  const wait = `${Math.max(0.1, Math.round(delayMilliseconds / 100) / 10)} s`;
  return requested !== undefined && requested > longestWait
    ? `${wait} of the ${Math.round(requested / 1000)} s that the service requests`
    : wait;
}
