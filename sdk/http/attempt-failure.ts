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

interface Conclusion {
  readonly mayHaveBeenProcessed: boolean;
  readonly exhausted: boolean;
}

export class AttemptFailure extends Error {
  constructor(
    readonly failure: Failure,
    readonly mayHaveBeenProcessed: boolean,
    private readonly explain: (conclusion: Conclusion) => TriviumError,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super();
  }

  get status(): number | undefined {
    return this.failure.kind === "status" ? this.failure.status : undefined;
  }

  toError({ mayHaveBeenProcessed = this.mayHaveBeenProcessed, exhausted = false } = {}): TriviumError {
    return this.explain({ mayHaveBeenProcessed, exhausted });
  }
}

export interface AttemptDescription {
  readonly connection: Connection;
  readonly request: RequestDescription;
  readonly attempts: number;
  readonly timeoutMilliseconds: number;
  readonly token: Token | undefined;
}

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

export function misunderstanding(
  { request: { method, url } }: AttemptDescription,
  problem: string,
  advice?: string,
): AttemptFailure {
  const explain = (): TriviumError => new ContractError({ request: `${method} ${url}`, problem, advice });
  return new AttemptFailure({ kind: "permanent" }, true, explain);
}

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

/** A server error may come after the effect. Most client errors come before it. */
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
