import type { Caller } from "../base/caller";
import { ConfigurationError } from "../base/errors";
import { processRedactor } from "../base/redactor";
import { listed } from "../base/shown-text";
import {
  configurationCommand,
  configurationKey,
  type Dialect,
  dialects,
  environmentVariable,
  isProduct,
  serviceNames,
  type ServiceName,
  settingNames,
  settingsOf,
} from "../base/settings";
import type { HttpTransport } from "../http/http-transport";
import { settingsIn } from "./found";
import { secretsIn } from "./login/settings";
import { foresee, resolveSettings, type ResolvedSettings, sentInClear, withoutEffect } from "./resolve";
import type { Service } from "./service";
import { objectIn, oncePerService, type Sources } from "./sources";
import { namespaceIn } from "./values";

/** Loaded with the first connection, because programs that only declare resources do not need it. */
const http = () => require("../http/http-transport") as typeof import("../http/http-transport");
const loginSession = () => require("./login/session") as typeof import("./login/session");

export class ServiceConnection<Client = unknown> {
  /** Stored in state as the place of creation of objects. */
  readonly identity: string;
  readonly clientFor: (caller: Caller) => Client;
  readonly transport: HttpTransport;

  /**
   * @param warnings warnings about the user's settings; functions, which have no preview, show each warning
   * once
   */
  constructor(
    service: Service<Client>,
    readonly settings: ResolvedSettings,
    private readonly warnings: string[] = [],
  ) {
    this.identity = identityOf(settings);
    const { authenticationHeader, clients, login, saysAbsence } = service.protocol();
    const session =
      settings.login &&
      login &&
      new (loginSession().LoginSession)(settings.login, settings, login(), authenticationHeader);
    this.transport = new (http().HttpTransport)({
      ...settings,
      saysAbsence,
      authenticationHeader: authenticationHeader?.(settings),
      token: session === undefined ? settings.token : (user = {}) => session.token(user),
    });
    this.clientFor = clients(this.transport, settings, this.transport.clock);
  }

  announcedTo({ announce }: Caller): this {
    this.warnings.splice(0).forEach((warning) => announce("warning", warning));
    return this;
  }
}

const connections = new Map<string, ServiceConnection>();

/**
 * Created on first use, so that missing settings only affect operations that need them. Sources with the same settings
 * share a connection.
 *
 * @throws ConfigurationError
 */
export function connect<Client>(sources: Sources, service: Service<Client>): ServiceConnection<Client> {
  const key = keyOf(sources, service.name);
  let connection = connections.get(key);
  if (connection === undefined) {
    rememberCredentials(sources);
    const settings = resolveSettings(sources, service.name);
    const { credential } = settingsIn(sources, service.name);
    const inClear = credential === undefined ? undefined : sentInClear(settings);
    const warnings = [...(inClear === undefined ? [] : [inClear]), ...withoutEffect(sources, settings)];
    connection = new ServiceConnection(service, settings, warnings);
    connections.set(key, connection);
  }
  return connection as ServiceConnection<Client>;
}

const keyOf = oncePerService((sources, service) => {
  const { ownAddress, credential, values } = settingsIn(sources, service);
  const texts = settingNames.map((name) => values[name]?.value);
  return JSON.stringify([service, ownAddress, credential, ...texts]);
});

export function connectEarly(sources: Sources, service: Service<unknown>): void {
  const { settings, lacksToken = false } = foresee(sources, service.name);
  if (settings === undefined || lacksToken) {
    return;
  }
  try {
    connect(sources, service).transport.sockets.open();
  } catch {
    // The operations that need the connection report the error.
  }
}

/** The service's time if this process has received a response, or else this machine's time. */
export function knownTime(sources: Sources, service: ServiceName): number {
  return connections.get(keyOf(sources, service))?.transport.clock.now() ?? Date.now();
}

/**
 * Registers the credentials of all services for redaction, even if this process makes no request to them.
 * Secrets in files are registered when the file is read.
 */
function rememberCredentials(sources: Sources): void {
  for (const service of serviceNames) {
    const { values, credential } = settingsIn(sources, service);
    const secrets = settingsOf(service)
      .filter(([name, setting]) => setting.secret === true && name !== "login")
      .flatMap(([name]) => values[name] ?? []);
    const texts = [...(credential?.kind === "token" ? [credential] : []), ...secrets].map(
      ({ value }) => value,
    );
    // Headers are a JSON object of strings.
    const members = texts.flatMap((text) => Object.values(objectIn(text) ?? {}));
    const ofLogin = values.login === undefined ? [] : [values.login.value, ...secretsIn(values.login.value)];
    const isText = (value: unknown): value is string => typeof value === "string";
    processRedactor.register(...texts, ...members.filter(isText), ...ofLogin);
  }
}

