import type { Duration } from "./duration";
import type { TokenOptions } from "./schemas";
/** The three services of the emulator. */
export type ServiceName = "provisioning" | "secrets" | "scheduler";

/** The dialect of the emulator: the documented API, or that of the products. */
export type EmulatorDialect = "documented" | "hashicorp";

/** Whether a fault occurs before the request is applied, or after it. */
export type FaultMoment = "before" | "after";

/**
 * Destroys the connection without a response, before (`"before"`) or after (`"after"`) the request was
 * applied.
 */
export interface DropFault {
  readonly drop: FaultMoment;
}

/** Returns the test's own response instead of the service's. */
export interface StatusFault {
  readonly status: number;
  /**
   * The body. A string is sent unchanged (as `text/html` if it starts with `<`, else as plain text), any
   * other value as JSON. Default: none.
   */
  readonly body?: unknown;
  /** Additional headers, such as `{ "Retry-After": "2" }`; they override those derived from the body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `"before"`: the request is not applied. */
  readonly when?: FaultMoment;
}

/**
 * Delays the request, then continues as usual, even if the client has disconnected. The delay is in the
 * emulator's time, which runs on its own and moves with `emulator.advance`. `"forever"` never responds; the
 * connection is closed when the fault is removed.
 */
export interface DelayFault {
  /** A duration, or `"forever"`. */
  readonly delay: Duration;
  /** `"before"` (the default) delays the request before it is applied, `"after"` delays the response. */
  readonly when?: FaultMoment;
}

/**
 * Applies the request, sends the headers and the first half of the body, then destroys the connection. A
 * response without a body is cut off before its headers.
 */
export interface TruncateFault {
  readonly truncate: true;
}

/**
 * Slows down every matching request, in real time. Unlike other faults, it combines with another fault on the
 * same request.
 */
export interface LatencyFault {
  readonly latency: Duration;
}

/**
 * Stops listening at once and closes all connections: the operating system rejects new ones. `true` means
 * until the fault is removed; a duration is in the emulator's time. The only possible filter is `service`
 * (default: all three).
 */
export interface RefuseFault {
  readonly refuse: true | Duration;
  readonly service?: ServiceName;
}

/** How often a fault occurs. */
export interface FaultFrequency {
  /** How many requests are affected. Default 1; for `latency` and with a `probability`: no limit. */
  readonly times?: number;
  /** How many matching requests pass before the first one is affected. Default 0. */
  readonly skip?: number;
  /**
   * The share of matching requests that are affected, from 0 to 1, chosen at random with the emulator's
   * `faultSeed`. Default 1.
   */
  readonly probability?: number;
}

/** A fault to inject: which requests it affects, how often, and what happens to them. */
export type Fault =
  | (RequestFilter & FaultFrequency & (DropFault | StatusFault | DelayFault | TruncateFault | LatencyFault))
  | RefuseFault;

/** An injected fault. */
export interface FaultHandle {
  /** The number of affected requests. Refused connections are not counted. */
  readonly hits: number;
  /** Removes the fault and releases what it delays; a refusing service listens again when this returns. */
  remove(): void;
}

/** Injects faults. If several match a request, the first one that was added applies. */
export interface Faults {
  /** @throws TypeError if the fault is invalid */
  add(fault: Fault): FaultHandle;
  /** Removes all faults. */
  clear(): void;
}

/** Selects recorded requests; all members that are set must match. */
export interface JournalFilter extends RequestFilter {
  /** The status of the response. */
  readonly status?: number;
}

/** Counters of one service, of requests that arrived since the start, `reset()` or `journal.clear()`. */
export interface Statistics {
  /** Requests received. */
  readonly requests: number;
  /** Requests with a response, without those that a fault cut off. */
  readonly answered: number;
  /** Requests in flight, including open streams. */
  readonly inFlight: number;
  /** The maximum number of concurrent requests. */
  readonly mostInFlight: number;
}

/** The requests that reached the emulator. The newest 100,000 are kept. */
export interface Journal {
  /**
   * Returns copies of the matching requests as they are now, oldest first; without a filter, of all requests.
   */
  requests(filter?: JournalFilter): RecordedRequest[];
  /** Returns the number of matching requests. */
  count(filter?: JournalFilter): number;
  /** Removes all requests and resets the statistics; state and faults are kept. */
  clear(): void;
}

/** One request as the emulator received it, and its outcome, as plain data. */
export interface RecordedRequest {
  /**
   * The number of the request, across all services: 1 for the first request since the start, `reset()` or
   * `journal.clear()`.
   */
  readonly number: number;
  readonly service: ServiceName;
  readonly method: string;
  /** Path and query exactly as sent, for checking how a client encodes. */
  readonly target: string;
  /** The path as sent, without the query. */
  readonly path: string;
  /** The query, decoded; a list for a parameter that occurs more than once. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The headers, with names in lower case. Values that contain a token are masked: `Bearer ***`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The name of the token that was used (`main` is the service's own); `null` if the token was missing or
   * invalid.
   */
  readonly caller: string | null;
  /** The body: parsed if it is JSON, otherwise the text; `null` if there was none. */
  readonly body: unknown;
  /** The status of the response; `null` while in flight, and if the connection ended without a response. */
  readonly status: number | null;
  /** The fault that affected this request, such as `drop before` or `status 503`; `null` for none. */
  readonly fault: string | null;
}

/** Selects requests; all members that are set must match, and an empty filter selects every request. */
export interface RequestFilter {
  readonly service?: ServiceName;
  /** An HTTP method such as `"POST"`, or several. */
  readonly method?: string | readonly string[];
  /**
   * The path as sent, with its prefix and without the query. A string must match completely; a segment `*` or
   * `:name` in it matches any one segment: `/api/v2/projects/:id`.
   */
  readonly path?: string | RegExp | ((path: string) => boolean);
  /** A predicate for the whole request. */
  readonly where?: (request: RecordedRequest) => boolean;
}

/** The common members of all three services. */
export interface ServiceEmulator<Options extends TokenOptions> extends TokenControl {
  /** The service's origin, such as `http://127.0.0.1:40123`. */
  readonly address: string;
  /** Counters of the service's requests, as they are now. */
  readonly statistics: Statistics;
  /** Adds a token, by default with all permissions. @returns the token */
  addToken(options?: Options): string;
}

/** Makes the emulator serve HTTPS. All members are in PEM format. */
export interface EmulatorTls {
  readonly key: string;
  /** The server's certificate, followed by intermediate ones. */
  readonly certificate: string;
  /** A certificate authority: if it is set, clients must present a certificate that it signed. */
  readonly clientCertificateAuthority?: string;
}

/** The tokens of a service. */
export interface TokenControl {
  /** The token with all permissions. */
  readonly token: string;
  /**
   * Revokes a token, including the service's own.
   *
   * @throws Error if the token does not exist
   */
  revokeToken(token: string): void;
  /**
   * Replaces a token (default: the service's own) with a new one with the same permissions, and returns it.
   *
   * @throws Error if the token does not exist
   */
  rotateToken(token?: string): string;
}
