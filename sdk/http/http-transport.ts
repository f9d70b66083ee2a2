import {
  AttemptFailure,
  type AttemptDescription,
  misunderstanding,
  noResponse,
  refusal,
} from "./attempt-failure";
import type { Connection, RequestHeaders } from "./connection";
import { isPage } from "./error-body";
import { requestCancelled, type RequestDescription } from "../base/errors";
import { collect, exchange, ExchangeFailure, type WireResponse } from "./exchange";
import { parseJson } from "../base/json-text";
import type { Turn } from "./limiter";
import { describeRequest, wireRequest } from "./request";
import { decideRetry, type RetryDecision } from "./retry";
import type { HttpResponse, Operation, ResponseStream, Transport } from "./transport";

const longestResponse = 16 * 1024 * 1024;
const longestErrorBody = 64 * 1024;

export class HttpTransport implements Transport {
  constructor(private readonly connection: Connection) {}

  async send(operation: Operation): Promise<HttpResponse> {
    return new Call(this.connection, operation, false, wholeResponse).result();
  }

  async stream(operation: Operation): Promise<ResponseStream> {
    return new Call(this.connection, operation, true, streamOf).result();
  }
}

/** Throws an {@link AttemptFailure} or an {@link ExchangeFailure}. */
type Read<Result> = (
  attempt: AttemptDescription,
  response: WireResponse,
  operation: Operation,
) => Promise<Result>;

class Call<Result> {
  private attempts = 0;
  private readonly retries = { rateLimited: 0, other: 0 };
  private waitedMilliseconds = 0;
  // An earlier attempt may have been processed even if the last one was not.
  private mayHaveBeenProcessed = false;
  private readonly request: RequestDescription;

  constructor(
    private readonly connection: Connection,
    private readonly operation: Operation,
    private readonly isStream: boolean,
    private readonly read: Read<Result>,
  ) {
    this.request = describeRequest(connection, operation);
  }

  async result(): Promise<Result> {
    const { limiter, runtime } = this.connection;
    for (;;) {
      const turn = await this.turn();
      let decision: RetryDecision;
      try {
        const result = await this.attempt();
        limiter.succeeded();
        return result;
      } catch (error) {
        decision = this.decide(error);
        // Pauses before the turn ends, so that no other request starts in between.
        if (decision.pausesAll) {
          limiter.pause(decision.delayMilliseconds);
        }
      } finally {
        turn.end();
      }
      this.operation.progress?.(decision.reason);
      if (!decision.pausesAll) {
        await this.cancellable(runtime.sleep(decision.delayMilliseconds, this.operation.signal));
      }
    }
  }

  private async attempt(): Promise<Result> {
    this.attempts++;
    const authentication = await this.connection.headers(this.operation);
    try {
      return await this.exchange(authentication);
    } catch (error) {
      const isRefused = error instanceof AttemptFailure && error.status === 403;
      if (!isRefused || (await authentication.token?.hasEnded?.()) !== true) {
        throw error;
      }
      // A request with a refused token was not processed, so it is safe to repeat.
      return this.exchange(await this.connection.headers(this.operation));
    }
  }

  private async exchange({ headers, token }: RequestHeaders): Promise<Result> {
    const { connection, operation, request, attempts, isStream } = this;
    if (operation.issues === true) {
      token?.becomesParent?.();
    }
    const { clock, runtime } = connection;
    const timeoutMilliseconds = operation.timeoutMilliseconds ?? connection.requestTimeoutMilliseconds;
    const attempt = { connection, request, attempts, timeoutMilliseconds, token };
    const sentAt = runtime.date();
    try {
      const response = await exchange(connection.dispatcher, wireRequest(connection, operation, headers), {
        timeoutMilliseconds,
        endless: isStream,
        signal: operation.signal,
        graceMilliseconds: operation.graceMilliseconds,
      });
      connection.reached = true;
      clock.note(response.headers.date, sentAt, runtime.date());
      return await this.read(attempt, response, operation);
    } catch (error) {
      throw error instanceof ExchangeFailure ? noResponse(attempt, error) : error;
    }
  }

