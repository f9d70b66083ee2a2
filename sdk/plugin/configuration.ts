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

/** The prefix of settings in stack configuration, which the engine removes. */
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

/** The engine's own keys among the settings of a provider. */
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
 * Programs in other languages do not have types that rule out every mistake. Invalid values in stack
 * configuration only cause warnings, as with dynamic resources.
 *
 * @returns the settings with secret ones encrypted, and the reasons for a rejection, which never repeat a
 * value
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

/** Default providers are named after the package's version and download URL, if the engine knows them. */
const defaultName = /^default(?:_\d+_\d+_\d+.*|_\w+_\/.*)?$/;

/**
 * Whether stack configuration does not apply to a service: an explicit provider that sets the address also
 * sets the trust settings. A default provider has the stack's address. Its name does not prove that it is
 * one, because programs can use the same name.
 */
export function ownAddresses(urn: string, settings: JsonObject): JsonObject {
  const ofStack = defaultName.test(nameInUrn(urn)) ? stackConfiguration() : {};
  const own = serviceNames.filter((service) => {
    const name = withoutPrefix(configurationKey(service, "address"));
    return settings[name] !== undefined && settings[name] !== ofStack[name];
  });
  return Object.fromEntries(own.map((service) => [withoutPrefix(ownAddressKey(service)), "true"]));
}

/** The engine passes the package's stack configuration to its plugin. */
function stackConfiguration(): Readonly<Record<string, unknown>> {
  const configuration: unknown = JSON.parse(process.env.PULUMI_CONFIG ?? "{}");
  return isObject(configuration) ? configuration : {};
}

function withoutPrefix(key: string): string {
  return key.startsWith(prefix) ? key.slice(prefix.length) : "";
}
