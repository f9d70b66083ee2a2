import type { Caller } from "../base/caller";
import { type Advice, withAdvice } from "../base/errors";
import type { Path } from "../base/path";
import type { SettingOwner } from "../base/settings";
import type { Environment, Proxy } from "./proxy";

export interface Operation {
  /** Starts with a verb, for messages: `create the project`. */
  readonly summary: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: Path;
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;
  readonly body?: unknown;
  /** The media type of the body, also sent without a body. Default: `application/json` if there is one. */
  readonly mediaType?: string;
  /**
   * Declared for each operation, because the method does not show it: some GET requests generate credentials.
   */
  readonly idempotent: boolean;
  /** Whether the operation issues something that is revoked with its token, such as a lease. */
  readonly issues?: true;
  /**
   * Error statuses that are returned as responses: `[404]` to read an object that might not exist. A 404 that
   * a gateway might have sent is still an error.
   */
  readonly accept?: readonly number[];
  /** Whether a 404 that a gateway might have sent is also returned as a response. */
  readonly acceptsForeign?: true;
  readonly timeoutMilliseconds?: number;
  /**
   * When aborted, ends every wait at once with a `CancelledError`, and a request in flight after the grace
   * period.
   */
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
  /** The JSON value; `undefined` without a body. With an accepted error status, the body can also be text. */
  readonly body: unknown;
  readonly size: number;
  readonly tokenSeconds?: number;
  readonly request: string;
}

export interface ResponseStream {
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

/**
 * How long a write can continue after Ctrl-C, so that its outcome is known; the CLI exits within five
 * seconds.
 */
const writeGrace = 2500;

export async function sendFor(
  { signal, progress }: Caller,
  transport: Transport,
  { advice, ...operation }: Operation & { readonly advice?: Advice | undefined },
): Promise<HttpResponse> {
  const changes = operation.method !== "GET" || operation.issues === true;
  const grace = changes ? { graceMilliseconds: writeGrace } : {};
  try {
    return await transport.send({ ...operation, ...grace, signal, progress });
  } catch (error) {
    throw withAdvice(error, advice);
  }
}

/** A token and its source, as text that follows "comes from": `the environment variable SECRETS_TOKEN`. */
export interface Token {
  readonly value: string;
  readonly source: string;
  readonly secondsLeft?: () => number;
  /** Whether a login's token was rejected because it has expired, so that a new one can be fetched. */
  readonly hasEnded?: () => Promise<boolean>;
}

export type TokenUser = Pick<Operation, "signal" | "progress" | "issues">;

/** What messages about a service contain. */
export interface Destination extends SettingOwner {
  readonly origin: string;
  readonly addressSource?: string | undefined;
  readonly proxy?: Proxy | undefined;
  readonly hasOwnAuthorities?: boolean;
  readonly saysAbsence?: SaysAbsence | undefined;
}

/** PEM, or a function that reads it from a file, which might have changed since the last connection. */
export type Pem = string | (() => string);

/** Whether this is the body of the service's own 404. */
export type SaysAbsence = (body: unknown) => boolean;

/** The settings of a transport, resolved and validated (except certificates). */
export interface TransportSettings extends SettingOwner {
  /** Origin, with or without a path: `https://example.com` or `https://example.com/prefix`. */
  readonly address: string;
  readonly addressSource?: string;
  readonly basePath?: string;
  /** Returns the token. Called before every attempt, so that a file with a rotated token is read again. */
  readonly token?: (user?: TokenUser) => Promise<Token | undefined> | Token | undefined;
  /** Default: any body. */
  readonly saysAbsence?: SaysAbsence | undefined;
  /** The headers that carry the token. Default: `Authorization: Bearer`. */
  readonly authenticationHeader?: (token: string) => Readonly<Record<string, string>>;
  /** Headers for every request; their values are secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the system's authorities. */
  readonly caCertificate?: Pem;
  readonly clientCertificate?: Pem;
  /** Secret. */
  readonly clientKey?: Pem;
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  readonly requestTimeoutMilliseconds?: number;
  /** Retries per request. Rate limits have a separate budget of six times this number. */
  readonly maxRetries?: number;
  readonly maxConcurrency?: number;
  /** Sent with every request. */
  readonly query?: Readonly<Record<string, string>>;
  /** The environment variables for proxies, with their values at the time of each request. Default: none. */
  readonly proxies?: Environment;
}

/** The characters that are allowed in a header. undici rejects others without naming the header. */
export const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;
