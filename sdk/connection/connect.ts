import type { Caller } from "../base/caller";
import { processRedactor } from "../base/redactor";
import { movedFromKey, serviceNames, type ServiceName, settingsOf } from "../base/settings";
import type { ServiceClock } from "../base/timing";
import type { Transport } from "../http/transport";
import { assertSameService, storedIdentityOf, isSameService } from "./identity";
import { secretsIn } from "./login/settings";
import { foresee, resolveSettings, type ResolvedSettings } from "./resolve";
import type { Service } from "./service";
import { findSetting, findToken, hasOwnAddress, objectIn, Remembered, type Sources } from "./sources";

/** Loaded with the first connection, because a program that only declares resources does not need it. */
const http = () => require("../http/http-transport") as typeof import("../http/http-transport");
const loginSession = () => require("./login/session") as typeof import("./login/session");

export class ServiceConnection<Client = unknown> {
  /** Stored in state as the place of creation of objects. */
  readonly identity: string;
  readonly clientFor: (caller: Caller) => Client;
  readonly transport: Transport;
  readonly clock: ServiceClock;
  readonly open: () => void;

  constructor(
    service: Service<Client>,
    readonly settings: ResolvedSettings,
  ) {
    this.identity = storedIdentityOf(settings);
    const { authenticationHeader, clients, login } = service.protocol();
    const session =
      settings.login &&
      login &&
      new (loginSession().LoginSession)(settings.login, settings, login(), authenticationHeader);
    const transport = new (http().HttpTransport)({
      ...settings,
      authenticationHeader: authenticationHeader?.(settings),
      token: session === undefined ? settings.token : (user = {}) => session.token(user),
    });
    this.clock = transport.clock;
    this.open = () => transport.sockets.open();
    this.transport = transport;
    this.clientFor = clients(transport, settings, this.clock);
  }

  /** @throws ConfigurationError if the object was created at another service */
  assertSameService(madeAt: unknown): void {
    assertSameService(this.settings, madeAt);
  }

  isSameService(madeAt: string): boolean {
    return isSameService(this.settings, madeAt);
  }
}

const connections = new Map<string, ServiceConnection>();
const connected = new Remembered<ServiceConnection>();

/**
 * Created on first use, so that missing settings only affect operations that need them.
 *
 * @param sources the same object always has the same connection
 * @throws ConfigurationError
 */
export function connect<Client>(sources: Sources, service: Service<Client>): ServiceConnection<Client> {
  const connection = connected.find(sources, service.name, () => lookUp(sources, service));
  return connection as ServiceConnection<Client>;
}

export function connectEarly(sources: Sources, service: Service<unknown>): void {
  const { settings, warning } = foresee(sources, service.name);
  if (settings === undefined || warning !== undefined) {
    return;
  }
  try {
    connect(sources, service).open();
  } catch {
    // The operations that need the connection report the error.
  }
}

/** The service's time if this process has had a response, else that of this machine. */
export function knownTime(sources: Sources, service: ServiceName): number {
  return connected.get(sources, service)?.clock.now() ?? Date.now();
}

/** Sources with the same settings share a connection. */
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

/**
 * Registers the credentials of all services for redaction, even if this process makes no request to them.
 * Secrets in files are registered when the file is read.
 */
function rememberCredentials(sources: Sources): void {
  for (const service of serviceNames) {
    const token = findToken(sources, service);
    const secrets = settingsOf(service)
      .filter(([name, setting]) => setting.secret === true && name !== "login")
      .flatMap(([name]) => findSetting(sources, service, name) ?? []);
    const texts = [...(token?.kind === "token" ? [token] : []), ...secrets].map(({ value }) => value);
    const login = findSetting(sources, service, "login")?.value;
    // Headers are a JSON object of strings.
    const members = texts.flatMap((text) => Object.values(objectIn(text) ?? {}));
    processRedactor.register(...texts, ...members.filter((member) => typeof member === "string"));
    processRedactor.register(...(login === undefined ? [] : [login, ...secretsIn(login)]));
  }
}
