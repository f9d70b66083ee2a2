import { Connection } from "../../http/connection";
import type { ConnectionSettings } from "../../http/connection-settings";
import { HttpTransport } from "../../http/http-transport";
import type { HttpResponse, Operation } from "../../http/transport";

export type TokenRequest = Pick<Operation, "method" | "path" | "body">;

export interface Grant {
  readonly token: unknown;
  /** Lifetime; 0 for a token that never expires. */
  readonly seconds: number;
  /** `undefined` if the token cannot be renewed or revoked. */
  readonly renew?: TokenRequest | undefined;
  readonly revoke?: TokenRequest | undefined;
}

export interface LoginProtocol {
  readonly request: (values: Readonly<Record<string, string>>) => TokenRequest;
  readonly grantIn: (body: Readonly<Record<string, unknown>>) => Grant;
  /** Must return 403 only for an invalid token. */
  readonly lookUp: TokenRequest;
}

export async function sendOnce(settings: ConnectionSettings, operation: Operation): Promise<HttpResponse> {
  const connection = new Connection(settings);
  return new HttpTransport(connection).send(operation).finally(() => connection.close());
}
