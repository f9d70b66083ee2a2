import { Connection } from "../http/connection";
import { HttpTransport } from "../http/http-transport";
import type { Transport } from "../http/transport";
import { ProvisioningClient } from "../provisioning/client";
import { provisioningDialects } from "../provisioning/dialect";
import { SiblingLists } from "../provisioning/sibling-lists";
import type { Caller } from "../resource/definition";
import { assertMadeHere, identityOf } from "./identity";
import { resolveSettings, type ResolvedSettings } from "./resolve";
import { movedFromKey, type ServiceName, settingsOf } from "./settings";
import { findSetting, findToken, type Sources } from "./sources";

/** A service as one process reaches it: one pool and one budget for everything in the process. */
export class ServiceConnection {
  /** Which service this is; objects remember it as the place where they were made. */
  readonly identity: string;
  private readonly transport: Transport;
  private readonly lists = new SiblingLists();

  constructor(readonly settings: ResolvedSettings) {
    this.identity = identityOf(settings);
    this.transport = new HttpTransport(new Connection(settings));
  }

  /**
   * @param madeAt where an object says that it was made
   * @throws ConfigurationError when that is another service than this one
   */
  assertMadeHere(madeAt: unknown): void {
    assertMadeHere(this.settings, madeAt);
  }

  /** The service's client, making its requests for one caller. */
  clientFor(caller: Caller): ProvisioningClient {
    const { dialect, assumedGone, requestTimeoutMilliseconds } = this.settings;
    return new ProvisioningClient(this.transport, caller, {
      dialect: provisioningDialects[dialect],
      assumedGone,
      lists: this.lists,
      requestTimeoutMilliseconds,
    });
  }
}

const connections = new Map<string, ServiceConnection>();

/**
 * The connection to a service. It is made when first asked for, not when the process is configured: nothing dials
 * before there is something to ask, and missing settings stop only what needs them.
 *
 * @throws ConfigurationError
 */
export function connect(sources: Sources, service: ServiceName): ServiceConnection {
  const key = JSON.stringify([
    service,
    findToken(sources, service),
    sources.configuration?.get(movedFromKey(service)),
    ...settingsOf(service).map(([name]) => findSetting(sources, service, name)?.value),
  ]);
  let connection = connections.get(key);
  if (connection === undefined) {
    connection = new ServiceConnection(resolveSettings(sources, service));
    connections.set(key, connection);
  }
  return connection;
}
