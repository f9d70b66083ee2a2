import type { HttpResponse, Operation } from "../../http/transport";

/** A request about a token. */
export type TokenRequest = Pick<Operation, "method" | "path" | "body">;

/** What a service says about a token that it has issued. */
export interface Grant {
  readonly token: string;
  /** How long it lives; 0 forever. */
  readonly seconds: number;
  readonly renewable: boolean;
  /** Whether it can be revoked. */
  readonly revocable: boolean;
}

/** How to log in to a service. */
export interface LoginProtocol {
  /** What is shown of a login: `the login jwt`. */
  readonly describe: (values: Readonly<Record<string, string>>) => string;
  readonly request: (values: Readonly<Record<string, string>>) => TokenRequest;
  /** @throws TriviumError if the response has no token */
  readonly grantIn: (response: HttpResponse) => Grant;
  /** Tells only an invalid token from a valid one: 403 is the former. */
  readonly lookUp: TokenRequest;
  readonly renew?: TokenRequest;
  readonly revoke?: TokenRequest;
}
