import { isObject, type JsonObject, type JsonValue } from "../base/json";
import { decodeEntry, decodeProgram, received, signatureKey } from "../resource/state/encoding";
import type { Entry, Program } from "../resource/state/entry";

/** The engine's special objects, by signature. */
const kinds: ReadonlyMap<unknown, string> = new Map([
  ["c44067f5952c0a294b673a41bacd8c17", "an asset"],
  ["0def7320c3a5731c473e5ecbe6d01bc7", "an archive"],
  ["5cf8f73096256a8f31e491e813e4eb8e", "a resource"],
  ["d0e6a833031e9bbcd3f4e8bde6ca49a4", "an output"],
]);

/** Such objects are not data: the service would receive the members of their encoding. */
export function foreignArguments(properties: JsonObject): { property: string; reason: string }[] {
  return Object.entries(received(properties).values).flatMap(([name, value]) => {
    const kind = foreignKind(value);
    // The engine would print the value of a property that a failure names.
    return kind === undefined ? [] : [{ property: "", reason: `${name} must be plain data, not ${kind}` }];
  });
}

function foreignKind(value: JsonValue): string | undefined {
  if (!isObject(value) && !Array.isArray(value)) {
    return undefined;
  }
  const own = isObject(value) ? kinds.get(value[signatureKey]) : undefined;
  return own ?? Object.values(value).map(foreignKind).find(Boolean);
}

/**
 * State of dynamic resources contains the URN and the names of secrets in hidden form; the plugin receives
 * both with each call.
 */
export function entryIn(properties: JsonObject | undefined, urn: string): Entry {
  const { values, secrets } = received(properties);
  return { ...decodeEntry(values), urn, secrets };
}

export function programIn(properties: JsonObject | undefined, urn: string): Program {
  const { values, secrets } = received(properties);
  return { ...decodeProgram(values), urn, secrets };
}

export function argumentsOf(properties: JsonObject | undefined): JsonObject {
  return decodeProgram(received(properties).values).args;
}