  /** @throws TriviumError if there is no further attempt */
  private decide(failed: unknown): RetryDecision {
    if (!(failed instanceof AttemptFailure)) {
      throw failed;
    }
    this.mayHaveBeenProcessed ||= failed.mayHaveBeenProcessed;
    const { maxRetries, runtime, reached } = this.connection;
    const { idempotent, method } = this.operation;
    const decision = this.isStream
      ? { retry: false as const, exhausted: false }
      : decideRetry({
          idempotent,
          pureRead: idempotent && method === "GET",
          sent: failed.mayHaveBeenProcessed,
          failure: failed.failure,
          headers: failed.headers,
          retries: this.retries,
          maxRetries,
          everReached: reached,
          waitedMilliseconds: this.waitedMilliseconds,
          random: runtime.random(),
          now: runtime.date(),
        });
    if (!decision.retry) {
      const { mayHaveBeenProcessed } = this;
      throw failed.toError({ mayHaveBeenProcessed, exhausted: decision.exhausted });
    }
    this.retries[failed.status === 429 ? "rateLimited" : "other"]++;
    this.waitedMilliseconds += decision.delayMilliseconds;
    return decision;
  }

  private turn(): Promise<Turn> {
    const again = this.attempts > 0;
    const { signal, progress } = this.operation;
    // A retry has just shown its progress.
    return this.cancellable(
      this.connection.limiter.turn({ again, signal, progress: again ? undefined : progress }),
    );
  }

  private async cancellable<Value>(waiting: Promise<Value>): Promise<Value> {
    try {
      return await waiting;
    } catch (error) {
      const { request, mayHaveBeenProcessed } = this;
      throw this.operation.signal?.aborted === true
        ? requestCancelled({ request, mayHaveBeenProcessed })
        : error;
    }
  }
}

async function wholeResponse(
  attempt: AttemptDescription,
  response: WireResponse,
  operation: Operation,
): Promise<HttpResponse> {
  const { status, headers } = response;
  const accepted = status >= 400 && (operation.accept?.includes(status) ?? false);
  if (status >= 300 && !accepted) {
    throw await refused(attempt, response);
  }
  const { bytes, tooLong, failure } = await collect(response.body, longestResponse);
  if (failure !== undefined) {
    throw failure;
  }
  if (tooLong) {
    throw misunderstanding(attempt, `the body is larger than ${longestResponse / 1024 / 1024} MB`);
  }
  const text = bytes.toString("utf8");
  // An HTML page from a proxy does not prove that an object is missing.
  if (accepted && isPage(text)) {
    throw refusal(attempt, response, bytes);
  }
  const { request, token } = attempt;
  const tokenSeconds = token?.secondsLeft?.();
  const facts = {
    status,
    headers,
    size: bytes.length,
    request: `${request.method} ${request.url}`,
    ...(tokenSeconds === undefined ? {} : { tokenSeconds }),
  };
  try {
    return { ...facts, body: parseJson(text) };
  } catch {
    if (accepted) {
      return { ...facts, body: text, isText: true };
    }
    throw notJson(attempt, text, headers["content-encoding"]);
  }
}

async function refused(attempt: AttemptDescription, response: WireResponse): Promise<Error> {
  // An incomplete error body does not matter: the status is known.
  const { bytes, failure } = await collect(response.body, longestErrorBody);
  return failure?.kind === "cancelled" ? failure : refusal(attempt, response, bytes);
}

function notJson(attempt: AttemptDescription, text: string, encoding: string | undefined): AttemptFailure {
  if (isPage(text)) {
    const advice = "The response may come from a proxy instead of the service: check the address.";
    return misunderstanding(attempt, "expected JSON, got an HTML page", advice);
  }
  const got =
    encoding === undefined
      ? "text that is not JSON"
      : `the content encoding ${encoding}, which was not requested`;
  return misunderstanding(attempt, `expected JSON, got ${got}`);
}

async function streamOf(attempt: AttemptDescription, response: WireResponse): Promise<ResponseStream> {
  const { status, headers, body } = response;
  if (status >= 300) {
    throw await refused(attempt, response);
  }
  let closed = false;
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (error) {
      if (closed) {
        return;
      }
      throw error instanceof ExchangeFailure ? noResponse(attempt, error).toError() : error;
    }
  }
  return {
    status,
    headers,
    body: read(),
    close: () => {
      closed = true;
      body.destroy();
    },
  };
}
