import { isObject } from "../../base/json";
import { processRedactor } from "../../base/redactor";
import {
  configurationKey,
  credentials,
  nameOfSetting,
  productVariables,
  providerTypes,
  type ServiceName,
  type SettingName,
  settingsOf,
} from "../../base/settings";
import { nameInUrn } from "../../base/urn";
import { foresee } from "../../connection/resolve";
import { proxyFor } from "../../http/proxy";
import { settingsIn } from "../../connection/found";
import type { ConfigurationReader, Sources } from "../../connection/sources";
import { signatureKey } from "../../resource/state/encoding";
import { type StateResource, resourcesOfStack } from "../adapter/stacks";
import { askPulumi } from "../pulumi-cli";

/** Also registers the stack's secrets for redaction. */
export async function readStackConfiguration(stack: string, signal: AbortSignal) {
  const args = ["config", "--show-secrets", "--json", "--stack", stack];
  const what = `The configuration of the stack ${stack}`;
  const configuration = await askPulumi(args, signal, what);
  if (!isObject(configuration)) {
    throw new Error(`${what} could not be read: the output of the Pulumi CLI is not a configuration.`);
  }
  const values = new Map<string, string>();
  const secrets = new Set<string>();
  for (const [key, entry] of Object.entries(configuration)) {
    if (isObject(entry) && typeof entry.value === "string") {
      values.set(key, entry.value);
      if (entry.secret === true) {
        secrets.add(key);
        processRedactor.register(entry.value);
      }
    }
  }
  return {
    keys: [...values.keys()],
    isSecret: (key: string) => secrets.has(key),
    get: (key: string) => values.get(key),
    describe: (key: string) =>
      values.has(key) ? `the configuration value ${key} of the stack ${stack}` : undefined,
  };
}

export type StackConfiguration = Awaited<ReturnType<typeof readStackConfiguration>>;

/** A `trivium.Provider` in the state of a stack. */
export interface StoredProvider {
  readonly name: string;
  readonly settings: ConfigurationReader;
}

/**
 * The providers that a program of the stack has made, for a service that they reach in another way than the stack's
 * configuration does. Also registers their secrets for redaction.
 */
export async function storedProviders(
  stack: string,
  signal: AbortSignal,
): Promise<readonly StoredProvider[]> {
  const resources = await resourcesOfStack(stack, signal, "--show-secrets");
  return resources
    .flatMap((resource) => providerIn(resource, stack))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

function providerIn({ type, urn, inputs }: StateResource, stack: string): readonly StoredProvider[] {
  const name = typeof urn === "string" ? nameInUrn(urn) : "";
  // The engine's own providers repeat the stack's configuration.
  const isExplicit =
    Object.values(providerTypes).some((each) => each === type) && !/^default(?:_|$)/.test(name);
  if (!isExplicit || !isObject(inputs)) {
    return [];
  }
  const get = (key: string): string | undefined => plainText(inputs[key]);
  const describe = (key: string): string | undefined =>
    get(key) === undefined
      ? undefined
      : `the trivium.Provider ${name} in the state of the stack ${stack} (${key})`;
  return [{ name, settings: { get, describe } }];
}

/** An exported secret contains its JSON. */
function plainText(value: unknown): string | undefined {
  if (!isObject(value) || value[signatureKey] === undefined || typeof value.plaintext !== "string") {
    return typeof value === "string" ? value : undefined;
  }
  const secret: unknown = JSON.parse(value.plaintext);
  if (typeof secret !== "string") {
    return undefined;
  }
  processRedactor.register(secret);
  return secret;
}

/** Whether the provider reaches the service in another way than the sources. */
export function differs(
  { settings }: StoredProvider,
  { configuration }: Sources,
  service: ServiceName,
): boolean {
  const keys = settingsOf(service).map(([name]) => configurationKey(service, name));
  const isNamed = keys.some((key) => settings.get(key) !== undefined);
  return isNamed && keys.some((key) => settings.get(key) !== configuration?.get(key));
}

export interface SettingInUse {
  readonly name: SettingName | "proxy";
  readonly source: string;
  readonly secret: boolean;
  /** Absent if it could be or contain a secret: an address can contain a password. */
  readonly value?: string | undefined;
}

/** In the order of the reference; of the tokens only the one in use. */
export function settingsInUse(sources: Sources, service: ServiceName): readonly SettingInUse[] {
  const { values, credential } = settingsIn(sources, service);
  const { settings } = foresee(sources, service);
  // The path of a mount, or the name of an auth method.
  const { path, method = path } = settings?.login?.members ?? {};
  const proxy = settings && proxyFor(settings.proxies ?? {}, new URL(settings.address));
  const used = settingsOf(service).flatMap(([name, { secret = false, shown = false }]) => {
    const isOther = credentials.some((each) => each === name) && credential?.kind !== name;
    const found = isOther ? undefined : credential?.kind === name ? credential : values[name];
    const value = name === "login" ? method : shown ? found?.value : undefined;
    return found === undefined ? [] : [{ name, source: found.source, secret, value }];
  });
  return proxy === undefined
    ? used
    : [
        ...used,
        {
          name: "proxy",
          source: `the environment variable ${proxy.variable}`,
          secret: false,
          value: proxy.address,
        },
      ];
}

/** What to do if settings are missing. */
export function adviceOnMissing(sources: Sources, service: ServiceName): string {
  // The variables of a product are only read in its dialect.
  const unread = productVariables("hashicorp", service, "address").find(
    (variable) => (sources.environment[variable] ?? "") !== "",
  );
  if (unread !== undefined && settingsIn(sources, service).values.address === undefined) {
    const dialect = nameOfSetting({ service, dialect: "documented" }, "dialect");
    return `${unread} is set, but has no effect unless ${dialect} is hashicorp.`;
  }
  return sources.configuration === undefined
    ? "Only the environment was checked: to include the configuration of a stack, use --stack NAME."
    : "";
}
