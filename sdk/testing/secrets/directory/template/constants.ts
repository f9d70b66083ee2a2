import { unquoted } from "./quote";
import { boolValue, bytesValue, FunctionError, intValue, nil, runesOf, type Value } from "./values";

export interface Constant {
  readonly value: Value;
  /** For a parameter of type `int`, for which `1e3` is also valid. */
  readonly integer: bigint | undefined;
}

const named: ReadonlyMap<string, Value> = new Map([
  ["true", boolValue(true)],
  ["false", boolValue(false)],
  ["nil", nil],
]);

const integers: readonly (readonly [RegExp, prefix: string])[] = [
  [/^(?:0|[1-9](?:_?\d)*)$/, ""],
  [/^0(?:_?[0-7])+$/, "0o"],
  [/^0[oO](?:_?[0-7])+$/, ""],
  [/^0[bB](?:_?[01])+$/, ""],
  [/^0[xX](?:_?[\da-fA-F])+$/, ""],
];
const decimal = /^(?:\d(?:_?\d)*)?(?:\.(?:\d(?:_?\d)*)?)?(?:[eE][+-]?\d(?:_?\d)*)?$/;
const hexadecimal = /^0[xX](_?[\da-fA-F][\da-fA-F_]*)?(?:\.([\da-fA-F_]*))?[pP]([+-]?\d+)$/;

/**
 * As the parser of templates reads it.
 *
 * @throws FunctionError if it is not valid
 */
export function constantOf(source: string): Constant {
  const word = named.get(source);
  if (word !== undefined) {
    return { value: word, integer: undefined };
  }
  if (/^["`]/.test(source)) {
    return { value: bytesValue(unquoted(source)), integer: undefined };
  }
  if (source.startsWith("'")) {
    const [rune, ...more] = runesOf(unquoted(source));
    if (rune === undefined || more.length > 0) {
      throw new FunctionError(`malformed character constant: ${source}`);
    }
    return { value: intValue(rune.code), integer: BigInt(rune.code) };
  }
  if (source.endsWith("i") && !/^[+-]?0[xX]/.test(source)) {
    throw new FunctionError(`the emulator does not know complex numbers such as ${source}`);
  }
  return numberOf(source);
}

function numberOf(source: string): Constant {
  const digits = source.replace(/^[+-]/, "");
  const form = integers.find(([pattern]) => pattern.test(digits));
  if (form !== undefined) {
    const plain = digits.replaceAll("_", "");
    const size = BigInt(form[1] === "" ? plain : form[1] + plain.slice(1));
    const integer = source.startsWith("-") ? -size : size;
    if (BigInt.asIntN(64, integer) !== integer) {
      throw new FunctionError(`integer overflow: ${source} overflows int`);
    }
    return { value: intValue(integer), integer };
  }
  const size = floatOf(digits);
  if (size === undefined || !Number.isFinite(size)) {
    throw new FunctionError(`bad number syntax: ${JSON.stringify(source)}`);
  }
  const float = source.startsWith("-") ? -size : size;
  const isInteger = Number.isInteger(float) && Math.abs(float) < 2 ** 63;
  return { value: { type: "float64", float }, integer: isInteger ? BigInt(float) : undefined };
}

function floatOf(digits: string): number | undefined {
  if (decimal.test(digits) && /\d/.test(digits) && /[.eE]/.test(digits)) {
    return Number(digits.replaceAll("_", ""));
  }
  const [, whole, fraction = "", exponent] = hexadecimal.exec(digits) ?? [];
  const mantissa = `${whole ?? ""}${fraction}`.replaceAll("_", "");
  return exponent === undefined || mantissa === ""
    ? undefined
    : Number(`0x${mantissa}`) * 2 ** (Number(exponent) - 4 * fraction.replaceAll("_", "").length);
}
