import { httpDate } from "./service-clock";

/** How an attempt ended that is neither a success nor an answer that the operation accepts. */
export type Failure =
  | { readonly kind: "status"; readonly status: number }
  /** No connection, or a connection that broke. */
  | { readonly kind: "connection" }
  | { readonly kind: "timeout" }
  /** What trying again cannot mend: a certificate, an answer that is not as documented. */
  | { readonly kind: "permanent" };

/** Everything that a retry depends on. */
export interface RetryQuestion {
  /** Whether making the call twice does no more than making it once. */
  readonly idempotent: boolean;
  /** Whether the call only reads. */
  readonly pureRead: boolean;
  /** Whether any of the request may have reached the service. */
  readonly sent: boolean;
  readonly failure: Failure;
  /** Headers of the answer by lower-case name; empty when there was none. */
  readonly headers: Readonly<Record<string, string>>;
  /** Retries made so far for this call: after status 429, and for any other reason. */
  readonly retries: { readonly rateLimited: number; readonly other: number };
  readonly maxRetries: number;
  /** From 0 to below 1. */
  readonly random: number;
  /** Milliseconds since 1970, for dates in headers. */
  readonly now: number;
}

/** Whether to try again, and when. */
export type RetryDecision =
  | {
      readonly retry: false;
      /** Another attempt would have been made if there had not been so many already. */
      readonly exhausted: boolean;
    }
  | {
      readonly retry: true;
      readonly delayMilliseconds: number;
      /** What happened and how long the wait is, for people. */
      readonly reason: string;
      /** The service is busy with all of us, not with this call: everybody waits. */
      readonly everybodyWaits: boolean;
    };

const firstDelay = 500;
const longestBackOff = 10_000;
/** No wait is longer, whatever the service asks for. */
export const longestWait = 60_000;
/** How many retries after 429 are made for each other retry: a busy service answers in the end. */
export const rateLimitFactor = 6;

/** Decides whether a call is made again. Pure: chance and time are part of the question. */
export function decideRetry(question: RetryQuestion): RetryDecision {
  if (!isWorthRepeating(question) || !isSafeToRepeat(question)) {
    return { retry: false, exhausted: false };
  }
  const { failure, retries, maxRetries, random } = question;
  const rateLimited = statusOf(failure) === 429;
  const asked = askedToWait(question);
  // Who asks for more than we wait will refuse again; such a limit does not get the larger budget.
  const patient = rateLimited && (asked ?? 0) <= longestWait;
  const used = rateLimited ? retries.rateLimited : retries.other;
  if (used >= (patient ? maxRetries * rateLimitFactor : maxRetries)) {
    return { retry: false, exhausted: true };
  }
  const delayMilliseconds = Math.round(asked === undefined ? backOff(used, random) : atLeast(asked, random));
  return {
    retry: true,
    delayMilliseconds,
    reason: `${describe(failure)}, waiting ${inSeconds(delayMilliseconds, asked)}`,
    everybodyWaits: rateLimited || (statusOf(failure) === 503 && asked !== undefined),
  };
}

function isWorthRepeating({ failure, pureRead }: RetryQuestion): boolean {
  switch (failure.kind) {
    case "permanent":
      return false;
    case "connection":
    case "timeout":
      return true;
    case "status":
      return (
        [408, 412, 425, 429, 502, 503, 504].includes(failure.status) || (failure.status === 500 && pureRead)
      );
  }
}

/** A call that may not happen twice is repeated only when it surely has not happened once. */
function isSafeToRepeat(question: RetryQuestion): boolean {
  const { idempotent, sent, failure, headers } = question;
  if (idempotent) {
    return true;
  }
  if (failure.kind !== "status") {
    return !sent;
  }
  return failure.status === 429 || (failure.status === 503 && headers["retry-after"] !== undefined);
}

function statusOf(failure: Failure): number | undefined {
  return failure.kind === "status" ? failure.status : undefined;
}

/** @returns milliseconds, `undefined` when the service names no time */
function askedToWait({ failure, headers, now }: RetryQuestion): number | undefined {
  if (failure.kind !== "status") {
    return undefined;
  }
  const retryAfter = headers["retry-after"];
  const reset = failure.status === 429 ? headers["x-ratelimit-reset"] : undefined;
  // A time that the service names is one of its own clock.
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
  // Some services give the time itself, in seconds since 1970, where others give the seconds to wait.
  const time = number ?? httpDate(text);
  return time === undefined ? undefined : Math.max(0, time - now);
}

function backOff(used: number, random: number): number {
  return Math.min(longestBackOff, firstDelay * 2 ** used) * (0.5 + random / 2);
}

/** Somewhat later than asked: those who were turned away together should not come back together. */
function atLeast(asked: number, random: number): number {
  return Math.min(asked + random * Math.min(1000, 50 + asked / 4), longestWait);
}

function describe(failure: Failure): string {
  if (failure.kind !== "status") {
    return failure.kind === "timeout" ? "the service did not answer in time" : "the connection failed";
  }
  return failure.status === 429 ? "rate limited" : `the service answered ${failure.status}`;
}

function inSeconds(delayMilliseconds: number, asked: number | undefined): string {
  const wait = `${Math.max(0.1, Math.round(delayMilliseconds / 100) / 10)} s`;
  return asked !== undefined && asked > longestWait
    ? `${wait} of the ${Math.round(asked / 1000)} s that the service asks for`
    : wait;
}
