import { parseDuration } from "../../base/duration";
import { type JsonValue, sameJson } from "../../base/json";

/**
 * Normalizes the spellings of a value, so that equal values are equal. Only used for comparisons, never sent.
 * It never throws: a value that it does not understand is returned unchanged.
 */
export type Canonical = (value: JsonValue) => JsonValue;

/** `3600`, `"3600"`, `"60m"` and `"1h"` are the same duration: seconds. */
export const duration: Canonical = (value) => parseDuration(value) ?? value;

/** A list in which order and repetition do not matter. */
export const set: Canonical = (value) =>
  Array.isArray(value)
    ? [...new Map(value.map((item: JsonValue) => [JSON.stringify(item), item])).entries()]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([, item]) => item)
    : value;

/** A {@link set} that may also be written as one comma-separated string. */
export const commaSeparatedSet: Canonical = (value) =>
  set(
    typeof value === "string"
      ? value
          .split(",")
          .map((item) => item.trim())
          .filter((item) => item !== "")
      : value,
  );

/** PEM text: line endings and white space around the blocks do not matter. */
export const pem: Canonical = (value) =>
  typeof value === "string"
    ? value
        .split(/\r\n|\r|\n/)
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join("\n")
    : value;

/** Case-insensitive text. */
export const caseInsensitive: Canonical = (value) =>
  typeof value === "string" ? value.toLowerCase() : value;

/**
 * `null`, `""`, `[]` and `{}` all mean "nothing" to the service; other values are compared by `canonical`.
 */
export function nothingIsNull(canonical: Canonical = (value) => value): Canonical {
  return (value) => {
    const result = canonical(value);
    const empty = typeof result === "object" && result !== null && Object.keys(result).length === 0;
    return result === "" || empty ? null : result;
  };
}

/** Whether two spellings of an argument are the same value. */
export function equivalent(
  { canonical }: { readonly canonical?: Canonical },
  left: JsonValue,
  right: JsonValue,
): boolean {
  return sameJson(left, right) || (canonical !== undefined && sameJson(canonical(left), canonical(right)));
}
