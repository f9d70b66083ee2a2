import type { Caller } from "../base/caller";
import type { ServiceName } from "../base/settings";
import type { ServiceClock } from "../base/timing";
import type { Transport } from "../http/transport";
import type { LoginProtocol } from "./login/protocol";
import type { ResolvedSettings } from "./resolve";

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
  /** Clients of one connection share their state. */
  readonly clients: (
    transport: Transport,
    settings: ResolvedSettings,
    clock: ServiceClock,
  ) => (caller: Caller) => Client;
}
