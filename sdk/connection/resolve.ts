import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { showable } from "../base/shown-text";
import { codeOf, ConfigurationError } from "../base/errors";
import {
  headerText,
  type ConnectionSettings,
  type ProxySettings,
  type Token,
} from "../http/connection-settings";
import { nameOfSetting, type SettingOwner } from "../base/setting-name";
import { productOf } from "../http/products";
import { type Login, loginOf } from "./login/settings";
import type { Dialect } from "../base/settings";
import { parseDuration } from "../base/duration";
import { longestTimer } from "../base/runtime";
import {
  configurationCommand,
  configurationKey,
  movedFromKey,
  type ServiceName,
  type SettingName,
  variablesOf,
} from "../base/settings";
import {
  findDialect,
  findSetting,
  findToken,
  type Found,
  hasOwnAddress,
  rememberedBySources,
  type Sources,
} from "./sources";

const basePaths: Readonly<Record<ServiceName, string>> = {
  provisioning: "/api/v2",
  secrets: "/v1",
  scheduler: "/v1",
};

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

const largestNumber = 2 ** 31 - 1;

/** Complete except for the authentication header, which differs between services. */
export interface ResolvedSettings extends ConnectionSettings {
  readonly ownAddress: boolean;
  readonly basePath: string;
  readonly dialect: Dialect;
  readonly namespace: string | undefined;
  readonly login: Login | undefined;
  /** Former identities, or addresses, of this service. */
  readonly movedFrom: readonly string[];
  /** Ids of objects that the user declares to be deleted. */
  readonly assumedGone: ReadonlySet<string>;
}

export function resolveSettings(sources: Sources, service: ServiceName): ResolvedSettings {
  // Read first, because it decides which other sources are read.
  const dialect = dialectOf(sources, service);
  const find = (name: SettingName): Found | undefined => findSetting(sources, service, name);
  const address = find("address");
  // The scheduler does not require a token.
  if (address === undefined || (service !== "scheduler" && findToken(sources, service) === undefined)) {
    throw missingSettings(sources, service, dialect);
  }
  return {
    ...settingsWithoutFiles(sources, service, address, dialect),
    caCertificate: certificateOf(find("caCertificate")),
    clientCertificate: certificateOf(find("clientCertificate")),
    clientKey: certificateOf(find("clientKey")),
  };
}

export interface Foreseen {
  /** `undefined` without a valid address. */
  readonly settings?: ResolvedSettings;
  /** Why no request can succeed. */
  readonly failure?: string;
  /** Why requests will probably fail. */
  readonly warning?: string;
}

/**
 * Validates settings without a request, for previews.
 * Files are not read, because they may only exist where the update runs.
 */
export const foresee = rememberedBySources((sources: Sources, service: ServiceName): Foreseen => {
  try {
    const dialect = dialectOf(sources, service);
    const address = findSetting(sources, service, "address");
    if (address === undefined) {
      throw missingSettings(sources, service, dialect);
    }
    const settings = settingsWithoutFiles(sources, service, address, dialect);
    // A scheduler without ACLs needs no token. A provider process has no token before it is configured.
    const needsToken =
      service !== "scheduler" &&
      sources.configuration !== undefined &&
      findToken(sources, service) === undefined;
    return needsToken
      ? { settings, warning: missingSettings(sources, service, dialect).message }
      : { settings };
  } catch (error) {
    if (ConfigurationError.isInstance(error)) {
      return sources.configuration === undefined ? {} : { failure: error.message };
    }
    throw error;
  }
});

function settingsWithoutFiles(
  sources: Sources,
  service: ServiceName,
  address: Found,
  dialect: Dialect,
): ResolvedSettings {
  const find = (name: SettingName): Found | undefined => findSetting(sources, service, name);
  const basePath = basePaths[service];
  return {
    service,
    address: originOf(address, { service, dialect }),
    addressSource: address.source,
    ownAddress: hasOwnAddress(sources, service),
    basePath,
    token: () => currentToken(sources, service),
    headers: headersOf(find("headers")),
    serverName: find("serverName")?.value,
    insecureSkipVerify: booleanOf(find("insecureSkipVerify")),
    requestTimeoutMilliseconds: millisecondsOf(find("requestTimeout")),
    maxRetries: countOf(find("maxRetries"), 0),
    maxConcurrency: countOf(find("maxConcurrency"), 1),
    proxies: proxiesOf(sources),
    login: currentLogin(sources, service, dialect),
    dialect,
    namespace: namespaceOf(find("namespace")),
    movedFrom: listOf(sources.configuration?.get(movedFromKey(service))),
    assumedGone: new Set(listOf(sources.environment.TRIVIUM_ASSUME_GONE)),
  };
}

