import type { Caller } from "../base/caller";
import type { ServiceName } from "../base/settings";
import type { ServiceClock } from "../base/timing";
import type { Operation, SaysAbsence, Transport } from "../http/transport";
import type { ResolvedSettings } from "./resolve";

export type TokenRequest = Pick<Operation, "method" | "path" | "body">;

export interface Grant {
  readonly token: unknown;
  /** The lifetime; 0 for a token that never expires. */
  readonly seconds: number;
  /**
   * How many requests can use the token. The last one revokes it, together with everything issued under it.
   */
  readonly uses?: number;
  /** Why there is no token. */
  readonly problem?: string;
  /** `undefined` if the token cannot be renewed or revoked. */
  readonly renew?: TokenRequest | undefined;
  readonly revoke?: TokenRequest | undefined;
}

export interface LoginProtocol {
  readonly request: (values: Readonly<Record<string, string>>) => TokenRequest;
  /** What to do if the login is rejected. */
  readonly advice?: (members: Readonly<Record<string, string>>) => readonly string[];
  readonly grantIn: (body: Readonly<Record<string, unknown>>) => Grant;
  /** A request that returns 403 only for an invalid token. */
  readonly lookUp: TokenRequest;
}

export interface Service<Client> {
  readonly name: ServiceName;
  /** Loaded lazily, because the client is not needed before the first request. */
  readonly protocol: () => ServiceProtocol<Client>;
}

export interface ServiceProtocol<Client> {
  readonly authenticationHeader?: (
    settings: ResolvedSettings,
  ) => (token: string) => Readonly<Record<string, string>>;
  readonly login?: () => LoginProtocol;
  /** How the service reports that an object does not exist. */
  readonly saysAbsence: SaysAbsence;
  /** Clients of one connection share their state. */
  readonly clients: (
    transport: Transport,
    settings: ResolvedSettings,
    clock: ServiceClock,
  ) => (caller: Caller) => Client;
}
