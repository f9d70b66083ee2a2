import { parseDuration } from "../base/duration";
import { type JsonValue, sameJson } from "../base/json";

/**
 * Brings every spelling of a value to one form, in which equal values are equal. Only compared, never sent, and
 * never thrown from: what it does not understand it returns as it is.
 */
export type Canonical = (value: JsonValue) => JsonValue;

/** `3600`, `"3600"`, `"60m"` and `"1h"` are the same duration: seconds. */
export const duration: Canonical = (value) => parseDuration(value) ?? value;

/** A list in which neither order nor repetition counts. */
export const set: Canonical = (value) =>
  Array.isArray(value)
    ? [...new Map(value.map((item: JsonValue) => [JSON.stringify(item), item])).entries()]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([, item]) => item)
    : value;

/** A {@link set} which may also be written as one text with commas. */
export const commaSeparatedSet: Canonical = (value) =>
  set(
    typeof value === "string"
      ? value
          .split(",")
          .map((item) => item.trim())
          .filter((item) => item !== "")
      : value,
  );

/** PEM text: line ends and white space around the blocks do not count. */
export const pem: Canonical = (value) =>
  typeof value === "string"
    ? value
        .split(/\r\n|\r|\n/)
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join("\n")
    : value;

/** Text in which case does not count. */
export const caseInsensitive: Canonical = (value) =>
  typeof value === "string" ? value.toLowerCase() : value;

/** `null`, `""`, `[]` and `{}` all mean "nothing" to the service; anything else is compared by `canonical`. */
export function nothingIsNull(canonical: Canonical = (value) => value): Canonical {
  return (value) => {
    const result = canonical(value);
    const empty = typeof result === "object" && result !== null && Object.keys(result).length === 0;
    return result === "" || empty ? null : result;
  };
}

/** Whether two spellings of an argument mean the same value. */
export function equivalent(
  { canonical }: { readonly canonical?: Canonical },
  left: JsonValue,
  right: JsonValue,
): boolean {
  return sameJson(left, right) || (canonical !== undefined && sameJson(canonical(left), canonical(right)));
}
