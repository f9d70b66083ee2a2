import {
  configurationKey,
  type Dialect,
  type Setting,
  type SettingName,
  settings,
  variablesOf,
} from "./settings";
import type { ServiceName } from "./settings";

/** The connection that a setting belongs to. */
export interface SettingOwner {
  readonly service: ServiceName;
  readonly dialect: Dialect;
  /** Whether a provider or a call sets the address: then trust settings come from there alone. */
  readonly ownAddress?: boolean | undefined;
}

/** The names of a setting for messages: `caCertificate (trivium:secretsCaCertificate, SECRETS_CACERT)`. */
export function nameOfSetting({ service, dialect, ownAddress }: SettingOwner, name: SettingName): string {
  const setting: Setting = settings[name];
  if (ownAddress === true && setting.trust === true) {
    return `${name} (in the trivium.Provider or the call that sets the address)`;
  }
  const places = [configurationKey(service, name), ...variablesOf(dialect, service, name)];
  return `${name} (${places.join(", ")})`;
}
