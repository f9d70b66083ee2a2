import { configurationKey, environmentVariable, type SettingName } from "../connection/settings";
import type { ServiceName } from "../resource/definition";

/** The names under which people give a setting: `caCertificate (trivium:secretsCaCertificate, SECRETS_CACERT)`. */
export function nameOfSetting(service: ServiceName, name: SettingName): string {
  const variable = environmentVariable(service, name);
  const places = [configurationKey(service, name), ...(variable === undefined ? [] : [variable])];
  return `${name} (${places.join(", ")})`;
}
