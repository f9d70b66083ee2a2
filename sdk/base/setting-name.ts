import {
  configurationKey,
  type Dialect,
  type Setting,
  type SettingName,
  settings,
  variablesOf,
} from "./settings";
import type { ServiceName } from "./settings";

export interface SettingOwner {
  readonly service: ServiceName;
  readonly dialect: Dialect;
  readonly ownAddress?: boolean | undefined;
}

/** For messages: `caCertificate (trivium:secretsCaCertificate, SECRETS_CACERT)`. */
export function nameOfSetting({ service, dialect, ownAddress }: SettingOwner, name: SettingName): string {
  const setting: Setting = settings[name];
  if (ownAddress === true && setting.trust === true) {
    return `${name} (in the trivium.Provider or the call that sets the address)`;
  }
  const places = [configurationKey(service, name), ...variablesOf(dialect, service, name)];
  return `${name} (${places.join(", ")})`;
}
