import { isObject } from "../../base/json";

/** The engine's placeholder in a preview for an unknown value of any type. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** One per type. Node.js programs only send the first; the others come from the engine and from other languages. */
const unknownSentinels: ReadonlySet<unknown> = new Set([
  unknownValue, // any, and string
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // array
  "030794c1-ac77-496b-92df-f27374a8bd58", // asset
  "e48ece36-62e2-4504-bad9-02848725956a", // archive
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
]);

export function containsUnknown(value: unknown): boolean {
  const seen = new Set<unknown>();
  const rest = [value];
  // Iterative, because values may be deep or cyclic.
  while (rest.length > 0) {
    const next = rest.pop();
    if (unknownSentinels.has(next)) {
      return true;
    }
    if ((Array.isArray(next) || isObject(next)) && !seen.has(next)) {
      seen.add(next);
      for (const inner of Object.values(next)) {
        rest.push(inner);
      }
    }
  }
  return false;
}
