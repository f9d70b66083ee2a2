import { type JsonValue, sameJson } from "../../base/json";

/** Only for comparisons, never sent. Must not throw: a value that it does not understand is returned unchanged. */
export type Canonical = (value: JsonValue) => JsonValue;

interface Comparable {
  readonly canonical?: Canonical | undefined;
}

/** For fields where `null`, `""`, `[]` and `{}` mean the same to the service. */
export function nothingIsNull(canonical: Canonical = (value) => value): Canonical {
  return (value) => {
    const result = canonical(value);
    return isEmpty(result) ? null : result;
  };
}

export function isEmpty(value: JsonValue | undefined): boolean {
  return value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

export function canonicalForm({ canonical }: Comparable, value: JsonValue): JsonValue {
  return canonical === undefined ? value : canonical(value);
}

export function equivalent(comparable: Comparable, left: JsonValue, right: JsonValue): boolean {
  return sameJson(left, right) || sameJson(canonicalForm(comparable, left), canonicalForm(comparable, right));
}
