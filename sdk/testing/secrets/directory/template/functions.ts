import { createHash, randomUUID } from "node:crypto";
import { lettersAndDigits, randomText } from "../../../tokens";

export type Fields = ReadonlyMap<string, string | bigint>;

/** A `Buffer` holds bytes that need not be text; `Fields` is the value of `.`. */
export type Value = string | Buffer | bigint | boolean | null | Fields;

/** Throws a {@link FunctionError} for invalid arguments. */
type TemplateFunction = (...values: readonly Value[]) => Value;

export type TemplateFunctions = ReadonlyMap<string, TemplateFunction>;

export class FunctionError extends Error {}

/** Their declared parameters are only the minimum. */
export const variadicFunctions: readonly string[] = ["and", "or", "eq", "printf"];

/** Unlike in Go, `and` and `or` evaluate all operands. */
const builtIns: readonly (readonly [string, TemplateFunction])[] = [
  ["and", (value, ...others) => [value, ...others].find((each) => !isTrue(each)) ?? others.at(-1) ?? value],
  ["or", (value, ...others) => [value, ...others].find(isTrue) ?? others.at(-1) ?? value],
  ["not", (value) => !isTrue(value)],
  ["eq", (value, other, ...others) => [other, ...others].some((each) => compare(value, each) === 0)],
  ["ne", (left, right) => compare(left, right) !== 0],
  ["lt", (left, right) => compare(left, right) < 0],
  ["le", (left, right) => compare(left, right) <= 0],
  ["gt", (left, right) => compare(left, right) > 0],
  ["ge", (left, right) => compare(left, right) >= 0],
  ["len", (value) => BigInt(octetsOf(value).length)],
  ["printf", (format, ...values) => sprintf(textOf(format), values)],
];

/** Characters of the hash at the end of what `truncate_sha256` returns. */
const hashLength = 8;

/** @param now the current time, in milliseconds since 1970 */
export function usernameFunctions(now: () => number): TemplateFunctions {
  return new Map<string, TemplateFunction>([
    ...builtIns,
    ["random", (length) => random(integerOf(length))],
    ["truncate", (length, text) => truncate(integerOf(length), textOf(text))],
    ["truncate_sha256", (length, text) => truncateWithHash(integerOf(length), textOf(text))],
    ["uppercase", (text) => textOf(text).toUpperCase()],
    ["lowercase", (text) => textOf(text).toLowerCase()],
    ["replace", (from, to, text) => textOf(text).replaceAll(textOf(from), () => textOf(to))],
    ["sha256", (text) => sha256(octetsOf(text))],
    ["base64", (text) => octetsOf(text).toString("base64")],
    ["unix_time", () => String(Math.floor(now() / 1_000))],
    ["unix_time_millis", () => String(Math.floor(now()))],
    ["timestamp", (layout) => formatTime(new Date(now()), textOf(layout))],
    ["uuid", () => randomUUID()],
  ]);
}

export function ldifFunctions(now: () => number): TemplateFunctions {
  return new Map<string, TemplateFunction>([
    ...usernameFunctions(now),
    ["utf16le", (text) => Buffer.from(textOf(text), "utf16le")],
  ]);
}

/** As in Go: everything that is neither empty nor zero. */
export function isTrue(value: Value): boolean {
  return Buffer.isBuffer(value) ? value.length > 0 : Boolean(value);
}

export function typeOf(value: Value): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "bigint":
      return "int";
    case "boolean":
      return "bool";
    default:
      return value === null ? "nil" : Buffer.isBuffer(value) ? "string" : "template data";
  }
}

export function toText(value: Value): string {
  if (value === null) {
    return "<no value>";
  }
  return typeof value === "object" && !Buffer.isBuffer(value)
    ? `{${[...value.values()].join(" ")}}`
    : value.toString();
}

function textOf(value: Value): string {
  return octetsOf(value).toString("utf8");
}

/** Go counts and compares strings in bytes. */
function octetsOf(value: Value): Buffer {
  if (typeof value === "string") {
    return Buffer.from(value, "utf8");
  }
  return Buffer.isBuffer(value) ? value : wrongType("string", value);
}

function integerOf(value: Value): number {
  return typeof value === "bigint" ? Number(value) : wrongType("int", value);
}

