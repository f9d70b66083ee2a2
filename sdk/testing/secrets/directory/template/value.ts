import { FunctionError } from "./template-error";

/** The data that a template is rendered with: its fields by name. */
export type Fields = ReadonlyMap<string, string | bigint>;

/**
 * What an expression of a template has as its value: a text, octets that need not be text, an integer (`bigint`), a
 * number with a fraction (`number`), a truth value, nothing, or the data itself (`.`).
 */
export type Value = string | Buffer | bigint | number | boolean | null | Fields;

/** A function that templates may call. It throws a {@link FunctionError} for arguments that it cannot work with. */
export type TemplateFunction = (...values: readonly Value[]) => Value;

/** Whether `if`, `and`, `or` and `not` take it as true: everything but what is empty or zero. */
export function isTrue(value: Value): boolean {
  if (value === null || typeof value !== "object") {
    return Boolean(value);
  }
  return Buffer.isBuffer(value) ? value.length > 0 : true;
}

/** The name of its type, for messages. */
export function typeOf(value: Value): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "bigint":
      return "int";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return value === null ? "nil" : Buffer.isBuffer(value) ? "string" : "template data";
  }
}

/** The value as it is written into the text. */
export function toText(value: Value): string {
  if (value === null) {
    return "<no value>";
  }
  if (typeof value === "object") {
    return Buffer.isBuffer(value) ? value.toString("utf8") : `{${[...value.values()].join(" ")}}`;
  }
  return typeof value === "number" ? floatToText(value) : String(value);
}

/** The shortest form that reads back the same; with an exponent below a ten-thousandth and from a million on. */
export function floatToText(value: number): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  }
  const size = Math.abs(value);
  const isExtreme = size !== 0 && (size < 1e-4 || size >= 1e6);
  return isExtreme ? twoDigitExponent(value.toExponential()) : String(value);
}

/** `1e+6` becomes `1e+06`. */
export function twoDigitExponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

/** The argument of a function that takes a text. @throws FunctionError when it is none */
export function textOf(value: Value): string {
  return octetsOf(value).toString("utf8");
}

/** The argument of a function that takes a text, or octets that need not be one. @throws FunctionError */
export function octetsOf(value: Value): Buffer {
  if (typeof value === "string") {
    return Buffer.from(value, "utf8");
  }
  return Buffer.isBuffer(value) ? value : wrongType("string", value);
}

/** The argument of a function that takes an integer. @throws FunctionError when it is none */
export function integerOf(value: Value): number {
  return typeof value === "bigint" || Number.isInteger(value) ? Number(value) : wrongType("int", value);
}

function wrongType(expected: string, value: Value): never {
  throw new FunctionError(`wrong type for value; expected ${expected}; got ${typeOf(value)}`);
}
