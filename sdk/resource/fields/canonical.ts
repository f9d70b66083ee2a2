import { parseDuration } from "../../base/duration";
import { type JsonValue, sameJson } from "../../base/json";

/** Only for comparisons, never sent. Must not throw: a value that it does not understand is returned unchanged. */
export type Canonical = (value: JsonValue) => JsonValue;

/** In seconds: `3600`, `"3600"`, `"60m"` and `"1h"` are equal. */
export const duration: Canonical = (value) => parseDuration(value) ?? value;

/** Order and repetition do not matter. */
export const set: Canonical = (value) =>
  Array.isArray(value)
    ? [...new Map(value.map((item: JsonValue) => [JSON.stringify(item), item])).entries()]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([, item]) => item)
    : value;

export const commaSeparatedSet: Canonical = (value) =>
  set(
    typeof value === "string"
      ? value
          .split(",")
          .map((item) => item.trim())
          .filter((item) => item !== "")
      : value,
  );

export const pem: Canonical = (value) =>
  typeof value === "string"
    ? value
        .split(/\r\n|\r|\n/)
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join("\n")
    : value;

export const caseInsensitive: Canonical = (value) =>
  typeof value === "string" ? value.toLowerCase() : value;

/** For fields where `null`, `""`, `[]` and `{}` mean the same to the service. */
export function nothingIsNull(canonical: Canonical = (value) => value): Canonical {
  return (value) => {
    const result = canonical(value);
    const empty = typeof result === "object" && result !== null && Object.keys(result).length === 0;
    return result === "" || empty ? null : result;
  };
}

export function equivalent(
  { canonical }: { readonly canonical?: Canonical },
  left: JsonValue,
  right: JsonValue,
): boolean {
  return sameJson(left, right) || (canonical !== undefined && sameJson(canonical(left), canonical(right)));
}