function wrongType(expected: string, value: Value): never {
  throw new FunctionError(`wrong type for value; expected ${expected}; got ${typeOf(value)}`);
}

/** Negative when `left` is less, 0 when they are equal. */
function compare(left: Value, right: Value): number {
  if (typeOf(left) !== typeOf(right)) {
    throw new FunctionError("incompatible types for comparison");
  }
  return typeof left === "bigint" && typeof right === "bigint"
    ? Number(left - right)
    : Buffer.compare(octetsOf(left), octetsOf(right));
}

/** By type of the value; `v` formats any type. */
const verbs: Readonly<Record<string, (value: Value) => string>> = {
  "string s": toText,
  "string q": (text) =>
    JSON.stringify(textOf(text))
      .replace(/\\u00([\da-f]{2})/g, "\\x$1")
      .replaceAll("\u007f", "\\x7f"),
  "string x": (text) => octetsOf(text).toString("hex"),
  "int d": toText,
  "int x": (value) => BigInt(integerOf(value)).toString(16),
};

/** Go's `printf` with `%s`, `%q`, `%d`, `%x`, `%v`, a width, `-` and `0`. */
function sprintf(format: string, values: readonly Value[]): string {
  const left = [...values];
  const text = format.replace(
    /%([-0]?)(\d*)([^]?)/gu,
    (directive, flag: string, width: string, verb: string) => {
      const value = verb === "%" ? "%" : left.shift();
      const formatted = verb === "%" || verb === "v" ? toText : verbs[`${typeOf(value ?? null)} ${verb}`];
      if (value === undefined || formatted === undefined) {
        const problem = value === undefined ? "without a value" : `of a value of type ${typeOf(value)}`;
        throw new FunctionError(`the emulator's printf does not know ${directive} ${problem}`);
      }
      const shown = formatted(value);
      const missing = Math.max(Number(width) - Array.from(shown).length, 0);
      if (flag === "0") {
        return shown.replace(/^-?/, (sign) => sign + "0".repeat(missing));
      }
      return flag === "-" ? shown + " ".repeat(missing) : " ".repeat(missing) + shown;
    },
  );
  if (left.length > 0) {
    throw new FunctionError(`the emulator's printf has ${left.length} values too many`);
  }
  return text;
}

/** Elements of a layout, and their ranges in a time such as `2024-02-09T15:04:05.120Z`. */
const layoutElements: Readonly<Record<string, readonly [start: number, end: number]>> = {
  "2006": [0, 4],
  "06": [2, 4],
  "01": [5, 7],
  "02": [8, 10],
  "15": [11, 13],
  "04": [14, 16],
  "05": [17, 19],
  ".000": [19, 23],
  "Z07:00": [23, 24],
};

/** @param layout Go's reference time, Mon Jan 2 15:04:05 MST 2006, in the requested form */
function formatTime(time: Date, layout: string): string {
  return layout.replace(/2006|0[12456]|15|\.000|Z07:00|T(?=15)|[\p{L}\d]+/gu, (element) => {
    const place = layoutElements[element];
    if (place === undefined && element !== "T") {
      throw new FunctionError(
        `the emulator knows the elements ${Object.keys(layoutElements).join(", ")} of layouts, not ${element}`,
      );
    }
    return place === undefined ? element : time.toISOString().slice(...place);
  });
}

function random(length: number): string {
  if (length < 0 || length > 10_000) {
    throw new FunctionError(`cannot generate ${length} random characters`);
  }
  return randomText(length, lettersAndDigits);
}

function truncate(length: number, text: string): string {
  if (length <= 0) {
    throw new FunctionError(`max length must be > 0 but was ${length}`);
  }
  return Array.from(text).slice(0, length).join("");
}

function truncateWithHash(length: number, text: string): string {
  if (length <= hashLength) {
    throw new FunctionError(`max length must be > ${hashLength} but was ${length}`);
  }
  const characters = Array.from(text);
  if (characters.length <= length) {
    return text;
  }
  const kept = characters.slice(0, length - hashLength).join("");
  const cut = characters.slice(length - hashLength).join("");
  return kept + sha256(Buffer.from(cut, "utf8")).slice(0, hashLength);
}

function sha256(octets: Buffer): string {
  return createHash("sha256").update(octets).digest("hex");
}
