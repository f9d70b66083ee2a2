import type { JsonObject, JsonValue } from "./json";
import { isObject } from "./json";

// How a secret is marked between a provider and the engine, which keeps such a value encrypted.
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** Marks a value as secret in what a provider returns, so that the engine stores it encrypted. */
export function wrapSecret(value: JsonValue): JsonObject {
  return isWrappedSecret(value) ? value : { [signatureKey]: secretSignature, value };
}

function isWrappedSecret(value: JsonValue): value is JsonObject {
  return isObject(value) && value[signatureKey] === secretSignature;
}

/** Every text of an appreciable size inside a value: what must never be printed when the value is secret. */
export function textsWithin(value: unknown): string[] {
  if (typeof value === "string") {
    return [value];
  }
  if (Array.isArray(value)) {
    return value.flatMap(textsWithin);
  }
  return isObject(value) ? Object.values(value).flatMap(textsWithin) : [];
}
