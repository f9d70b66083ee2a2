import { isObject } from "../base/json";
import type { ServiceName } from "../base/settings";

/** Reads stack configuration, or the settings of an explicit provider, which have the same keys. */
export interface ConfigurationReader {
  get(key: string): string | undefined;
  /** The source of a value that is not from this key, such as an argument of a call. */
  describe?(key: string): string | undefined;
}

export interface Sources {
  readonly configuration: ConfigurationReader | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Additional advice if settings are missing. */
  readonly advice?: (service: ServiceName) => string;
}

/** Cached for the same sources, because a lookup takes as long as all other work on a request. */
export function oncePerService<Result>(
  find: (sources: Sources, service: ServiceName) => Result,
): (sources: Sources, service: ServiceName) => Result {
  const known = new WeakMap<Sources, Map<ServiceName, Result>>();
  return (sources, service) => {
    const ofSources = known.get(sources) ?? new Map<ServiceName, Result>();
    known.set(sources, ofSources);
    const result = ofSources.get(service) ?? find(sources, service);
    ofSources.set(service, result);
    return result;
  };
}

/** A value and its source, as text for messages. */
export interface Found {
  readonly value: string;
  readonly source: string;
}

export function providerSources(configuration: ConfigurationReader | undefined): Sources {
  return { configuration, environment: process.env };
}

export function foundInVariable({ environment }: Sources, variable: string): Found | undefined {
  return foundIn(environment[variable], `the environment variable ${variable}`);
}

/** @returns `undefined` for an empty value */
export function foundIn(value: string | undefined, source: string): Found | undefined {
  return value === undefined || value === "" ? undefined : { value, source };
}

/**
 * Settings are stored as strings. An output can resolve to null, and other languages can write numbers and
 * objects.
 */
export function settingText(value: unknown): string {
  const text = Array.isArray(value) ? value.join(", ") : (value ?? "");
  return typeof text === "string" ? text : JSON.stringify(text);
}

/** @returns `undefined` if the text is not a JSON object */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
