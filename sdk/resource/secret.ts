import type { JsonObject, JsonValue } from "../base/json";
import { isObject } from "../base/json";

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
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.shift();
    if (typeof next === "string") {
      texts.push(next);
    } else if ((Array.isArray(next) || isObject(next)) && !seen.has(next)) {
      seen.add(next);
      for (const inner of Object.values(next)) {
        rest.push(inner);
      }
    }
  }
  return texts;
}

/** What is marked as secret in a value; `undefined` where the value itself is not. */
export function secretWithin(value: JsonValue): JsonValue | undefined {
  return isWrappedSecret(value) ? (value.value ?? null) : undefined;
}
