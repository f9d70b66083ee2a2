import { type JsonObject, type JsonValue, sameJson } from "../../base/json";
import type { Dialect } from "../../base/settings";
import { parseDuration } from "../../base/timing";

/** Values whose change triggers an action again. They have no other meaning. */
export type Triggers = Record<string, string | number | boolean>;

export interface ArgumentDefinition {
  /** A change replaces the object. */
  readonly replaces?: boolean;
  /** Encrypted in state and redacted in all output. */
  readonly secret?: boolean;
  /** The service never returns it: drift is not detected, and the last applied value is kept. */
  readonly writeOnly?: boolean;
  /** The service has no such field: only the library uses it. */
  readonly local?: boolean;
  /** `behaviour` is only in state and makes no request; `creation` has no effect later. Default: `remote`. */
  readonly role?: "remote" | "behaviour" | "creation";
  /** Normalizes spellings for comparisons. */
  readonly canonical?: Canonical;
  /** Replaces `canonical` in a dialect whose product accepts more spellings, such as another case. */
  readonly canonicalIn?: Readonly<Partial<Record<Dialect, Canonical>>>;
  /** Warns about a valid, known value that is unlikely to work. Must not repeat the value, which may be secret. */
  readonly warning?: (value: unknown, dialect: Dialect) => string | undefined;
  /** What is sent if the program omits it. Default: nothing. */
  readonly default?: Readonly<Record<Dialect, JsonValue>>;
  /** What resets the field to the service's default. Default: null. */
  readonly cleared?: JsonValue;
  /** The service's default in a dialect where it is not {@link cleared}. */
  readonly usualIn?: Readonly<Partial<Record<Dialect, JsonValue>>>;
  /** The service's default, if it depends on the object's other fields. */
  readonly usualBeside?: (others: JsonObject) => JsonValue | undefined;
  /** What else may change it, besides the program. Default: nothing. */
  readonly follows?: Follows;
  /** In a response, a cleared field is {@link cleared}, neither null nor missing. */
  readonly tellsCleared?: boolean;
}

/** The arguments whose change may change another field; `true` if any update, or time alone, may. */
export type Follows = true | readonly string[];

export interface OutputDefinition {
  readonly secret?: boolean;
  /** Responses may omit it, so its absence causes no read. */
  readonly optional?: boolean;
  /** Contains common words besides secrets, so its parts are not redacted. */
  readonly commonWords?: boolean;
  /** What may change it. Default: only a replacement. */
  readonly follows?: Follows;
}

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
