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
import type { ExchangeFailure, WireResponse } from "./exchange";
import { adviceFor } from "./advice";
import type { Failure } from "./retry";
import { nameOfSetting } from "../base/setting-name";

/** The facts about a call when no further attempt follows. */
interface Conclusion {
  /** Whether any attempt may have had an effect. */
  readonly mayHaveBeenProcessed: boolean;
  /** Whether the retries were exhausted. */
  readonly exhausted: boolean;
}

/** An attempt without a response for the caller. */
export class AttemptFailure extends Error {
  constructor(
    readonly failure: Failure,
    readonly mayHaveBeenProcessed: boolean,
    private readonly explain: (conclusion: Conclusion) => TriviumError,
    /** The headers of the response; empty without one. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super();
  }

  /** The status of the response, if it is the failure. */
  get status(): number | undefined {
    return this.failure.kind === "status" ? this.failure.status : undefined;
  }

  /** The error for the caller. Default: there was one attempt. */
  toError({ mayHaveBeenProcessed = this.mayHaveBeenProcessed, exhausted = false } = {}): TriviumError {
    return this.explain({ mayHaveBeenProcessed, exhausted });
  }
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
  { status, headers }: WireResponse,
  body: Buffer,
): AttemptFailure {
  const messages = wordsOf(body);
  const page = isPage(body.toString("utf8"));
  const explain = ({ exhausted, mayHaveBeenProcessed }: Conclusion): TriviumError => {
    const response = { status, headers, messages, page, exhausted, tokenSource: token?.source };
    const advice = adviceFor(response, connection);
    const shown = ofInterest(headers);
    return new ServiceError({
      request,
      status,
      messages,
      headers: shown,
      attempts,
      mayHaveBeenProcessed,
      advice,
    });
  };
  return new AttemptFailure({ kind: "status", status }, mayHaveActed(status, headers), explain, headers);
}

/** The service returned a success that cannot be understood. */
export function misunderstanding(
  { request: { method, url } }: AttemptDescription,
  problem: string,
  advice?: string,
): AttemptFailure {
  const explain = (): TriviumError => new ContractError({ request: `${method} ${url}`, problem, advice });
  return new AttemptFailure({ kind: "permanent" }, true, explain);
}

/** There was no response, or no complete one. */
export function noResponse(attempt: AttemptDescription, exchange: ExchangeFailure): AttemptFailure {
  const { connection, request } = attempt;
  const { kind, phase, sent, cause } = exchange;
  if (kind === "cancelled") {
    return new AttemptFailure({ kind: "permanent" }, sent, (conclusion) =>
      requestCancelled({ request, ...conclusion }),
    );
  }
  if (kind === "timeout") {
    const advice = `The service may be overloaded. To wait longer, raise ${nameOfSetting(connection, "requestTimeout")}.`;
    return new AttemptFailure({ kind }, sent, (conclusion) =>
      requestTimedOut({ ...attempt, phase, advice, ...conclusion }),
    );
  }
  const { refused, ...problem } = explainConnectionError(cause, connection);
  const unreachable = /^(?:ECONNREFUSED|ENOTFOUND)$/.test(problem.code);
  return new AttemptFailure(
    problem.permanent ? { kind: "permanent" } : { kind, unreachable },
    sent && !refused,
    (conclusion) => new ConnectionError({ ...attempt, ...problem, ...conclusion }),
  );
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
