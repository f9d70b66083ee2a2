import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../base/json";
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
  isProduct,
} from "../base/settings";

/** Reads stack configuration, or the settings of an explicit provider, which have the same keys. */
export interface ConfigurationReader {
  get(key: string): string | undefined;
  /** The source of a value that does not come from this key: an argument of a call. */
  describe?(key: string): string | undefined;
}

export interface Sources {
  readonly configuration: ConfigurationReader | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly advice?: string;
}

export interface Found {
  readonly value: string;
  readonly source: string;
}

export function providerSources(configuration: ConfigurationReader | undefined): Sources {
  return { configuration, environment: process.env };
}

/** The key that says that a provider sets the address. All trust settings of the service then come from it alone. */
export function ownAddressKey(service: ServiceName): string {
  return `trivium:${service}OwnAddress`;
}

export function hasOwnAddress(sources: Sources, service: ServiceName): boolean {
  return sources.configuration?.get(ownAddressKey(service)) === "true";
}

const credentials = ["token", "tokenFile", "login"] as const;

export interface Credential extends Found {
  readonly kind: (typeof credentials)[number];
  /** The source of a token given beside a login. Only one of them is allowed. */
  readonly conflicting?: string;
}

/** Settings are stored as strings. An output may resolve to null, and other languages may write numbers and objects. */
export function settingText(value: unknown): string {
  const text = Array.isArray(value) ? value.join(", ") : (value ?? "");
  return typeof text === "string" ? text : JSON.stringify(text);
}

/** A less specific source must not change what an address trusts, or replace the token. */
export function mustNotInherit(name: SettingName, isGiven: (name: SettingName) => boolean): boolean {
  const setting: Setting = settings[name];
  const isCredential = credentials.some((each) => each === name);
  return (setting.trust === true && isGiven("address")) || (isCredential && credentials.some(isGiven));
}

export function findSetting(sources: Sources, service: ServiceName, name: SettingName): Found | undefined {
  return candidates(sources, service, name).find((found) => found !== undefined);
}

/** The most specific source wins, whether it has a token, a token file or a login. */
export function findToken(sources: Sources, service: ServiceName): Credential | undefined {
  const override = hasOwnAddress(sources, service)
    ? undefined
    : foundInVariable(sources, overrideVariable(service));
  if (override !== undefined) {
    return { kind: "token", ...override };
  }
  const found = credentials.flatMap((kind) =>
    candidates(sources, service, kind).flatMap((each, level) =>
      each === undefined ? [] : [{ level, credential: { kind, ...each } }],
    ),
  );
  const best = Math.min(...found.map(({ level }) => level));
  const [first, ...others] = found.filter(({ level }) => level === best).map(({ credential }) => credential);
  const login = others.find(({ kind }) => kind === "login");
  return first !== undefined && login !== undefined ? { ...login, conflicting: first.source } : first;
}

/** Most specific first. */
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
  if (mustNotInherit(name, (given) => given === "address" && ownAddress)) {
    return [configured];
  }
  const variable = environmentVariable(service, name);
  return [
    configured,
    variable === undefined ? undefined : foundInVariable(sources, variable),
    // The dialect setting itself cannot depend on the dialect.
    ...(name === "dialect"
      ? [foundAt(sharedDialect.key), foundInVariable(sources, sharedDialect.variable)]
      : [foundInProductVariables(sources, service, name)]),
  ];
}

function foundInProductVariables(
  sources: Sources,
  service: ServiceName,
  name: SettingName,
): Found | undefined {
  const dialect = findDialect(sources, service) ?? "documented";
  const found = productVariables(dialect, service, name)
    .map((variable) => foundInVariable(sources, variable))
    .find((each) => each !== undefined);
  if (found === undefined && name === "token" && isProduct[dialect]) {
    const address = findSetting(sources, service, "address")?.value;
    return productToken(service, address, sources.environment);
  }
  return found !== undefined && name === "address" ? { ...found, value: asUrl(found.value) } : found;
}

