export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The engine rejects `undefined`, functions, symbols and big integers after the object was created, which loses it.
 * It silently turns dates, maps and sets into `{}`.
 */
export function toJson(value: unknown): JsonValue | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      return value.toString();
    case "object":
      return objectToJson(value);
    default:
      return undefined;
  }
}

function objectToJson(value: object | null): JsonValue {
  if (value === null) {
    return null;
  }
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? null : value.toISOString();
  }
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString("base64");
  }
  if (value instanceof Map) {
    return recordToJson(value as Map<unknown, unknown>);
  }
  if (Array.isArray(value) || value instanceof Set) {
    return Array.from(value as Iterable<unknown>, (item) => toJson(item) ?? null);
  }
  return recordToJson(Object.entries(value));
}

function recordToJson(entries: Iterable<[unknown, unknown]>): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [key, item] of entries) {
    const json = toJson(item);
    if (json !== undefined) {
      // A key such as `__proto__` must become data, not a prototype.
      Object.defineProperty(result, String(key), {
        value: json,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return result;
}

/** The order of object keys does not matter. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) {
    return true;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
    );
  }
  return false;
}

/**
 * Drops members named `__proto__`: copying one by assignment would change the prototype of the copy.
 *
 * @returns `undefined` for an empty text
 */
export function parseJson(text: string): unknown {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (json.trim() === "") {
    return undefined;
  }
  // The name can also be escaped. This check spares nearly all responses the slow path.
  const suspicious = json.includes("__proto__") || /\\u00(?:5f|6f|7[024])/i.test(json);
  return suspicious
    ? JSON.parse(json, (name, value: unknown) => (name === "__proto__" ? undefined : value))
    : JSON.parse(json);
}
