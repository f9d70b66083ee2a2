import type { Path } from "../base/path";

/** One call of a service's API. */
export interface Operation {
  /** What is attempted, starting with a verb, for messages: `create the project`. */
  readonly summary: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: Path;
  /** Members that are `undefined` are omitted; a list repeats its name. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;
  /** A JSON value. */
  readonly body?: unknown;
  /** The media type of the body, also sent without one. Default: `application/json` when there is a body. */
  readonly mediaType?: string;
  /**
   * Whether the operation is idempotent. Declared for each operation, since the method does not tell: some
   * GETs generate credentials.
   */
  readonly idempotent: boolean;
  /** Whether it has something issued that ends with the token. */
  readonly issues?: true;
  /** Error statuses that are returned as responses: `[404]` to read an object that may not exist. */
  readonly accept?: readonly number[];
  /** The time limit of one attempt, without earlier waits. Default: that of the connection. */
  readonly timeoutMilliseconds?: number;
  /** Ends every wait at once with a `CancelledError`, and a request in flight after the grace period. */
  readonly signal?: AbortSignal;
  /**
   * How long a request in flight may continue after the signal is aborted, to learn its outcome. Default: 0.
   */
  readonly graceMilliseconds?: number;
  /** Called with one line about a wait: `rate limited, waiting 3 s`. */
  readonly progress?: (message: string) => void;
}

/** A query value. */
export type QueryValue = string | number | boolean;

/** A response: a success, or a status that the operation accepts. */
export interface HttpResponse {
  readonly status: number;
  /** By lower-case name; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The JSON value; `undefined` without a body. For an accepted error status, a body that is not JSON is the
   * text itself.
   */
  readonly body: unknown;
  /** The body is not JSON. */
  readonly isText?: true;
  /** The size of the body in bytes. */
  readonly size: number;
  /** How long the token lives, if a login has brought it. */
  readonly tokenSeconds?: number;
  /** Method and URL without query, for messages about the response. */
  readonly request: string;
}

/** A response without an end. */
export interface ResponseStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes as they arrive, with back-pressure. Ends when the service ends the response; throws a
   * `ConnectionError` when the connection breaks and a `CancelledError` when the operation is aborted.
   * Leaving the loop closes the connection.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection. */
  close(): void;
}

/**
 * Sends requests to one service. It handles authentication, time limits, retries and errors; the caller
 * interprets the response.
 */
export interface Transport {
  /**
   * Makes the call and retries it where that is safe.
   *
   * @throws ServiceError, ConnectionError, TimeoutError, ContractError, CancelledError, ConfigurationError
   */
  send(operation: Operation): Promise<HttpResponse>;
  /**
   * Opens a response that may last for hours. One attempt; the time limit covers the start of the response.
   *
   * @throws as {@link Transport.send}
   */
  stream(operation: Operation): Promise<ResponseStream>;
}