export function dialectOf(sources: Sources, service: ServiceName): Dialect {
  const dialect = rememberedDialect(sources, service);
  if (dialect === undefined) {
    throw unusable(findSetting(sources, service, "dialect"), 'must be "documented" or "hashicorp"');
  }
  return dialect;
}

const rememberedDialect = rememberedBySources(findDialect);

function missingSettings(sources: Sources, service: ServiceName, dialect: Dialect): ConfigurationError {
  if (hasOwnAddress(sources, service)) {
    const name = findSetting(sources, service, "address") === undefined ? "address" : "token";
    return new ConfigurationError(`The ${service} service is not configured. Missing: ${name}.`, {
      advice:
        `Set ${name === "token" ? "token or tokenFile" : name} in the trivium.Provider or the call that sets the ` +
        "address. Settings of the stack and the environment are not used for that address.",
    });
  }
  const missing: string[] = [];
  if (findSetting(sources, service, "address") === undefined) {
    missing.push(places(service, dialect, "address"));
  }
  if (findToken(sources, service) === undefined) {
    missing.push(places(service, dialect, "token"));
  }
  const provider = `Or pass them to a provider: new trivium.Provider("name", { ${service}: { address, token } }).`;
  return new ConfigurationError(`The ${service} service is not configured. Missing: ${missing.join("; ")}.`, {
    advice: sources.advice === undefined ? provider : `${provider} ${sources.advice}`,
  });
}

function places(service: ServiceName, dialect: Dialect, name: "address" | "token"): string {
  const key = configurationKey(service, name);
  const variables = variablesOf(dialect, service, name);
  const last = variables.at(-1) ?? "";
  const list = variables.length > 1 ? `${variables.slice(0, -1).join(", ")} or ${last}` : last;
  return `${name} (\`${configurationCommand(key, name === "token")}\` or the environment variable ${list})`;
}

function originOf(found: Found, { service, dialect }: SettingOwner): string {
  const unusableAddress = (problem: string): ConfigurationError =>
    unusable(
      found,
      problem,
      `Set the ${places(service, dialect, "address")}, or the provider argument \`${service}.address\`.`,
    );
  const basePath = basePaths[service];
  let url: URL;
  try {
    url = new URL(found.value);
  } catch {
    throw unusableAddress(notUrl(found.value));
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw unusableAddress(notUrl(found.value));
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw unusableAddress("must not have credentials, a query or a fragment");
  }
  const prefix = url.pathname.replace(/\/+$/, "");
  return url.origin + (prefix.endsWith(basePath) ? prefix.slice(0, -basePath.length) : prefix);
}

/** Shows a value only if it looks like a host. Any other value may be a misplaced secret. */
function notUrl(value: string): string {
  const problem = "is not a valid URL such as https://example.com";
  const host = /^\s*([a-z]+:\/+)?([a-z\d-]+(?:\.[a-z\d-]+)*(?::\d{1,5})?)\/?\s*$/.exec(value);
  if (host === null || value.length > 100 || !/[.:]/.test(value)) {
    return problem;
  }
  const shown = `${problem}: it is ${JSON.stringify(showable(value.trim()))}`;
  return host[1] === undefined ? `${shown}, and https:// is missing` : shown;
}

function currentLogin(sources: Sources, service: ServiceName, dialect: Dialect): Login | undefined {
  const found = findToken(sources, service);
  if (found?.kind !== "login") {
    return undefined;
  }
  if (found.rival !== undefined) {
    throw unusable(found, `is a login, but ${found.rival} is a token: only one of them can be used`);
  }
  if (dialect === "documented") {
    throw unusable(
      found,
      `is a login, which the documented ${service} service does not have`,
      `For ${productOf(service)}, set ${nameOfSetting({ service, dialect }, "dialect")} to hashicorp.`,
    );
  }
  return loginOf(service, found, sources.environment);
}

