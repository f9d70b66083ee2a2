import { isObject, type JsonObject, type JsonValue } from "../base/json";
import { configurationKey, serviceNames } from "../base/settings";
import { type ConfigurationReader, ownAddressKey } from "../connection/sources";

/** Stack configuration has it before the names of all settings, and the engine takes it away. */
const prefix = "trivium:";

/**
 * Reads the settings that a provider was configured with. Those of a `trivium.Provider` have their full names, as with
 * dynamic resources: so state of either is right for the other.
 */
export function configurationOf(settings: JsonObject): ConfigurationReader {
  return {
    get: (key) => {
      const value = settings[key] ?? settings[withoutPrefix(key)];
      return value === undefined || value === null ? undefined : textOf(value);
    },
  };
}

/** Settings travel as texts; programs in other languages may also write lists, numbers and objects. */
function textOf(value: JsonValue): string {
  if (Array.isArray(value)) {
    return value.map(String).join(", ");
  }
  return isObject(value) || typeof value !== "string" ? JSON.stringify(value) : value;
}

/** How the engine names a default provider: by the package's version and its download URL, where it knows them. */
const defaultName = /^default(?:_\d+_\d+_\d+.*|_\w+_\/.*)?$/;

/**
 * What an explicit provider of another language leaves to say: where it gives the address of a service, only it says
 * whom that service trusts. A default provider has its settings from stack configuration. Programs may use its name
 * too, so the address has to be the stack's.
 */
export function ownAddresses(urn: string, settings: JsonObject): JsonObject {
  const ofStack = defaultName.test(urn.slice(urn.lastIndexOf("::") + 2)) ? stackConfiguration() : {};
  const own = serviceNames.filter((service) => {
    const name = withoutPrefix(configurationKey(service, "address"));
    return settings[name] !== undefined && settings[name] !== ofStack[name];
  });
  return Object.fromEntries(own.map((service) => [withoutPrefix(ownAddressKey(service)), "true"]));
}

/** The stack configuration of the package, which the engine gives to its plugin. */
function stackConfiguration(): Readonly<Record<string, unknown>> {
  const configuration: unknown = JSON.parse(process.env.PULUMI_CONFIG ?? "{}");
  return isObject(configuration) ? configuration : {};
}

/** The name of a setting as the plugin's own configuration has it. */
function withoutPrefix(key: string): string {
  return key.startsWith(prefix) ? key.slice(prefix.length) : "";
}
