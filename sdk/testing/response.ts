import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { EmulatorClock } from "./clock";
import type { Caller, Tokens } from "./tokens";
import type { EmulatorDialect } from "./types";
import type { TokenOptions } from "./schemas";

export interface ServiceRequest<Rights> {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string | undefined;
  /** The service's own origin. */
  readonly address: string;
  /** `undefined` if the token is missing or not valid. */
  readonly caller: Caller<Rights> | undefined;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Owns the response, whose headers are already sent, until the connection ends. */
  readonly stream?: (output: ServerResponse) => void;
}

export interface Service<Rights, Options extends TokenOptions = TokenOptions> {
  readonly tokens: Tokens<Rights>;
  permissionsOf(options?: Options): Rights;
  tokenOf(headers: IncomingHttpHeaders): string | undefined;
  respond(request: ServiceRequest<Rights>): ServiceResponse | Promise<ServiceResponse>;
}

export interface ServiceBasics {
  readonly dialect: EmulatorDialect;
  readonly clock: EmulatorClock;
  readonly token: string;
  /** Known once the service listens. */
  readonly address: () => string;
  /** Aborted by a reset, which replaces the service, and by the end of the emulator. */
  readonly ended: AbortSignal;
}

/** A failure of the service: the connection ends without a response. */
export class BrokenConnection extends Error {}

/** @returns `undefined` if the text is not JSON */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The error for a request that a product would act on, so that a test does not mistake it for the product's own
 * response.
 */
export function unservedText(what: string): string {
  return `The emulator of pulumi-trivium does not implement ${what}, which the product acts on. Use a real server to try it.`;
}

export function jsonResponse(status: number, body: unknown, mediaType = "application/json"): ServiceResponse {
  return { status, headers: { "Content-Type": mediaType }, body: JSON.stringify(body) };
}

export function textResponse(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers }, body: text };
}
