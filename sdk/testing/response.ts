import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { EmulatorClock } from "./clock";
import type { Caller, Tokens } from "./tokens";
import type { EmulatorDialect, TokenOptions } from "./types";

/** A request whose body has been read. */
export interface AnonymousRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** `undefined` when there was none. */
  readonly body: string | undefined;
  /** The service's own origin. */
  readonly address: string;
}

/** A request whose body has been read and whose token is valid. */
export interface ServiceRequest<Rights> extends AnonymousRequest {
  readonly caller: Caller<Rights>;
}

/** What a service returns. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Instead of a body: adopts the response, whose headers are sent, until the connection ends. */
  readonly stream?: (output: ServerResponse) => void;
}

/** One service, seen from the server in front of it. */
export interface Service<Rights, Options extends TokenOptions = TokenOptions> {
  readonly tokens: Tokens<Rights>;
  /** The rights that the options of an additional token describe. */
  permissionsOf(options?: Options): Rights;
  /** The token in the headers of a request. */
  tokenOf(headers: IncomingHttpHeaders): string | undefined;
  /** The response to a request whose token is missing or wrong. */
  unauthorized(request: AnonymousRequest): ServiceResponse | Promise<ServiceResponse>;
  respond(request: ServiceRequest<Rights>): ServiceResponse | Promise<ServiceResponse>;
}

/** What every service is given. */
export interface ServiceBasics {
  readonly dialect: EmulatorDialect;
  readonly clock: EmulatorClock;
  /** The service's own token. */
  readonly token: string;
}

/** Thrown instead of a response: the service breaks down, and the connection ends without one. */
export class BrokenConnection extends Error {}

/** A JSON body with its media type. */
export function jsonResponse(status: number, body: unknown, mediaType = "application/json"): ServiceResponse {
  return { status, headers: { "Content-Type": mediaType }, body: JSON.stringify(body) };
}

/** A line of plain text. */
export function textResponse(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers }, body: `${text}\n` };
}
