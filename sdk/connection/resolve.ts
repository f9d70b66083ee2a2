import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { codeOf, ConfigurationError } from "../base/errors";
import { itemsOf } from "../base/json";
import {
  configurationCommand,
  configurationKey,
  type Dialect,
  isProduct,
  nameOfSetting,
  type ServiceName,
  type Setting,
  type SettingName,
  settings as rows,
  unreadVariablesOf,
  variablesOf,
} from "../base/settings";
import { listed, showable } from "../base/shown-text";
import { productOf } from "../http/advice";
import { proxyFor, proxyVariablesIn, unclearBypass } from "../http/proxy";
import type { Pem, Token, TransportSettings } from "../http/transport";
import { type Credential, settingsIn } from "./found";
import { type Login, loginOf } from "./login/settings";
import { type Found, oncePerService, type Sources } from "./sources";
import { booleanOf, countOf, headersOf, millisecondsOf, namespaceOf, unquoted, unusable } from "./values";

const basePaths: Readonly<Record<ServiceName, string>> = {
  provisioning: "/api/v2",
  secrets: "/v1",
  scheduler: "/v1",
};

/** Complete except for the authentication header, which differs between services. */
export interface ResolvedSettings extends TransportSettings {
  readonly ownAddress: boolean;
  readonly basePath: string;
  readonly dialect: Dialect;
  readonly namespace: string | undefined;
  readonly login: Login | undefined;
  /** Former identities or addresses of this service. */
  readonly movedFrom: readonly string[];
  /** IDs of objects that the user declares to be deleted. */
  readonly assumedGone: ReadonlySet<string>;
}

/** @throws ConfigurationError if a setting is missing or invalid */
export function resolveSettings(sources: Sources, service: ServiceName): ResolvedSettings {
  const { settings, lacksToken } = settingsWithoutFiles(sources, service);
  if (lacksToken) {
    throw missingSettings(sources, service, settings.dialect);
  }
  const { values } = settingsIn(sources, service);
  const pemOf = (name: SettingName): Pem | undefined => {
    const found = values[name];
    return found && certificateOf(unquoted(found));
  };
  return {
    ...settings,
    caCertificate: pemOf("caCertificate"),
    clientCertificate: pemOf("clientCertificate"),
    clientKey: pemOf("clientKey"),
  };
}

export interface Foreseen {
  /** `undefined` without a valid address. */
  readonly settings?: ResolvedSettings;
  readonly lacksToken?: boolean;
  /** Why no request can succeed. */
  readonly failure?: string;
  /** Why requests are likely to fail. */
  readonly warning?: string | undefined;
}

/**
 * Validates settings without a request, for previews. Files are not read, because they might only exist where
 * the update runs.
 */
export const foresee = oncePerService((sources, service): Foreseen => {
  // A provider process does not have settings until it is configured.
  const isConfigured = sources.configuration !== undefined;
  try {
    const { settings, lacksToken } = settingsWithoutFiles(sources, service);
    const missing = lacksToken ? missingSettings(sources, service, settings.dialect).message : undefined;
    const inClear = lacksToken ? undefined : sentInClear(settings);
    const warnings = isConfigured ? [missing, inClear, ...withoutEffect(sources, settings)] : [];
    return { settings, lacksToken, warning: warnings.filter(Boolean).join(" ") || undefined };
  } catch (error) {
    if (ConfigurationError.isInstance(error)) {
      return isConfigured ? { failure: error.message } : {};
    }
    throw error;
  }
});

const thisMachine = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export function isThisMachine(address: string): boolean {
  return thisMachine.test(new URL(address).hostname);
}

export function httpsAdvice(settings: Pick<ResolvedSettings, "service" | "dialect" | "ownAddress">): string {
  return `If the service supports HTTPS, start ${nameOfSetting(settings, "address")} with https://.`;
}

/** @returns a warning about a token that others on the network can read */
export function sentInClear(
  settings: Pick<ResolvedSettings, "service" | "dialect" | "ownAddress" | "address">,
): string | undefined {
  const { service, address } = settings;
  return new URL(address).protocol === "http:" && !isThisMachine(address)
    ? `The token of the ${service} service is sent unencrypted to ${address}. ${httpsAdvice(settings)}`
    : undefined;
}

