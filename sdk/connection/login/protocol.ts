import { Connection } from "../../http/connection";
import type { ConnectionSettings } from "../../http/connection-settings";
import { HttpTransport } from "../../http/http-transport";
import type { HttpResponse, Operation } from "../../http/transport";

/** A request about a token. */
export type TokenRequest = Pick<Operation, "method" | "path" | "body">;

/** What a service says about a token that it has issued. */
export interface Grant {
  readonly token: unknown;
  /** How long it lives; 0 forever. */
  readonly seconds: number;
  /** How to renew it, and how to revoke it, if that is possible. */
  readonly renew?: TokenRequest | undefined;
  readonly revoke?: TokenRequest | undefined;
}

/** How to log in to a service. */
export interface LoginProtocol {
  readonly request: (values: Readonly<Record<string, string>>) => TokenRequest;
  readonly grantIn: (body: Readonly<Record<string, unknown>>) => Grant;
  /** Tells only an invalid token from a valid one: 403 is the former. */
  readonly lookUp: TokenRequest;
}

/** Makes one request over a connection of its own. */
export async function sendOnce(settings: ConnectionSettings, operation: Operation): Promise<HttpResponse> {
  const connection = new Connection(settings);
  return new HttpTransport(connection).send(operation).finally(() => connection.close());
}
