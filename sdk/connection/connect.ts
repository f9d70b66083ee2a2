import type { Caller } from "../base/caller";
import { movedFromKey, type ServiceName, settingsOf } from "../base/settings";
import type { ServiceClock } from "../http/service-clock";
import type { Transport } from "../http/transport";
import { assertMadeHere, identityOf, wasMadeHere } from "./identity";
import { rememberCredentials } from "./remember-credentials";
import { resolveSettings, type ResolvedSettings } from "./resolve";
import type { Service } from "./service";
import { findSetting, findToken, hasOwnAddress, type Sources } from "./sources";

/** Loaded with the first connection: a program that only declares resources never needs it. */
const http = () => ({
  ...(require("../http/connection") as typeof import("../http/connection")),
  ...(require("../http/http-transport") as typeof import("../http/http-transport")),
});

/** A service as one process reaches it: one pool and one budget for everything in the process. */
export class ServiceConnection<Client = unknown> {
  /** Which service this is; objects remember it as the place where they were made. */
  readonly identity: string;
  /** The service's client, making its requests for one caller. */
  readonly clientFor: (caller: Caller) => Client;
  /** What all its clients make their requests through. */
  readonly transport: Transport;
  /** The service's clock, as its responses tell. */
  readonly clock: ServiceClock;

  constructor(
    service: Service<Client>,
    readonly settings: ResolvedSettings,
  ) {
    this.identity = identityOf(settings);
    const { authenticationHeader, clients } = service.protocol();
    const authentication =
      authenticationHeader === undefined ? {} : { authenticationHeader: authenticationHeader(settings) };
    const { Connection, HttpTransport } = http();
    const connection = new Connection({ ...settings, ...authentication });
    this.clock = connection.clock;
    this.transport = new HttpTransport(connection);
    this.clientFor = clients(this.transport, settings, this.clock);
  }

  /**
   * @param madeAt where an object says that it was made
   * @throws ConfigurationError when that is another service than this one
   */
  assertMadeHere(madeAt: unknown): void {
    assertMadeHere(this.settings, madeAt);
  }

  /** Whether an object was made here, at this address or a former one. */
  wasMadeHere(madeAt: string): boolean {
    return wasMadeHere(this.settings, madeAt);
  }
}

const connections = new Map<string, ServiceConnection>();
/** To look every setting up takes as long as a request's own work, and each of many resources asks. */
const found = new WeakMap<Sources, Map<ServiceName, ServiceConnection>>();

/**
 * The connection to a service. It is made when first asked for, not when the process is configured: nothing dials
 * before there is something to ask, and missing settings stop only what needs them.
 *
 * @param sources are looked into when they first come; the same object then always stands for the same connection
 * @throws ConfigurationError
 */
export function connect<Client>(sources: Sources, service: Service<Client>): ServiceConnection<Client> {
  const known = found.get(sources) ?? new Map<ServiceName, ServiceConnection>();
  const connection = known.get(service.name) ?? lookUp(sources, service);
  found.set(sources, known.set(service.name, connection));
  return connection as ServiceConnection<Client>;
}

/**
 * The time as far as it is known without a request: the service's where this process has asked it something already,
 * else this machine's.
 */
export function knownTime(sources: Sources, service: ServiceName): number {
  return found.get(sources)?.get(service)?.clock.now() ?? Date.now();
}

/** Sources that say the same share a connection. */
function lookUp(sources: Sources, service: Service<unknown>): ServiceConnection {
  const { name } = service;
  const key = JSON.stringify([
    name,
    findToken(sources, name),
    hasOwnAddress(sources, name),
    sources.configuration?.get(movedFromKey(name)),
    ...settingsOf(name).map(([setting]) => findSetting(sources, name, setting)?.value),
  ]);
  let connection = connections.get(key);
  if (connection === undefined) {
    rememberCredentials(sources);
    connection = new ServiceConnection(service, resolveSettings(sources, name));
    connections.set(key, connection);
  }
  return connection;
}