/** What the user has set but the library does not read: one or two sentences each. */
export function withoutEffect(
  sources: Sources,
  settings: Pick<ResolvedSettings, "service" | "dialect" | "ownAddress" | "address" | "proxies">,
): string[] {
  const { service, dialect, ownAddress, address, proxies = {} } = settings;
  const { values, credential } = settingsIn(sources, service);
  const bypass = unclearBypass(proxies, new URL(address));
  const own = unreadVariablesOf({ service, dialect }).flatMap(([variable, name]) => {
    const isSet = !ownAddress && (sources.environment[variable] ?? "") !== "";
    const source = (name === "token" ? credential : name && values[name])?.source;
    const isReplaced = source !== undefined && !/ (?:VAULT|NOMAD|TFE)_\w+$/.test(source);
    const instead = name === undefined ? "HTTPS_PROXY or HTTP_PROXY" : nameOfSetting(settings, name);
    return isSet && !isReplaced ? `${variable} is set, but has no effect: set ${instead} instead.` : [];
  });
  return [...own, ...(bypass === undefined ? [] : [bypass])];
}

function settingsWithoutFiles(
  sources: Sources,
  service: ServiceName,
): { readonly settings: ResolvedSettings; readonly lacksToken: boolean } {
  const dialect = dialectOf(sources, service);
  const { values, credential, ownAddress } = settingsIn(sources, service);
  const read = <Value>(
    name: SettingName,
    valueOf: (found: Found, row: Setting) => Value,
  ): Value | undefined => {
    const found = values[name];
    // Headers are JSON and have their own message.
    return found && valueOf(name === "headers" ? found : unquoted(found), rows[name]);
  };
  const { address } = values;
  if (address === undefined) {
    throw missingSettings(sources, service, dialect);
  }
  [address, ...(credential === undefined ? [] : [credential])].forEach(unquoted);
  const { environment } = sources;
  const origin = originOf(address, service, dialect);
  const proxies = proxyVariablesIn(environment);
  proxyFor(proxies, new URL(origin));
  const settings = {
    service,
    address: origin,
    addressSource: address.source,
    ownAddress,
    basePath: basePaths[service],
    token: () => currentToken(credential),
    headers: read("headers", headersOf),
    serverName: read("serverName", ({ value }) => value),
    insecureSkipVerify: read("insecureSkipVerify", booleanOf),
    requestTimeoutMilliseconds: read("requestTimeout", millisecondsOf),
    maxRetries: read("maxRetries", countOf),
    maxConcurrency: read("maxConcurrency", countOf),
    proxies,
    login: loginIn(credential, sources, service, dialect),
    dialect,
    namespace: read("namespace", (found) => namespaceOf(found, service, dialect)),
    query: read("region", ({ value: region }) => ({ region })),
    movedFrom: itemsOf(values.movedFrom?.value ?? ""),
    assumedGone: new Set(itemsOf(environment.TRIVIUM_ASSUME_GONE ?? "")),
  };
  // A scheduler without ACLs does not require a token.
  return { settings, lacksToken: service !== "scheduler" && credential === undefined };
}

export function dialectOf(sources: Sources, service: ServiceName): Dialect {
  const { dialect, values } = settingsIn(sources, service);
  if (dialect === undefined) {
    throw unusable(values.dialect, 'must be "documented" or "hashicorp"');
  }
  return dialect;
}

function missingSettings(sources: Sources, service: ServiceName, dialect: Dialect): ConfigurationError {
  const { values, credential, ownAddress: isOwn } = settingsIn(sources, service);
  const missing = [
    ...(values.address === undefined ? (["address"] as const) : []),
    ...(credential === undefined ? (["token"] as const) : []),
  ];
  const [first = "address"] = missing;
  const names = isOwn ? first : missing.map((name) => places(service, dialect, name)).join("; ");
  const advice = isOwn
    ? `Set ${first === "token" ? "token or tokenFile" : "address"} in the trivium.Provider or the call that sets the ` +
      "address. Settings of the stack and the environment are not used for that address."
    : `Or pass them to a provider: new trivium.Provider("name", { ${service}: { address, token } }). ` +
      (sources.advice?.(service) ?? "");
  return new ConfigurationError(`The ${service} service is not configured. Missing: ${names}.`, {
    advice: advice.trim(),
  });
}

