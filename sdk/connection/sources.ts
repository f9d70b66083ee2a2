import {
  configurationKey,
  type Dialect,
  dialects,
  environmentVariable,
  overrideVariable,
  productVariables,
  type ServiceName,
  type Setting,
  type SettingName,
  settings,
  sharedDialect,
} from "../base/settings";
import { productToken } from "./product-tokens";

/** Reads stack configuration, or the settings of an explicit provider, which have the same keys. */
export interface ConfigurationReader {
  get(key: string): string | undefined;
  /** The source of a value that does not come from this key: an argument of a call. */
  describe?(key: string): string | undefined;
}

/** The sources of connection settings. */
export interface Sources {
  readonly configuration: ConfigurationReader | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Additional advice if a setting is missing. */
  readonly advice?: string;
}

/** A setting and its source, for messages. */
export interface Found {
  readonly value: string;
  readonly source: string;
}

/** The sources of a provider process: the configuration from the engine, then the environment. */
export function providerSources(configuration: ConfigurationReader | undefined): Sources {
  return { configuration, environment: process.env };
}

/**
 * Marks, in the settings of an explicit provider, that it sets the address of the service: then all trust
 * settings of that service come from the provider alone.
 */
export function ownAddressKey(service: ServiceName): string {
  return `trivium:${service}OwnAddress`;
}

/** Whether the address of the service comes from an explicit provider. */
export function hasOwnAddress(sources: Sources, service: ServiceName): boolean {
  return sources.configuration?.get(ownAddressKey(service)) === "true";
}

/** What says who sends the requests, in one of three ways. */
const credentials = ["token", "tokenFile", "login"] as const;

type CredentialKind = (typeof credentials)[number];

function isCredential(name: SettingName): name is CredentialKind {
  return (credentials as readonly SettingName[]).includes(name);
}

/** A token, the file of one, or a login. */
export interface Credential extends Found {
  readonly kind: CredentialKind;
  /** The source of a token beside a login: they exclude each other. */
  readonly rival?: string;
}

/**
 * Whether a setting must not come from any source after the one that gives certain settings: it would decide
 * whom that source's address trusts, or it is another token.
 */
export function isForeign(name: SettingName, isGiven: (name: SettingName) => boolean): boolean {
  const setting: Setting = settings[name];
  return (setting.trust === true && isGiven("address")) || (isCredential(name) && credentials.some(isGiven));
}

/** Finds a setting in the first source that has it. */
export function findSetting(sources: Sources, service: ServiceName, name: SettingName): Found | undefined {
  return candidates(sources, service, name).find((found) => found !== undefined);
}

/**
 * Finds the token of a service, its token file or its login. The most specific source wins, whichever of the
 * three it has.
 */
export function findToken(sources: Sources, service: ServiceName): Credential | undefined {
  const override = hasOwnAddress(sources, service)
    ? undefined
    : foundInVariable(sources, overrideVariable(service));
  if (override !== undefined) {
    return { kind: "token", ...override };
  }
  const found = credentials.map((kind) => candidates(sources, service, kind));
  const levels = Array.from({ length: Math.max(...found.map(({ length }) => length)) }, (_, level) =>
    credentials.flatMap((kind, index) => {
      const here = found[index]?.[level];
      return here === undefined ? [] : [{ kind, ...here }];
    }),
  );
  const [first, ...others] = levels.find(({ length }) => length > 0) ?? [];
  const login = others.find(({ kind }) => kind === "login");
  return first !== undefined && login !== undefined ? { ...login, rival: first.source } : first;
}

/**
 * The configured dialect of a service.
 *
 * @returns `undefined` for an invalid value
 */
export function findDialect(sources: Sources, service: ServiceName): Dialect | undefined {
  const text = findSetting(sources, service, "dialect")?.value ?? "documented";
  return dialects.find((dialect) => dialect === text);
}

/** The value in each source, most specific first. */
function candidates(sources: Sources, service: ServiceName, name: SettingName): (Found | undefined)[] {
  const setting: Setting = settings[name];
  if (setting.services?.includes(service) === false) {
    return [];
  }
  const ownAddress = hasOwnAddress(sources, service);
  const foundAt = (key: string): Found | undefined =>
    foundIn(
      sources.configuration?.get(key),
      sources.configuration?.describe?.(key) ??
        (ownAddress ? `the provider's settings (${key})` : `the configuration value ${key}`),
    );
  const configured = foundAt(configurationKey(service, name));
  if (isForeign(name, (given) => given === "address" && ownAddress)) {
    return [configured];
  }
  const variable = environmentVariable(service, name);
  return [
    configured,
    variable === undefined ? undefined : foundInVariable(sources, variable),
    foundInProductVariables(sources, service, name),
    ...(name === "dialect"
      ? [foundAt(sharedDialect.key), foundInVariable(sources, sharedDialect.variable)]
      : []),
  ];
}

function foundInProductVariables(
  sources: Sources,
  service: ServiceName,
  name: SettingName,
): Found | undefined {
  // The dialect setting itself cannot depend on the dialect.
  const dialect = name === "dialect" ? undefined : findDialect(sources, service);
  const found = (dialect === undefined ? [] : productVariables(dialect, service, name))
    .map((variable) => foundInVariable(sources, variable))
    .find((each) => each !== undefined);
  if (found === undefined && name === "token" && dialect === "hashicorp") {
    const address = findSetting(sources, service, "address")?.value;
    return productToken(service, address, sources.environment);
  }
  return found !== undefined && name === "address" ? { ...found, value: asUrl(found.value) } : found;
}

/** Some variables of products contain only a host name; without a scheme, HTTPS is assumed. */
function asUrl(address: string): string {
  return /^\s*[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address.trim()}`;
}

function foundInVariable({ environment }: Sources, variable: string): Found | undefined {
  return foundIn(environment[variable], `the environment variable ${variable}`);
}

function foundIn(value: string | undefined, source: string): Found | undefined {
  return value === undefined || value === "" ? undefined : { value, source };
}

/**
 * Caches a lookup per sources: looking up all settings takes as long as the work on a request, and every
 * resource asks.
 */
export function rememberedBySources<Found>(
  find: (sources: Sources, service: ServiceName) => Found,
): (sources: Sources, service: ServiceName) => Found {
  const remembered = new WeakMap<Sources, Map<ServiceName, { readonly found: Found }>>();
  return (sources, service) => {
    const known = remembered.get(sources) ?? new Map<ServiceName, { readonly found: Found }>();
    const entry = known.get(service) ?? { found: find(sources, service) };
    remembered.set(sources, known.set(service, entry));
    return entry.found;
  };
}
