import type { Connection } from "./connection";
import type { Token } from "./connection-settings";
import { explainConnectionError } from "./connection-problem";
import { isPage, wordsOf } from "./error-body";
import {
  ConnectionError,
  ContractError,
  requestCancelled,
  type RequestDescription,
  requestTimedOut,
  ServiceError,
  type TriviumError,
} from "../base/errors";
import type { ExchangeFailure } from "./exchange";
import { adviceFor } from "./advice";
import type { Failure } from "./retry";
import { nameOfSetting } from "../base/setting-name";

/** The facts about a call when no further attempt follows. */
export interface Conclusion {
  /** Whether any attempt may have had an effect. */
  readonly mayHaveBeenProcessed: boolean;
  /** Whether the retries were exhausted. */
  readonly exhausted: boolean;
}

/** An attempt without a response for the caller. */
export interface AttemptFailure {
  readonly failure: Failure;
  /** The headers of the response; empty without one. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether any part of the request may have reached the service. */
  readonly sent: boolean;
  readonly mayHaveBeenProcessed: boolean;
  /** The error for the caller. */
  readonly toError: (conclusion: Conclusion) => TriviumError;
}

/** A description of an attempt for messages. */
export interface AttemptDescription {
  readonly connection: Connection;
  readonly request: RequestDescription;
  /** The number of the attempt, counted from 1. */
  readonly attempts: number;
  readonly timeoutMilliseconds: number;
  readonly token: Token | undefined;
}

/** The service returned an error status. */
export function refusal(
  { connection, request, attempts, token }: AttemptDescription,
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  body: Uint8Array,
): AttemptFailure {
  const words = wordsOf(body);
  const page = isPage(Buffer.from(body).toString("utf8"));
  return {
    failure: { kind: "status", status },
    headers,
    sent: true,
    mayHaveBeenProcessed: mayHaveActed(status, headers),
    toError: ({ exhausted, mayHaveBeenProcessed }) =>
      new ServiceError({
        request,
        status,
        words,
        headers: ofInterest(headers),
        attempts,
        mayHaveBeenProcessed,
        hint: adviceFor({ status, headers, words, page, exhausted, tokenSource: token?.source }, connection),
      }),
  };
}

/** The service returned a success that cannot be understood. */
export function misunderstanding(
  { request }: AttemptDescription,
  problem: string,
  hint?: string,
): AttemptFailure {
  return {
    failure: { kind: "permanent" },
    headers: {},
    sent: true,
    mayHaveBeenProcessed: true,
    toError: () => new ContractError({ request: `${request.method} ${request.url}`, problem, hint }),
  };
}

/** There was no response, or no complete one. */
export function noResponse(description: AttemptDescription, exchange: ExchangeFailure): AttemptFailure {
  const { connection, request, attempts, timeoutMilliseconds } = description;
  const { kind, phase, sent, cause } = exchange;
  const common = { headers: {}, sent, mayHaveBeenProcessed: sent };
  switch (kind) {
    case "cancelled":
      return {
        ...common,
        failure: { kind: "permanent" },
        toError: ({ mayHaveBeenProcessed }) => requestCancelled({ request, mayHaveBeenProcessed }),
      };
    case "timeout": {
      const hint = `The service may be overloaded. To wait longer, raise ${nameOfSetting(connection, "requestTimeout")}.`;
      return {
        ...common,
        failure: { kind: "timeout" },
        toError: ({ mayHaveBeenProcessed }) =>
          requestTimedOut({ request, phase, timeoutMilliseconds, attempts, hint, mayHaveBeenProcessed }),
      };
    }
    case "connection": {
      const { permanent, refused, ...problem } = explainConnectionError(cause, connection);
      return {
        headers: {},
        failure: permanent
          ? { kind: "permanent" }
          : { kind: "connection", unreachable: /^(?:ECONNREFUSED|ENOTFOUND)$/.test(problem.code) },
        sent: sent && !refused,
        mayHaveBeenProcessed: sent && !refused,
        toError: ({ mayHaveBeenProcessed }) =>
          new ConnectionError({ ...problem, permanent, request, attempts, mayHaveBeenProcessed }),
      };
    }
  }
}

/** A server error may follow the effect; most client errors precede it. */
function mayHaveActed(status: number, headers: Readonly<Record<string, string>>): boolean {
  if (status === 503) {
    return headers["retry-after"] === undefined;
  }
  return status >= 500 || status === 408 || status === 425;
}

const interesting =
  /^(?:retry-after|x-request-id|x-ratelimit-.*|content-type|server|via|www-authenticate|allow)$/;

function ofInterest(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => interesting.test(name)));
}