function places(service: ServiceName, dialect: Dialect, name: "address" | "token"): string {
  const key = configurationKey(service, name);
  const variables = listed(variablesOf(dialect, service, name), "or");
  return `${name} (\`${configurationCommand(key, name === "token")}\` or the environment variable ${variables})`;
}

function originOf(found: Found, service: ServiceName, dialect: Dialect): string {
  const refuse = (problem: string): never => {
    const advice = `Set the ${places(service, dialect, "address")}, or the provider argument \`${service}.address\`.`;
    throw unusable(found, problem, advice);
  };
  if (/^\s*(?:[a-z]+\+)?unix:/i.test(found.value)) {
    refuse("is a Unix socket, which is not supported: the library only connects over TCP");
  }
  // A URL parser removes line breaks and encodes spaces.
  const hasBlanks = /\s/.test(found.value.trim());
  if (hasBlanks || !URL.canParse(found.value) || !/^https?:$/.test(new URL(found.value).protocol)) {
    refuse(notUrl(found.value));
  }
  const url = new URL(found.value);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    refuse("must not have credentials, a query or a fragment");
  }
  const basePath = basePaths[service];
  const prefix = url.pathname.replace(/\/+$/, "");
  return url.origin + (prefix.endsWith(basePath) ? prefix.slice(0, -basePath.length) : prefix);
}

/** Shows a value only if it looks like a host. Any other value might be a misplaced secret. */
function notUrl(value: string): string {
  const problem = "is not a valid URL such as https://example.com";
  const host = /^\s*([a-z]+:\/+)?([a-z\d-]+(?:\.[a-z\d-]+)*(?::\d{1,5})?)\/?\s*$/.exec(value);
  if (host === null || value.length > 100 || !/[.:]/.test(value)) {
    return problem;
  }
  const shown = `${problem}: it is ${JSON.stringify(showable(value.trim()))}`;
  return host[1] === undefined ? `${shown}, and https:// is missing` : shown;
}

function loginIn(
  found: Credential | undefined,
  sources: Sources,
  service: ServiceName,
  dialect: Dialect,
): Login | undefined {
  if (found?.kind !== "login") {
    return undefined;
  }
  if (found.conflicting !== undefined) {
    throw unusable(found, `is a login, but ${found.conflicting} is a token: only one of them can be used`);
  }
  if (!isProduct[dialect]) {
    throw unusable(
      found,
      `is a login, which the documented ${service} service does not support`,
      `For ${productOf(service)}, set ${nameOfSetting({ service, dialect }, "dialect")} to hashicorp.`,
    );
  }
  return loginOf(service, found, sources.environment);
}

async function currentToken(found: Credential | undefined): Promise<Token | undefined> {
  if (found?.kind !== "tokenFile") {
    return found?.kind === "login" ? undefined : found;
  }
  try {
    const source = `the file ${found.value}, named by ${found.source}`;
    return unquoted({ value: (await readFile(found.value, "utf8")).trim(), source });
  } catch (error) {
    if (ConfigurationError.isInstance(error)) {
      throw error;
    }
    throw unusable(found, `is not a readable file (${codeOf(error)})`);
  }
}

/** The text itself, or a function that reads the file, which might have changed since the last connection. */
function certificateOf(found: Found): Pem {
  if (found.value.trimStart().startsWith("-----")) {
    return found.value;
  }
  const read = (): string => {
    try {
      return readFileSync(found.value, "utf8");
    } catch (error) {
      throw unusable(found, `is neither PEM nor a readable file (${codeOf(error)})`);
    }
  };
  read();
  return read;
}
