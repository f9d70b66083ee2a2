import { Connection } from "../http/connection";
import { HttpTransport } from "../http/http-transport";
import type { ServiceClock } from "../http/service-clock";
import type { Transport } from "../http/transport";
import { ProvisioningClient } from "../provisioning/client";
import { provisioningDialects } from "../provisioning/dialect";
import { SiblingLists } from "../provisioning/sibling-lists";
import type { Caller } from "../resource/definition";
import { SchedulerClient } from "../scheduler/client";
import { schedulerDialects } from "../scheduler/dialect";
import { SecretsClient, SharedState } from "../secrets/client";
import { secretsDialects } from "../secrets/dialect";
import { Turns } from "../secrets/turns";
import { assertMadeHere, identityOf, wasMadeHere } from "./identity";
import { rememberCredentials } from "./remember-credentials";
import { resolveSettings, type ResolvedSettings } from "./resolve";
import { movedFromKey, type ServiceName, settingsOf } from "./settings";
import { findSetting, findToken, hasOwnAddress, type Sources } from "./sources";

/** Makes the clients of one connection, which share what they are made with. */
type ClientFactory = (caller: Caller) => ProvisioningClient | SecretsClient | SchedulerClient;

/** What is particular to each service: how it knows its callers, and its client. */
const services: Readonly<
  Record<
    ServiceName,
    {
      readonly authenticationHeader?: (
        settings: ResolvedSettings,
      ) => (token: string) => Readonly<Record<string, string>>;
      readonly clients: (
        transport: Transport,
        settings: ResolvedSettings,
        clock: ServiceClock,
      ) => ClientFactory;
    }
  >
> = {
  provisioning: {
    clients(transport, { dialect, assumedGone, requestTimeoutMilliseconds }) {
      const shared = {
        dialect: provisioningDialects[dialect],
        assumedGone,
        lists: new SiblingLists(),
        turns: new Turns(),
        requestTimeoutMilliseconds,
      };
      return (caller) => new ProvisioningClient(transport, caller, shared);
    },
  },
  secrets: {
    authenticationHeader({ dialect, namespace }) {
      const { tokenHeader, namespaceHeader, requestHeaders } = secretsDialects[dialect];
      const more = namespace === undefined ? {} : { [namespaceHeader]: namespace };
      return (token) => ({ [tokenHeader]: token, ...requestHeaders, ...more });
    },
    clients(transport, { dialect }, clock) {
      const shared = new SharedState(secretsDialects[dialect], clock);
      return (caller) => new SecretsClient(transport, caller, shared);
    },
  },
  scheduler: {
    authenticationHeader: ({ dialect }) => schedulerDialects[dialect].authenticationHeader,
    clients: (transport, settings) => (caller) => new SchedulerClient(transport, caller, settings),
  },
};

/** A service as one process reaches it: one pool and one budget for everything in the process. */
export class ServiceConnection {
  /** Which service this is; objects remember it as the place where they were made. */
  readonly identity: string;
  /** The service's client, making its requests for one caller. */
  readonly clientFor: ClientFactory;
  /** What all its clients make their requests through. */
  readonly transport: Transport;
  /** The service's clock, as its responses tell. */
  readonly clock: ServiceClock;

  constructor(readonly settings: ResolvedSettings) {
    this.identity = identityOf(settings);
    const { authenticationHeader, clients } = services[settings.service];
    const authentication =
      authenticationHeader === undefined ? {} : { authenticationHeader: authenticationHeader(settings) };
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
export function connect(sources: Sources, service: ServiceName): ServiceConnection {
  const known = found.get(sources) ?? new Map<ServiceName, ServiceConnection>();
  const connection = known.get(service) ?? lookUp(sources, service);
  found.set(sources, known.set(service, connection));
  return connection;
}

/**
 * The time as far as it is known without a request: the service's where this process has asked it something already,
 * else this machine's.
 */
export function knownTime(sources: Sources, service: ServiceName): number {
  return found.get(sources)?.get(service)?.clock.now() ?? Date.now();
}

/** Sources that say the same share a connection. */
function lookUp(sources: Sources, service: ServiceName): ServiceConnection {
  const key = JSON.stringify([
    service,
    findToken(sources, service),
    hasOwnAddress(sources, service),
    sources.configuration?.get(movedFromKey(service)),
    ...settingsOf(service).map(([name]) => findSetting(sources, service, name)?.value),
  ]);
  let connection = connections.get(key);
  if (connection === undefined) {
    rememberCredentials(sources);
    connection = new ServiceConnection(resolveSettings(sources, service));
    connections.set(key, connection);
  }
  return connection;
}
