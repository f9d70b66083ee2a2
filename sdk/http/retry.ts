import { httpDate } from "../base/timing";

export type Failure =
  | { readonly kind: "status"; readonly status: number }
  /** `unreachable`: nothing listens there, or the name is unknown. */
  | { readonly kind: "connection"; readonly unreachable?: boolean }
  | { readonly kind: "timeout" }
  /** A retry cannot fix it: an invalid certificate, an unexpected response. */
  | { readonly kind: "permanent" };

export interface RetryContext {
  readonly idempotent: boolean;
  readonly pureRead: boolean;
  readonly sent: boolean;
  readonly failure: Failure;
  readonly headers: Readonly<Record<string, string>>;
  readonly retries: { readonly rateLimited: number; readonly other: number };
  readonly maxRetries: number;
  /** If the service has never responded to this process, its address may be wrong. Default: true. */
  readonly everReached?: boolean;
  readonly waitedMilliseconds?: number;
  readonly random: number;
  /** Milliseconds since 1970, for dates in headers. */
  readonly now: number;
}

export interface RetryDecision {
  readonly retry: true;
  readonly delayMilliseconds: number;
  readonly reason: string;
  /** The service is rate limiting the whole process, so all requests wait. */
  readonly pausesAll: boolean;
}

export interface Surrender {
  readonly retry: false;
  readonly exhausted: boolean;
}

const firstDelay = 500;
const longestBackOff = 10_000;
/** Total wait for a service that has never been reachable. */
export const patienceWithStrangers = 3000;
/** The maximum wait, whatever the service requests. */
export const longestWait = 60_000;
/** The retry budget for 429 as a multiple of the other one: a rate-limiting service responds eventually. */
export const rateLimitFactor = 6;

/** Pure: randomness and time are inputs. */
export function decideRetry(question: RetryContext): RetryDecision | Surrender {
  if (!isWorthRepeating(question) || !isSafeToRepeat(question)) {
    return { retry: false, exhausted: false };
  }
  const { failure, retries, maxRetries, random, everReached = true, waitedMilliseconds = 0 } = question;
  const status = failure.kind === "status" ? failure.status : undefined;
  const rateLimited = status === 429;
  const asked = askedToWait(question);
  // A Retry-After beyond our cap does not get the rate-limit budget: the next attempt would be refused too.
  const patient = rateLimited && (asked ?? 0) <= longestWait;
  const used = rateLimited ? retries.rateLimited : retries.other;
  if (used >= (patient ? maxRetries * rateLimitFactor : maxRetries)) {
    return { retry: false, exhausted: true };
  }
  const delayMilliseconds = Math.round(asked === undefined ? backOff(used, random) : atLeast(asked, random));
  const isStranger = failure.kind === "connection" && failure.unreachable === true && !everReached;
  if (isStranger && waitedMilliseconds + delayMilliseconds > patienceWithStrangers) {
    return { retry: false, exhausted: true };
  }
  return {
    retry: true,
    delayMilliseconds,
    reason: `${describe(failure)}, waiting ${inSeconds(delayMilliseconds, asked)}`,
    pausesAll: rateLimited || (status === 503 && asked !== undefined),
  };
}

function isWorthRepeating({ failure, pureRead }: RetryContext): boolean {
  if (failure.kind !== "status") {
    return failure.kind !== "permanent";
  }
  const { status } = failure;
  return [408, 412, 425, 429, 502, 503, 504].includes(status) || (status === 500 && pureRead);
}

/** A call that is not idempotent is only retried if the service has certainly not processed it. */
function isSafeToRepeat({ idempotent, sent, failure, headers }: RetryContext): boolean {
  if (idempotent || failure.kind !== "status") {
    return idempotent || !sent;
  }
  return failure.status === 429 || (failure.status === 503 && headers["retry-after"] !== undefined);
}

/** @returns milliseconds; `undefined` if the service requests no delay */
function askedToWait({ failure, headers, now }: RetryContext): number | undefined {
  if (failure.kind !== "status") {
    return undefined;
  }
  const retryAfter = headers["retry-after"];
  const reset = failure.status === 429 ? headers["x-ratelimit-reset"] : undefined;
  // A date from the service is relative to the service's clock.
  const serviceNow = httpDate(headers.date) ?? now;
  return milliseconds(retryAfter, serviceNow) ?? milliseconds(reset, serviceNow);
}

function milliseconds(text: string | undefined, now: number): number | undefined {
  if (text === undefined) {
    return undefined;
  }
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
function atLeast(asked: number, random: number): number {
  return Math.min(asked + random * Math.min(1000, 50 + asked / 4), longestWait);
}

function describe(failure: Failure): string {
  switch (failure.kind) {
    case "status":
      return failure.status === 429 ? "rate limited" : `the service returned ${failure.status}`;
    case "connection":
      return failure.unreachable === true ? "the service is not reachable" : "the connection failed";
    default:
      return "the request timed out";
  }
}

function inSeconds(delayMilliseconds: number, asked: number | undefined): string {
  const wait = `${Math.max(0.1, Math.round(delayMilliseconds / 100) / 10)} s`;
  return asked !== undefined && asked > longestWait
    ? `${wait} of the ${Math.round(asked / 1000)} s that the service requests`
    : wait;
}
