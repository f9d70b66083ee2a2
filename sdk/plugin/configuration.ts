import { isObject, type JsonObject } from "../base/json";
import { configurationKey, serviceNames } from "../base/settings";
import { type ConfigurationReader, ownAddressKey, settingText } from "../connection/sources";

/** Prefix of setting names in stack configuration, which the engine removes. */
const prefix = "trivium:";

/** Settings of a `trivium.Provider` keep their full names: dynamic resources and the plugin read the same state. */
export function configurationOf(settings: JsonObject): ConfigurationReader {
  return {
    get: (key) => {
      const value = settings[key] ?? settings[withoutPrefix(key)];
      return value === undefined || value === null ? undefined : settingText(value);
    },
  };
}

/** Default providers are named by the package's version and download URL, where the engine knows them. */
const defaultName = /^default(?:_\d+_\d+_\d+.*|_\w+_\/.*)?$/;

/**
 * An explicit provider that sets a service's address also decides whom to trust: stack configuration does not apply.
 * A default provider has the stack's address; its name alone is no proof, since programs may use it too.
 */
export function ownAddresses(urn: string, settings: JsonObject): JsonObject {
  const ofStack = defaultName.test(urn.slice(urn.lastIndexOf("::") + 2)) ? stackConfiguration() : {};
  const own = serviceNames.filter((service) => {
    const name = withoutPrefix(configurationKey(service, "address"));
    return settings[name] !== undefined && settings[name] !== ofStack[name];
  });
  return Object.fromEntries(own.map((service) => [withoutPrefix(ownAddressKey(service)), "true"]));
}

/** The engine passes the stack configuration of the package to its plugin. */
function stackConfiguration(): Readonly<Record<string, unknown>> {
  const configuration: unknown = JSON.parse(process.env.PULUMI_CONFIG ?? "{}");
  return isObject(configuration) ? configuration : {};
}

function withoutPrefix(key: string): string {
  return key.startsWith(prefix) ? key.slice(prefix.length) : "";
}
