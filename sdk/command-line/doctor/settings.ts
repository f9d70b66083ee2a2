import { isObject } from "../../base/json";
import { processRedactor } from "../../base/redactor";
import {
  credentials,
  nameOfSetting,
  productVariables,
  type ServiceName,
  type SettingName,
  settingsOf,
} from "../../base/settings";
import { foresee } from "../../connection/resolve";
import { proxyFor } from "../../http/proxy";
import { settingsIn } from "../../connection/found";
import type { Sources } from "../../connection/sources";
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

export interface SettingInUse {
  readonly name: SettingName | "proxy";
  readonly source: string;
  readonly secret: boolean;
  /** Absent if it could be or contain a secret: an address may contain a password. */
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
