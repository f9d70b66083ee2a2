import { type ServiceName, type SettingName, settingsOf } from "../../base/settings";
import { findSetting, findToken, type Sources } from "../../connection/sources";

/** A setting that was found, and where. */
export interface SettingInUse {
  readonly name: SettingName;
  readonly source: string;
  /** Absent where it could be a secret, or holds one: an address may have a password in it. */
  readonly value?: string;
}

/** Settings whose value tells something and can be no secret, not even by mistake. */
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
    if (name === "token" || name === "tokenFile") {
      return token?.kind === name ? [{ name, source: token.source }] : [];
    }
    const found = findSetting(sources, service, name);
    return found === undefined
      ? []
      : [{ name, source: found.source, ...(shown.includes(name) ? { value: found.value } : {}) }];
  });
}
