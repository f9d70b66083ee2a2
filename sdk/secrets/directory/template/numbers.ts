import type { Value } from "./value";

/** A number as it stands in a template. */
export interface NumberLiteral extends Value {
  readonly type: "integer" | "decimal" | "complex";
  /** Too large to be a value of its own. */
  readonly overflows?: boolean;
  /** It can be given where an integer is asked for: `1e2` can, though it is a decimal number by itself. */
  readonly isWhole: boolean;
}

const integer =
  /^[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|0(?:_?[0-7])*|[1-9](?:_?\d)*)$/;
const decimal = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const hexadecimalFloat =
  /^([+-]?)0[xX]_?((?:[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)?)(?:\.((?:[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)?))?[pP]([+-]?\d+(?:_\d+)*)$/;

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;
const largestUnsigned = 2n ** 64n - 1n;

/** Longer ones are no numbers that anybody meant, and take long to read. */
const longestNumber = 1000;

/**
 * Reads a number of the template language: `10`, `-1`, `0x1F`, `0b1`, `1_000`, `1.5`, `1e3`, `2i`, `1+2i`.
 *
 * @returns `undefined` when it is none, or an integer that no integer type can hold
 */
export function parseNumber(source: string): NumberLiteral | undefined {
  if (source.length > longestNumber) {
    return undefined;
  }
  if (source.endsWith("i")) {
    return parseComplex(source.slice(0, -1));
  }
  if (integer.test(source)) {
    const value = integerValue(source);
    const unsignedOnly = value > largest && value <= largestUnsigned && !/^[+-]/.test(source);
    if (unsignedOnly) {
      return { type: "integer", overflows: true, isWhole: false };
    }
    return value < smallest || value > largest
      ? undefined
      : { type: "integer", literal: Number(value), isWhole: true };
  }
  if (!/[.eEpP]/.test(source)) {
    return undefined;
  }
  const value = floatValue(source);
  if (value === undefined || !Number.isFinite(value)) {
    return undefined;
  }
  return { type: "decimal", literal: value, isWhole: Number.isInteger(value) && Math.abs(value) < 2 ** 63 };
}

function integerValue(source: string): bigint {
  const negative = source.startsWith("-");
  const digits = source.replace(/^[+-]/, "").replaceAll("_", "");
  const legacyOctal = /^0[0-7]+$/.test(digits);
  const value = BigInt(legacyOctal ? `0o${digits.slice(1)}` : digits.toLowerCase());
  return negative ? -value : value;
}

function floatValue(source: string): number | undefined {
  if (decimal.test(source)) {
    return Number(source.replaceAll("_", ""));
  }
  const [, sign, whole, fraction = "", exponent] = hexadecimalFloat.exec(source) ?? [];
  const digits = `${whole ?? ""}${fraction}`.replaceAll("_", "");
  if (exponent === undefined || digits === "") {
    return undefined;
  }
  const scale = Number(exponent.replaceAll("_", "")) - 4 * fraction.replaceAll("_", "").length;
  return (sign === "-" ? -1 : 1) * Number(BigInt(`0x${digits}`)) * 2 ** scale;
}

function parseComplex(source: string): NumberLiteral | undefined {
  const sign = Math.max(source.lastIndexOf("+"), source.lastIndexOf("-"));
  // The sign of an exponent separates nothing.
  const separates = sign > 0 && !/[eEpP]/.test(source[sign - 1] ?? "");
  const parts = separates ? [source.slice(0, sign), source.slice(sign)] : [source];
  return parts.every((part) => Number.isFinite(floatValue(part) ?? Number.NaN))
    ? { type: "complex", isWhole: false }
    : undefined;
}
