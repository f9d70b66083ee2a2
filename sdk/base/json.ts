// Not imported, because this file is also part of a receiver that is bundled as an ES module, which cannot
// require anything.
const { types } = process.getBuiltinModule("node:util");

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Values that trigger an action again when they change. They have no other meaning. */
export type Triggers = Record<string, string | number | boolean>;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Converts each member, and omits those that become `undefined`. */
export function mapped<Value, Result>(
  members: Readonly<Record<string, Value>>,
  make: (value: Value, name: string) => Result | undefined,
): Record<string, Result> {
  const made = Object.entries(members).map(([name, value]) => [name, make(value, name)] as const);
  return Object.fromEntries(made.filter((each): each is [string, Result] => each[1] !== undefined));
}

export function namesWhere<Value>(
  members: Readonly<Record<string, Value>>,
  isMeant: (value: Value, name: string) => boolean,
): string[] {
  return Object.entries(members)
    .filter(([name, value]) => isMeant(value, name))
    .map(([name]) => name);
}

/** The strings in a list; none if the value is not a list. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The items of a comma-separated text. */
export function itemsOf(list: string): string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/**
 * The engine rejects `undefined`, functions, symbols and big integers only after the object was created, so
 * the object would be lost. It silently turns dates, maps and sets into `{}`.
 *
 * @returns `undefined` for a value without data
 */
export function toJson(value: unknown): JsonValue | undefined {
  // Fast path: most values are strings and numbers.
  if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) {
    return value as JsonValue;
  }
  const text = JSON.stringify(value, withData) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
}

function withData(_key: string, value: unknown): unknown {
  if (types.isMap(value)) {
    return Object.fromEntries(value);
  }
  if (types.isSet(value)) {
    return [...value];
  }
  if (types.isUint8Array(value)) {
    return Buffer.from(value).toString("base64");
  }
  return typeof value === "bigint" ? value.toString() : value;
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
 * Parses JSON without members named `__proto__`: copying one by assignment would change the prototype of the
 * copy.
 *
 * @returns `undefined` for an empty string
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

/** Converts the name of a field to the name of its member on the wire. */
export type NamingConvention = (name: string) => string;

export const snakeCase: NamingConvention = (name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const kebabCase: NamingConvention = (name) =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