const rememberedToken = rememberedBySources(findToken);

async function currentToken(sources: Sources, service: ServiceName): Promise<Token | undefined> {
  const found = rememberedToken(sources, service);
  if (found?.kind !== "tokenFile") {
    return found?.kind === "login" ? undefined : found;
  }
  try {
    return {
      value: (await readFile(found.value, "utf8")).trim(),
      source: `the file ${found.value}, named by ${found.source}`,
    };
  } catch (error) {
    throw unusable(found, `is not a readable file (${codeOf(error)})`);
  }
}

function certificateOf(found: Found | undefined): string | undefined {
  if (found === undefined || found.value.trimStart().startsWith("-----")) {
    return found?.value;
  }
  try {
    return readFileSync(found.value, "utf8");
  } catch (error) {
    throw unusable(found, `is neither PEM nor a readable file (${codeOf(error)})`);
  }
}

function headersOf(found: Found | undefined): Readonly<Record<string, string>> | undefined {
  if (found === undefined) {
    return undefined;
  }
  let headers: unknown;
  try {
    headers = JSON.parse(found.value);
  } catch {
    headers = undefined;
  }
  const isRecord = typeof headers === "object" && headers !== null && !Array.isArray(headers);
  if (!isRecord || !Object.values(headers as object).every((value) => typeof value === "string")) {
    throw unusable(found, 'is not a JSON object of strings such as {"X-Team": "platform"}');
  }
  const named = Object.entries(headers as Record<string, string>);
  const invalid = named.find(([name, value]) => !headerName.test(name) || !headerText.test(value));
  if (invalid !== undefined) {
    throw unusable(found, `has the header ${JSON.stringify(invalid[0])}, whose name or value is not valid`);
  }
  return Object.fromEntries(named);
}

function namespaceOf(found: Found | undefined): string | undefined {
  if (found !== undefined && !headerText.test(found.value)) {
    throw unusable(found, "contains a line break or another character that is not allowed in a header");
  }
  const namespace = withoutSlashes(found?.value ?? "");
  return namespace === "" ? undefined : namespace;
}

/** Namespaces are paths: `team` and `team/` are the same. */
export function withoutSlashes(namespace: string): string {
  return namespace.trim().replace(/^\/+|\/+$/g, "");
}

function booleanOf(found: Found | undefined): boolean | undefined {
  switch (found?.value.toLowerCase()) {
    case undefined:
      return undefined;
    case "true":
    case "t":
    case "1":
      return true;
    case "false":
    case "f":
    case "0":
      return false;
    default:
      throw unusable(found, "must be true or false");
  }
}

function millisecondsOf(found: Found | undefined): number | undefined {
  if (found === undefined) {
    return undefined;
  }
  const seconds = parseDuration(found.value);
  if (seconds === undefined || seconds === 0) {
    throw unusable(found, 'is not a duration such as "30s"');
  }
  // Timers use whole milliseconds, and decimal fractions have rounding errors.
  const milliseconds = Math.max(1, Math.round(seconds * 1000));
  if (milliseconds > longestTimer) {
    throw unusable(found, "must not exceed 24 days");
  }
  return milliseconds;
}

function countOf(found: Found | undefined, least: number): number | undefined {
  if (found === undefined) {
    return undefined;
  }
  const count = /^\d+$/.test(found.value.trim()) ? Number(found.value) : Number.NaN;
  if (!(count >= least && count <= largestNumber)) {
    throw unusable(found, `must be a whole number of at least ${least}`);
  }
  return count;
}

function listOf(text = ""): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function proxiesOf({ environment }: Sources): ProxySettings {
  const variable = (name: string): string | undefined => environment[name.toLowerCase()] ?? environment[name];
  return {
    httpProxy: variable("HTTP_PROXY"),
    httpsProxy: variable("HTTPS_PROXY"),
    noProxy: variable("NO_PROXY"),
  };
}

/** Never repeats the value, which may be a secret. */
function unusable(found: Found | undefined, problem: string, advice?: string): ConfigurationError {
  const source = found?.source ?? "the configuration";
  const subject = source.charAt(0).toUpperCase() + source.slice(1);
  return new ConfigurationError(`${subject} ${problem}.`, { advice });
}