/** Origin, base path, namespace and dialect in one string. State stores it, so its form must not change. */
export function identityOf(settings: ResolvedSettings): string {
  const { address, basePath, namespace, dialect } = settings;
  const within = namespace === undefined ? "" : ` namespace=${namespace}`;
  return `${address}${basePath}${within}${isProduct[dialect] ? ` dialect=${dialect}` : ""}`;
}

/** The parts of an identity in state. */
export function placeOf(identity: string) {
  const [address = ""] = identity.split(" ", 1);
  const [, namespace] = namespacePart.exec(identity) ?? [];
  return { address, namespace, dialect: dialectIn(identity) };
}

/** The identity without the dialect, the same for all connections to a service. */
export function serviceOf(settings: ResolvedSettings): string {
  return withoutDialect(identityOf(settings));
}

function sameSpelling({ service }: ResolvedSettings, identity: string): string {
  return identity.replace(namespacePart, (_, name: string) => {
    const namespace = namespaceIn(name, service, dialectIn(identity));
    return namespace === undefined ? "" : ` namespace=${namespace}`;
  });
}

/** Whether an object was created at this service, at its current address or a former one. */
export function isSameService(settings: ResolvedSettings, formerPlace: string): boolean {
  const place = sameSpelling(settings, formerPlace);
  return (
    place === identityOf(settings) ||
    settings.movedFrom.some((old) => isPlace(sameSpelling(settings, old), place))
  );
}

/**
 * Refuses to change an object of another service, where its ID means something else.
 *
 * @param stored the identity of the service at creation; `undefined` for objects that were only read
 * @throws ConfigurationError
 */
export function assertSameService(settings: ResolvedSettings, stored: string | undefined): void {
  const here = identityOf(settings);
  if (stored === undefined || isSameService(settings, stored)) {
    return;
  }
  const formerPlace = sameSpelling(settings, stored);
  const { dialect, service } = settings;
  const [, former = "documented"] = dialectPart.exec(formerPlace) ?? [];
  if (former !== dialect && withoutDialect(formerPlace) === withoutDialect(here)) {
    const key = configurationKey(service, "dialect");
    throw new ConfigurationError(
      `This object was created at ${withoutDialect(formerPlace)} with the dialect "${former}", but the dialect of the ${service} service is ` +
        `now "${dialect}". No request was made.`,
      {
        advice:
          `Set the dialect back: run \`${configurationCommand(key)} ${former}\` (or set ` +
          `${environmentVariable(service, "dialect") ?? ""}=${former}). If "${former}" was wrong when the object was ` +
          `created, ${adviceForMove(settings, formerPlace)}. ` +
          "To find out which dialect the service speaks, run `npx pulumi-trivium doctor`.",
      },
    );
  }
  throw new ConfigurationError(
    `This object was created at ${formerPlace}, but the ${settings.service} service is now configured as ${here}. ` +
      "No request was made.",
    {
      advice:
        `Restore the former ${whatDiffers(formerPlace, here)}. If the service moved to a new address, ` +
        `${adviceForMove(settings, formerPlace)} and run the command again. Run refresh and destroy with --run-program: ` +
        "without it they use the configuration stored in state.",
    },
  );
}

function dialectIn(identity: string): Dialect {
  return dialects.find((each) => identity.endsWith(` dialect=${each}`)) ?? "documented";
}

const dialectPart = / dialect=(\S+)/;
const namespacePart = / namespace=(\S*)/;

function whatDiffers(former: string, here: string): string {
  const parts = { address: /^\S+/, namespace: namespacePart, dialect: dialectPart };
  const differing = Object.entries(parts).filter(
    ([, part]) => (part.exec(former) ?? [""])[0] !== (part.exec(here) ?? [""])[0],
  );
  return listed(
    differing.map(([name]) => name),
    "and",
  );
}

function withoutDialect(identity: string): string {
  return identity.replace(dialectPart, "");
}

/** If a provider sets the address, only that provider can declare former addresses. */
function adviceForMove({ service, ownAddress }: ResolvedSettings, formerPlace: string): string {
  return ownAddress
    ? `give the trivium.Provider \`${service}: { movedFrom: [${JSON.stringify(formerPlace)}], ... }\``
    : `run \`${configurationCommand(configurationKey(service, "movedFrom"))} "${formerPlace}"\``;
}

/** The user can set a whole identity or only an address. */
function isPlace(named: string, formerPlace: string): boolean {
  const [address = ""] = formerPlace.split(" ", 1);
  const name = named.replace(/\/+$/, "");
  const isAddress = /^https?:\/\/[^/]/.test(name);
  return name === formerPlace || (isAddress && `${address}/`.startsWith(`${name}/`));
}
