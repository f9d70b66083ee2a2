import type { Caller } from "../base/caller";
import type { ServiceName } from "../base/settings";
import type { ServiceClock } from "../http/service-clock";
import type { Transport } from "../http/transport";
import type { ResolvedSettings } from "./resolve";

/** A service, as the framework needs to know it. */
export interface Service<Client> {
  readonly name: ServiceName;
  /** Loads what speaks to it, which nothing needs before the first request. */
  readonly protocol: () => ServiceProtocol<Client>;
}

/** How one service is spoken to. */
export interface ServiceProtocol<Client> {
  /** The headers that carry the token. Default: `Authorization: Bearer`. */
  readonly authenticationHeader?: (
    settings: ResolvedSettings,
  ) => (token: string) => Readonly<Record<string, string>>;
  /** Makes the clients of one connection, which share what they are made with. */
  readonly clients: (
    transport: Transport,
    settings: ResolvedSettings,
    clock: ServiceClock,
  ) => (caller: Caller) => Client;
}
