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

/** In the order of the reference; of the tokens only the one in use. */
export function settingsInUse(sources: Sources, service: ServiceName): readonly SettingInUse[] {
  const token = findToken(sources, service);
  // The path of a mount, or the name of an auth method.
  const { path, method = path } = foresee(sources, service).settings?.login?.members ?? {};
  return settingsOf(service).flatMap(([name]): SettingInUse[] => {
    const isToken = name === "token" || name === "tokenFile" || name === "login";
    const found = isToken ? (token?.kind === name ? token : undefined) : findSetting(sources, service, name);
    const value = name === "login" ? method : shown.includes(name) ? found?.value : undefined;
    return found === undefined
      ? []
      : [{ name, source: found.source, ...(value === undefined ? {} : { value }) }];
  });
}

/** @param required whether a service without any settings is a problem */
export function missingSettings(
  sources: Sources,
  service: ServiceName,
  required: boolean,
): { readonly configured: boolean; readonly missing?: Finding } {
  const lacks = { address: !findSetting(sources, service, "address"), token: !findToken(sources, service) };
  const names = (["address", "token"] as const).filter((name) => lacks[name]);
  const configured = names.length < 2;
  if (names.length === 0) {
    return { configured };
  }
  const dialect = findDialect(sources, service) ?? "documented";
  const places = names.map((name) =>
    listed([configurationKey(service, name), ...variablesOf(dialect, service, name)], "or"),
  );
  const stack =
    sources.configuration === undefined
      ? " Only the environment was checked: to include the configuration of a stack, use --stack NAME."
      : "";
  const unread = lacks.address ? unreadVariable(sources, service) : undefined;
  const missing: Finding = {
    check: "settings",
    state: configured || required ? "problem" : "note",
    message: configured ? `no ${listed(names)} is set` : "not configured",
    advice: unread ?? `Set ${listed(places)}.${stack}`,
    code: configured ? "INCOMPLETE_SETTINGS" : "NOT_CONFIGURED",
  };
  return { configured, missing };
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
