import {
  type AttemptDescription,
  type AttemptFailure,
  misunderstanding,
  noResponse,
  refusal,
} from "./attempt-failure";
import type { Connection, RequestHeaders } from "./connection";
import { isPage } from "./error-body";
import { collect, exchange, ExchangeFailure, type WireResponse } from "./exchange";
import { parseJson } from "../base/json-text";
import { describeRequest, wireRequest } from "./request";
import type { HttpResponse, Operation, ResponseStream } from "./transport";

const longestResponse = 16 * 1024 * 1024;
const longestErrorBody = 64 * 1024;

/** The outcome of an attempt: a result or a failure. */
export type Outcome<Result> = { readonly result: Result } | { readonly failed: AttemptFailure };

/** Makes one request and reads its response to the end. */
export async function attemptCall(
  connection: Connection,
  operation: Operation,
  attempts: number,
): Promise<Outcome<HttpResponse>> {
  return attempt(connection, operation, attempts, false, judge);
}

/** Makes one request and returns its response as a stream. */
export async function attemptStream(
  connection: Connection,
  operation: Operation,
): Promise<Outcome<ResponseStream>> {
  return attempt<ResponseStream>(connection, operation, 1, true, async (description, _operation, response) =>
    response.status < 300
      ? { result: streamOf(description, response) }
      : { failed: await refused(description, response) },
  );
}

type Conclude<Result> = (
  description: AttemptDescription,
  operation: Operation,
  response: WireResponse,
) => Promise<Outcome<Result>>;

async function attempt<Result>(
  connection: Connection,
  operation: Operation,
  attempts: number,
  endless: boolean,
  conclude: Conclude<Result>,
): Promise<Outcome<Result>> {
  const send = async (authentication: RequestHeaders): Promise<Outcome<Result>> =>
    exchangeWith(authentication, connection, operation, attempts, endless, conclude);
  const authentication = await connection.headers(operation);
  const outcome = await send(authentication);
  const isRefused =
    "failed" in outcome && outcome.failed.failure.kind === "status" && outcome.failed.failure.status === 403;
  // A request that was refused because of its token was not processed.
  return isRefused && (await authentication.token?.hasEnded?.()) === true
    ? send(await connection.headers(operation))
    : outcome;
}

async function exchangeWith<Result>(
  { headers, token }: RequestHeaders,
  connection: Connection,
  operation: Operation,
  attempts: number,
  endless: boolean,
  conclude: Conclude<Result>,
): Promise<Outcome<Result>> {
  if (operation.issues === true) {
    token?.becomesParent?.();
  }
  const timeoutMilliseconds = operation.timeoutMilliseconds ?? connection.requestTimeoutMilliseconds;
  const request = describeRequest(connection, operation);
  const description = { connection, request, attempts, timeoutMilliseconds, token };
  const { clock, runtime } = connection;
  const sentAt = runtime.date();
  try {
    const response = await exchange(connection.dispatcher, wireRequest(connection, operation, headers), {
      timeoutMilliseconds,
      endless,
      signal: operation.signal,
      graceMilliseconds: operation.graceMilliseconds,
    });
    connection.reached = true;
    clock.note(response.headers.date, sentAt, runtime.date());
    return await conclude(description, operation, response);
  } catch (error) {
    if (error instanceof ExchangeFailure) {
      return { failed: noResponse(description, error) };
    }
    throw error;
  }
}

async function judge(
  description: AttemptDescription,
  operation: Operation,
  wire: WireResponse,
): Promise<Outcome<HttpResponse>> {
  const { status, headers } = wire;
  const accepted = status >= 400 && (operation.accept?.includes(status) ?? false);
  if (status >= 300 && !accepted) {
    return { failed: await refused(description, wire) };
  }
  const { bytes, tooLong, failure } = await collect(wire.body, longestResponse);
  if (failure !== undefined) {
    throw failure;
  }
  if (tooLong) {
    return {
      failed: misunderstanding(description, `the body is larger than ${longestResponse / 1024 / 1024} MB`),
    };
  }
  const text = bytes.toString("utf8");
  // An HTML page from a proxy proves nothing about the objects of the service.
  if (accepted && isPage(text)) {
    return { failed: refusal(description, wire, bytes) };
  }
  const { request, token } = description;
  const size = bytes.length;
  const tokenSeconds = token?.secondsLeft?.();
  const response = {
    status,
    headers,
    size,
    request: `${request.method} ${request.url}`,
    ...(tokenSeconds === undefined ? {} : { tokenSeconds }),
  };
  try {
    return { result: { ...response, body: parseJson(text) } };
  } catch {
    return accepted
      ? { result: { ...response, body: text, isText: true } }
      : { failed: notJson(description, text, headers) };
  }
}

async function refused(description: AttemptDescription, wire: WireResponse): Promise<AttemptFailure> {
  // An incomplete error body does not matter: the status is known.
  const { bytes, failure } = await collect(wire.body, longestErrorBody);
  if (failure?.kind === "cancelled") {
    throw failure;
  }
  return refusal(description, wire, bytes);
}

function notJson(
  description: AttemptDescription,
  text: string,
  headers: Readonly<Record<string, string>>,
): AttemptFailure {
  if (isPage(text)) {
    const hint = "The response may come from a proxy instead of the service: check the address.";
    return misunderstanding(description, "expected JSON, got an HTML page", hint);
  }
  const encoding = headers["content-encoding"];
  const got =
    encoding === undefined
      ? "text that is not JSON"
      : `the content encoding ${encoding}, which was not requested`;
  return misunderstanding(description, `expected JSON, got ${got}`);
}

function streamOf(description: AttemptDescription, { status, headers, body }: WireResponse): ResponseStream {
  let closed = false;
  const close = (): void => {
    closed = true;
    body.destroy();
  };
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (error) {
      if (closed) {
        return;
      }
      if (error instanceof ExchangeFailure) {
        const failed = noResponse(description, error);
        throw failed.toError({ mayHaveBeenProcessed: failed.mayHaveBeenProcessed, exhausted: false });
      }
      throw error;
    }
  }
  return { status, headers, body: read(), close };
}
