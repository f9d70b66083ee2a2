import type { JsonObject, JsonValue } from "../../base/json";
import { isObject } from "../../base/json";

/** Marks an object of the engine's protocol that is not plain data. */
export const signatureKey = "4dabf18193072939515e22adb298388d";
/** For secrets, which the engine stores encrypted. */
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

export function wrapSecret(value: JsonValue): JsonObject {
  return isWrappedSecret(value) ? value : { [signatureKey]: secretSignature, value };
}

function isWrappedSecret(value: JsonValue): value is JsonObject {
  return isObject(value) && value[signatureKey] === secretSignature;
}

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

export function secretWithin(value: JsonValue): JsonValue | undefined {
  return isWrappedSecret(value) ? (value.value ?? null) : undefined;
}
