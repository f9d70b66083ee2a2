import { HttpTransport } from "../../http/http-transport";
import type { HttpResponse, Operation, TransportSettings } from "../../http/transport";

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

export async function sendOnce(settings: TransportSettings, operation: Operation): Promise<HttpResponse> {
  const transport = new HttpTransport(settings);
  return transport.send(operation).finally(() => transport.close());
}
