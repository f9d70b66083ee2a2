import {
  type AttemptDescription,
  type AttemptFailure,
  misunderstanding,
  noAnswer,
  refusal,
} from "./attempt-failure";
import type { Connection } from "./connection";
import { isPage } from "./error-body";
import { collect, exchange, ExchangeFailure, type WireAnswer } from "./exchange";
import { parseJson } from "../base/json-text";
import { describeRequest, wireRequest } from "./request";
import type { Answer, AnswerStream, Operation } from "./transport";

const longestAnswer = 16 * 1024 * 1024;
const longestErrorBody = 64 * 1024;

/** The outcome of an attempt: a result or a failure. */
export type Outcome<Result> = { readonly result: Result } | { readonly failed: AttemptFailure };

/** Makes one request and reads its response to the end. */
export async function attemptCall(
  connection: Connection,
  operation: Operation,
  attempts: number,
): Promise<Outcome<Answer>> {
  return attempt(connection, operation, attempts, false, judge);
}

/** Makes one request and returns its response as a stream. */
export async function attemptStream(
  connection: Connection,
  operation: Operation,
): Promise<Outcome<AnswerStream>> {
  return attempt<AnswerStream>(connection, operation, 1, true, async (description, _operation, answer) =>
    answer.status < 300
      ? { result: streamOf(description, answer) }
      : { failed: await refused(description, answer) },
  );
}

async function attempt<Result>(
  connection: Connection,
  operation: Operation,
  attempts: number,
  endless: boolean,
  conclude: (
    description: AttemptDescription,
    operation: Operation,
    answer: WireAnswer,
  ) => Promise<Outcome<Result>>,
): Promise<Outcome<Result>> {
  const { headers, tokenSource } = await connection.headers();
  const timeoutMilliseconds = operation.timeoutMilliseconds ?? connection.requestTimeoutMilliseconds;
  const request = describeRequest(connection, operation);
  const description = { connection, request, attempts, timeoutMilliseconds, tokenSource };
  const { clock, runtime } = connection;
  const sentAt = runtime.date();
  try {
    const answer = await exchange(connection.dispatcher, wireRequest(connection, operation, headers), {
      timeoutMilliseconds,
      endless,
      signal: operation.signal,
      graceMilliseconds: operation.graceMilliseconds,
    });
    clock.note(answer.headers.date, sentAt, runtime.date());
    return await conclude(description, operation, answer);
  } catch (error) {
    if (error instanceof ExchangeFailure) {
      return { failed: noAnswer(description, error) };
    }
    throw error;
  }
}

async function judge(
  description: AttemptDescription,
  operation: Operation,
  wire: WireAnswer,
): Promise<Outcome<Answer>> {
  const { status, headers } = wire;
  const accepted = status >= 400 && (operation.accept?.includes(status) ?? false);
  if (status >= 300 && !accepted) {
    return { failed: await refused(description, wire) };
  }
  const { bytes, tooLong, failure } = await collect(wire.body, longestAnswer);
  if (failure !== undefined) {
    throw failure;
  }
  if (tooLong) {
    return {
      failed: misunderstanding(description, `the body is larger than ${longestAnswer / 1024 / 1024} MB`),
    };
  }
  const text = bytes.toString("utf8");
  // An HTML page from a proxy proves nothing about the objects of the service.
  if (accepted && isPage(text)) {
    return { failed: refusal(description, wire, bytes) };
  }
  const { attempts, request } = description;
  const size = bytes.length;
  const answer = { status, headers, size, attempts, request: `${request.method} ${request.url}` };
  try {
    return { result: { ...answer, body: parseJson(text) } };
  } catch {
    return accepted
      ? { result: { ...answer, body: text, isText: true } }
      : { failed: notJson(description, text, headers) };
  }
}

async function refused(description: AttemptDescription, wire: WireAnswer): Promise<AttemptFailure> {
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

function streamOf(description: AttemptDescription, { status, headers, body }: WireAnswer): AnswerStream {
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
        const failed = noAnswer(description, error);
        throw failed.toError({ mayHaveBeenProcessed: failed.mayHaveBeenProcessed, exhausted: false });
      }
      throw error;
    }
  }
  return { status, headers, body: read(), close };
}
