import {
  configurationKey,
  type Dialect,
  type Setting,
  type SettingName,
  settings,
  variablesOf,
} from "./settings";
import type { ServiceName } from "./settings";

/** Whose settings are meant. */
export interface SettingOwner {
  readonly service: ServiceName;
  readonly dialect: Dialect;
  /** Whether a provider or a call gives the address: then other places do not count for what decides about trust. */
  readonly ownAddress?: boolean | undefined;
}

/** The names under which people give a setting: `caCertificate (trivium:secretsCaCertificate, SECRETS_CACERT)`. */
export function nameOfSetting({ service, dialect, ownAddress }: SettingOwner, name: SettingName): string {
  const setting: Setting = settings[name];
  if (ownAddress === true && setting.trust === true) {
    return `${name} (in the trivium.Provider or the call that gives the address)`;
  }
  const places = [configurationKey(service, name), ...variablesOf(dialect, service, name)];
  return `${name} (${places.join(", ")})`;
}
