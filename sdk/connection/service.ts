import type { Caller } from "../base/caller";
import type { ServiceName } from "../base/settings";
import type { ServiceClock } from "../http/service-clock";
import type { Transport } from "../http/transport";
import type { LoginProtocol } from "./login/protocol";
import type { ResolvedSettings } from "./resolve";

/** A service as the framework sees it. */
export interface Service<Client> {
  readonly name: ServiceName;
  /** Loads the client of the service, which is not needed before the first request. */
  readonly protocol: () => ServiceProtocol<Client>;
}

/** The protocol of a service. */
export interface ServiceProtocol<Client> {
  /** The headers that carry the token. Default: `Authorization: Bearer`. */
  readonly authenticationHeader?: (
    settings: ResolvedSettings,
  ) => (token: string) => Readonly<Record<string, string>>;
  /** How to log in. Default: there is no login. */
  readonly login?: () => LoginProtocol;
  /** Creates the clients of one connection, which share their state. */
  readonly clients: (
    transport: Transport,
    settings: ResolvedSettings,
    clock: ServiceClock,
  ) => (caller: Caller) => Client;
}
