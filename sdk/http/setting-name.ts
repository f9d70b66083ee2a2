import { configurationKey, type Dialect, type SettingName, variablesOf } from "../connection/settings";
import type { ServiceName } from "../resource/definition";

/** Whose settings are meant. */
export interface SettingOwner {
  readonly service: ServiceName;
  readonly dialect: Dialect;
}

/** The names under which people give a setting: `caCertificate (trivium:secretsCaCertificate, SECRETS_CACERT)`. */
export function nameOfSetting({ service, dialect }: SettingOwner, name: SettingName): string {
  const places = [configurationKey(service, name), ...variablesOf(dialect, service, name)];
  return `${name} (${places.join(", ")})`;
}