/** Some variables of products contain only a host name. HTTPS is then assumed. */
function asUrl(address: string): string {
  return /^\s*[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address.trim()}`;
}

function foundInVariable({ environment }: Sources, variable: string): Found | undefined {
  return foundIn(environment[variable], `the environment variable ${variable}`);
}

function foundIn(value: string | undefined, source: string): Found | undefined {
  return value === undefined || value === "" ? undefined : { value, source };
}

/** A cache per sources and service: looking up all settings takes as long as the work on a request. */
export class Remembered<Value> {
  private readonly values = new WeakMap<Sources, Map<ServiceName, Value>>();

  get(sources: Sources, service: ServiceName): Value | undefined {
    return this.values.get(sources)?.get(service);
  }

  find(sources: Sources, service: ServiceName, lookUp: () => Value): Value {
    const known = this.get(sources, service);
    if (known !== undefined) {
      return known;
    }
    const value = lookUp();
    const values = this.values.get(sources) ?? new Map<ServiceName, Value>();
    this.values.set(sources, values.set(service, value));
    return value;
  }
}

const foundDialects = new Remembered<Dialect | undefined>();

/** @returns `undefined` for an invalid value */
export function findDialect(sources: Sources, service: ServiceName): Dialect | undefined {
  return foundDialects.find(sources, service, () => {
    const text = findSetting(sources, service, "dialect")?.value ?? "documented";
    return dialects.find((dialect) => dialect === text);
  });
}

/** The token of the product's own tools on this machine. It is only used for the address that it belongs to. */
function productToken(
  service: ServiceName,
  address: string | undefined,
  environment: Sources["environment"],
): Found | undefined {
  const url = urlOf(address);
  const home = environment.HOME ?? environment.USERPROFILE ?? "";
  // Terraform itself only speaks HTTPS.
  if (service === "provisioning" && url?.protocol === "https:") {
    return ofTerraform(environment, home).find(
      // URL parsing converts hosts to lower case and international names to ASCII.
      ({ host, value }) => value !== "" && urlOf(`https://${host}`)?.host === url.host,
    );
  }
  // Written by `vault login` and `bao login`.
  const file = join(home, ".vault-token");
  const isHere = service === "secrets" && url && url.href === urlOf(environment.VAULT_ADDR)?.href;
  const value = isHere ? textOf(file).trim() : "";
  return value === "" ? undefined : { value, source: `the file ${file}` };
}

/** Like Terraform: variables win over its configuration files. */
function ofTerraform(
  environment: Sources["environment"],
  home: string,
): (Found & { readonly host: string })[] {
  const ofVariables = Object.entries(environment).map(([variable, value = ""]) => ({
    // Names of variables cannot contain dots and hyphens.
    host: /^TF_TOKEN_(.+)$/.exec(variable)?.[1]?.replaceAll("__", "-").replaceAll("_", ".") ?? "",
    value,
    source: `the environment variable ${variable}`,
  }));
  const { TF_CLI_CONFIG_FILE: chosen = "", APPDATA: data } = environment;
  const credentials = "terraform.d/credentials.tfrc.json";
  const defaults =
    data === undefined
      ? [join(home, `.${credentials}`), join(home, ".terraformrc")]
      : [join(data, credentials), join(data, "terraform.rc")];
  const ofFiles = (chosen === "" ? defaults : [chosen]).flatMap((file) =>
    [
      ...textOf(file)
        .replace(/^\s*(?:#|\/\/).*$/gm, "")
        .matchAll(hostWithToken),
    ].map(([, host = "", value = ""]) => ({ host, value, source: `the file ${file}` })),
  );
  return [...ofVariables, ...ofFiles];
}

/** HCL: `"app.terraform.io" { token = "..." }`. JSON: `"app.terraform.io": { "token": "..." }`. */
const hostWithToken = /"([^"]+)"\s*:?\s*\{[^{}]*?\btoken"?\s*[=:]\s*"([^"]*)"/g;

function urlOf(address = ""): URL | undefined {
  return URL.canParse(address) ? new URL(address.replace(/\/+$/, "")) : undefined;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** @returns `undefined` if the text is not a JSON object */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
