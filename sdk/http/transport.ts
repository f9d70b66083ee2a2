import type { Path } from "../base/path";

export interface Operation {
  /** Starts with a verb, for messages: `create the project`. */
  readonly summary: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: Path;
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;
  readonly body?: unknown;
  /** The media type of the body, also sent without a body. Default: `application/json` if there is one. */
  readonly mediaType?: string;
  /** Declared for each operation, since the method does not tell: some GETs generate credentials. */
  readonly idempotent: boolean;
  /** Whether the operation issues something that is revoked with its token, such as a lease. */
  readonly issues?: true;
  /** Error statuses that are returned as responses: `[404]` to read an object that may not exist. */
  readonly accept?: readonly number[];
  readonly timeoutMilliseconds?: number;
  /** Ends every wait at once with a `CancelledError`, and a request in flight after the grace period. */
  readonly signal?: AbortSignal;
  /** Time for a request in flight to end after the signal is aborted, to learn its outcome. Default: 0. */
  readonly graceMilliseconds?: number;
  /** Called with one line about a wait: `rate limited, waiting 3 s`. */
  readonly progress?: (message: string) => void;
}

export type QueryValue = string | number | boolean;

export interface HttpResponse {
  readonly status: number;
  /** By lower-case name. Repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON value; `undefined` without a body. An accepted error status may also have text. */
  readonly body: unknown;
  readonly isText?: true;
  readonly size: number;
  readonly tokenSeconds?: number;
  readonly request: string;
}

export interface ResponseStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Applies back-pressure. Leaving the loop closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

export interface Transport {
  /** @throws ServiceError, ConnectionError, TimeoutError, ContractError, CancelledError, ConfigurationError */
  send(operation: Operation): Promise<HttpResponse>;
  /** Makes one attempt. The time limit only covers the start of the response. */
  stream(operation: Operation): Promise<ResponseStream>;
}
