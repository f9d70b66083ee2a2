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
} from "../base/settings";

/** Reads stack configuration, or the settings of an explicit provider, which have the same keys. */
export interface ConfigurationReader {
  get(key: string): string | undefined;
  /** Where a value was found that was not found under this key: in the arguments of a call. */
  describe?(key: string): string | undefined;
}

/** Where the settings of connections come from. */
export interface Sources {
  readonly configuration: ConfigurationReader | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What else to tell somebody whose settings are missing here. */
  readonly advice?: string;
}

/** A setting and, for messages, where it was found. */
export interface Found {
  readonly value: string;
  readonly source: string;
}

/** The sources of a provider process: what the engine configured it with, then its environment. */
export function providerSources(configuration: ConfigurationReader | undefined): Sources {
  return { configuration, environment: process.env };
}

/**
 * Tells, in the settings of an explicit provider, that it gave the service's address: then everything that decides
 * whom that service trusts comes from the provider alone.
 */
export function ownAddressKey(service: ServiceName): string {
  return `trivium:${service}OwnAddress`;
}

/** Whether the service's address comes from an explicit provider. */
export function hasOwnAddress(sources: Sources, service: ServiceName): boolean {
  return sources.configuration?.get(ownAddressKey(service)) === "true";
}

/** Finds a setting in the first source that has it. */
export function findSetting(sources: Sources, service: ServiceName, name: SettingName): Found | undefined {
  return candidates(sources, service, name).find((found) => found !== undefined);
}

/**
 * Finds a service's token, or the file that holds it. The more specific source wins, whichever of the two it has.
 */
export function findToken(
  sources: Sources,
  service: ServiceName,
): (Found & { readonly kind: "token" | "tokenFile" }) | undefined {
  const override = hasOwnAddress(sources, service)
    ? undefined
    : foundInVariable(sources, overrideVariable(service));
  if (override !== undefined) {
    return { kind: "token", ...override };
  }
  const tokens = candidates(sources, service, "token");
  const files = candidates(sources, service, "tokenFile");
  for (const [level, token] of tokens.entries()) {
    const file = files[level];
    if (token !== undefined) {
      return { kind: "token", ...token };
    }
    if (file !== undefined) {
      return { kind: "tokenFile", ...file };
    }
  }
  return undefined;
}

/**
 * Which dialect a service is said to speak.
 *
 * @returns `undefined` for a text that names none
 */
export function findDialect(sources: Sources, service: ServiceName): Dialect | undefined {
  const text = findSetting(sources, service, "dialect")?.value ?? "documented";
  return dialects.find((dialect) => dialect === text);
}

/** What each source says, the most specific first. */
function candidates(sources: Sources, service: ServiceName, name: SettingName): (Found | undefined)[] {
  const setting: Setting = settings[name];
  if (setting.services?.includes(service) === false) {
    return [];
  }
  const key = configurationKey(service, name);
  const ownAddress = hasOwnAddress(sources, service);
  const configured = foundIn(
    sources.configuration?.get(key),
    sources.configuration?.describe?.(key) ??
      (ownAddress ? `the provider's settings (${key})` : `the configuration ${key}`),
  );
  if (ownAddress && setting.trust === true) {
    return [configured];
  }
  const variable = environmentVariable(service, name);
  return [
    configured,
    variable === undefined ? undefined : foundInVariable(sources, variable),
    foundInProductVariables(sources, service, name),
  ];
}

function foundInProductVariables(
  sources: Sources,
  service: ServiceName,
  name: SettingName,
): Found | undefined {
  // What tells the dialect cannot depend on it.
  const dialect = name === "dialect" ? undefined : findDialect(sources, service);
  const found = (dialect === undefined ? [] : productVariables(dialect, service, name))
    .map((variable) => foundInVariable(sources, variable))
    .find((each) => each !== undefined);
  return found !== undefined && name === "address" ? { ...found, value: asUrl(found.value) } : found;
}

/** Some products' variables hold the name of a host; what is not said to be in clear is encrypted. */
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
 * Finds out something about a service, once for the same sources: to look every setting up takes as long as a request's
 * own work, and each of many resources asks.
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
