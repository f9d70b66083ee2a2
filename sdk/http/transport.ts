import type { Path } from "../base/path";

/** One call of a service's API. */
export interface Operation {
  /** What is tried, beginning with a verb, for messages: `create the project`. */
  readonly summary: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: Path;
  /** Members that are `undefined` are left out; a list repeats its name. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;
  /** A JSON value. */
  readonly body?: unknown;
  /** The media type of the body, also sent without one. Default: `application/json` when there is a body. */
  readonly mediaType?: string;
  /**
   * Whether making the call twice does no more than making it once. Declared for each operation, since verbs lie:
   * some GETs mint credentials.
   */
  readonly idempotent: boolean;
  /** Statuses of 400 and above that are answers, not errors: `[404]` for a read of what may not exist. */
  readonly accept?: readonly number[];
  /** The time limit of one attempt, waits before it excluded. Default: the connection's. */
  readonly timeoutMilliseconds?: number;
  /** Ends every wait at once with a `CancelledError`, and a request under way after the grace. */
  readonly signal?: AbortSignal;
  /**
   * How long a request that is under way when the signal is aborted may go on: its answer tells what became of it.
   * Default: 0.
   */
  readonly graceMilliseconds?: number;
  /** Told in one line what is waited for: `rate limited, waiting 3 s`. */
  readonly progress?: (message: string) => void;
}

/** A value in a query. */
export type QueryValue = string | number | boolean;

/** What the service answered: a success, or a status that the operation accepts. */
export interface Answer {
  readonly status: number;
  /** By lower-case name; repeated ones are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The JSON value; `undefined` when there was no body. The body of an accepted error status that is not JSON is
   * the text itself.
   */
  readonly body: unknown;
  /** The body is not JSON. */
  readonly isText?: true;
  /** How many bytes the body had. */
  readonly size: number;
  /** How many times the request was made. */
  readonly attempts: number;
  /** Verb and address without query, for messages about the answer. */
  readonly request: string;
}

/** An answer without an end of its own. */
export interface AnswerStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes as they arrive; nothing is read faster than it is taken. Ends when the service ends the answer,
   * throws a `ConnectionError` when the connection breaks and a `CancelledError` when the operation is aborted.
   * Leaving the loop closes the connection.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection. */
  close(): void;
}

/** Speaks to one service: authentication, time limits, retries and errors are done, the meaning is the caller's. */
export interface Transport {
  /**
   * Makes the call, repeating it where that is safe.
   *
   * @throws ServiceError, ConnectionError, TimeoutError, ContractError, CancelledError, ConfigurationError
   */
  send(operation: Operation): Promise<Answer>;
  /**
   * Opens an answer that may last for hours. One attempt; the time limit ends with the answer's beginning.
   *
   * @throws as {@link Transport.send}
   */
  stream(operation: Operation): Promise<AnswerStream>;
}
