import {
  configurationKey,
  dialects,
  type ServiceName,
  type SettingName,
  settingsOf,
  variablesOf,
} from "../../base/settings";
import { type Finding, listed } from "../../connection/probe";
import { foresee } from "../../connection/resolve";
import { findDialect, findSetting, findToken, type Sources } from "../../connection/sources";

/** A setting and its source. */
export interface SettingInUse {
  readonly name: SettingName;
  readonly source: string;
  /** Absent if it could be or contain a secret: an address may contain a password. */
  readonly value?: string;
}

/** Settings with informative values that cannot be secret, even by mistake. */
const shown: readonly SettingName[] = [
  "serverName",
  "insecureSkipVerify",
  "requestTimeout",
  "maxRetries",
  "maxConcurrency",
  "namespace",
  "dialect",
];

/** The settings of a service that are given somewhere, in the order of the reference; of the tokens the one in use. */
export function settingsInUse(sources: Sources, service: ServiceName): readonly SettingInUse[] {
  const token = findToken(sources, service);
  return settingsOf(service).flatMap(([name]): SettingInUse[] => {
    if (name === "token" || name === "tokenFile" || name === "login") {
      // The path of a mount, or the name of a method.
      const { path, method = path } = foresee(sources, service).settings?.login?.members ?? {};
      const value = name === "login" && method !== undefined ? { value: method } : {};
      return token?.kind === name ? [{ name, source: token.source, ...value }] : [];
    }
    const found = findSetting(sources, service, name);
    return found === undefined
      ? []
      : [{ name, source: found.source, ...(shown.includes(name) ? { value: found.value } : {}) }];
  });
}

const needed = ["address", "token"] as const;

type Needed = (typeof needed)[number];

/** Whether anything says where a service is, or with which token it is to be asked. */
export function isConfigured(sources: Sources, service: ServiceName): boolean {
  return missing(sources, service).length < needed.length;
}

/**
 * What is to be said when a service cannot be asked because its address or its token is not set.
 *
 * @param required whether it must be configured, when it is not at all
 * @returns `undefined` when nothing is missing
 */
export function missingSettings(
  sources: Sources,
  service: ServiceName,
  required: boolean,
): Finding | undefined {
  const names = missing(sources, service);
  if (names.length === 0) {
    return undefined;
  }
  const partly = names.length < needed.length;
  return {
    check: "settings",
    state: partly || required ? "problem" : "note",
    message: partly ? `no ${listed(names)} is set` : "not configured",
    advice:
      (names.includes("address") ? unreadVariable(sources, service) : undefined) ??
      whatToSet(sources, service, names),
    code: partly ? "INCOMPLETE_SETTINGS" : "NOT_CONFIGURED",
  };
}

function missing(sources: Sources, service: ServiceName): Needed[] {
  const found = {
    address: findSetting(sources, service, "address"),
    token: findToken(sources, service),
  };
  return needed.filter((name) => found[name] === undefined);
}

function whatToSet(sources: Sources, service: ServiceName, names: readonly Needed[]): string {
  const dialect = findDialect(sources, service) ?? "documented";
  const places = names.map((name) =>
    listed([configurationKey(service, name), ...variablesOf(dialect, service, name)], "or"),
  );
  const stack =
    sources.configuration === undefined
      ? " Only the environment was checked: to include the configuration of a stack, use --stack NAME."
      : "";
  return `Set ${listed(places)}.${stack}`;
}

/** The variables of a product are set, but the dialect does not read them. */
function unreadVariable(sources: Sources, service: ServiceName): string | undefined {
  const current = variablesOf(findDialect(sources, service) ?? "documented", service, "address");
  const [found] = dialects.flatMap((dialect) =>
    variablesOf(dialect, service, "address")
      .filter((variable) => !current.includes(variable) && (sources.environment[variable] ?? "") !== "")
      .map((variable) => ({ variable, dialect })),
  );
  const key = configurationKey(service, "dialect");
  const places = listed([key, ...variablesOf("documented", service, "dialect")], "or");
  return found && `${found.variable} is set, but has no effect unless ${places} is ${found.dialect}.`;
}
