import { isObject, type JsonObject, type JsonValue, sameJson } from "../base/json";
import { nearestName } from "../base/nearest";
import {
  adapterKey,
  configurationKey,
  ownAddressKey,
  problemOfSetting,
  providerSettings,
  serviceNames,
} from "../base/settings";
import { nameInUrn } from "../base/urn";
import { type ConfigurationReader, settingText } from "../connection/sources";
import { received, secretWithin, wrapSecret } from "../resource/state/encoding";

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

/** What the engine itself has among the settings of a provider. */
const ofEngine: ReadonlySet<string> = new Set([
  "version",
  "pluginDownloadURL",
  "pluginChecksums",
  "parameterization",
  "__internal",
]);
const ownNames = new Map(providerSettings.map((setting) => [withoutPrefix(setting.key), setting]));
const derived: ReadonlySet<string> = new Set([
  ...serviceNames.map((service) => withoutPrefix(ownAddressKey(service))),
  withoutPrefix(adapterKey),
]);

/**
 * Programs in other languages have no types, or none that know all. Values of stack configuration are only warned of,
 * as for dynamic resources.
 *
 * @returns the settings with secret ones encrypted, and why they are rejected; no reason repeats a value
 */
export function checkSettings(settings: JsonObject) {
  const ofStack = stackConfiguration();
  const problems: string[] = [];
  const warnings: string[] = [];
  const inputs = Object.entries(settings).map(([key, value]): [string, JsonValue] => {
    const name = key.startsWith(prefix) ? withoutPrefix(key) : key;
    const setting = ownNames.get(name);
    const { [key]: plain = null } = received({ [key]: value }).values;
    if (setting === undefined && !derived.has(name) && !ofEngine.has(name)) {
      const near = nearestName(name, ownNames.keys());
      const problem = `${key} is not a valid setting${near === undefined ? "." : `; did you mean ${near}?`}`;
      (sameJson(ofStack[name], plain) ? warnings : problems).push(problem);
    }
    const problem = setting && problemOfSetting(setting, plain);
    problems.push(...(problem === undefined ? [] : [`${key} ${problem}`]));
    const encrypts = setting?.secret === true && plain !== null && secretWithin(value) === undefined;
    return [key, encrypts ? wrapSecret(plain) : value];
  });
  return { inputs: Object.fromEntries(inputs), problems, warnings };
}

/** Default providers are named by the package's version and download URL, where the engine knows them. */
const defaultName = /^default(?:_\d+_\d+_\d+.*|_\w+_\/.*)?$/;

/**
 * An explicit provider that sets a service's address also decides whom to trust: stack configuration does not apply.
 * A default provider has the stack's address; its name alone is no proof, since programs may use it too.
 */
export function ownAddresses(urn: string, settings: JsonObject): JsonObject {
  const ofStack = defaultName.test(nameInUrn(urn)) ? stackConfiguration() : {};
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
