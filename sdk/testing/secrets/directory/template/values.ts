/** A value as `text/template` of Go knows it. */
export type Value =
  /** One character for each byte: Go's strings need not be text. */
  | { readonly type: "string"; readonly bytes: string }
  | { readonly type: IntegerType; readonly number: bigint }
  | { readonly type: "float64"; readonly float: number }
  | { readonly type: "bool"; readonly is: boolean }
  | { readonly type: "nil" }
  | Data;

type IntegerType = "int" | "int64" | "uint8";

/** The data that a template is rendered with, a struct in Go. */
export interface Data {
  readonly type: "struct";
  /** The name of the struct's type. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, Value>;
}

/** For invalid arguments of a function. */
export class FunctionError extends Error {}

/** How `nil` is shown outside of `printf` and `print`. */
export const noValue = "<no value>";

export const nil: Value = { type: "nil" };

export function textValue(text: string): Value {
  return bytesValue(encoded(text));
}

export function bytesValue(bytes: string): Value {
  return { type: "string", bytes };
}

export function intValue(number: bigint | number, type: IntegerType = "int"): Value {
  return { type, number: BigInt(number) };
}

export function boolValue(is: boolean): Value {
  return { type: "bool", is };
}

export function dataOf(name: string, fields: Readonly<Record<string, string | bigint>>): Data {
  const values = Object.entries(fields).map(([field, value]): [string, Value] => [
    field,
    typeof value === "string" ? textValue(value) : intValue(value, "int64"),
  ]);
  return { type: "struct", name, fields: new Map(values) };
}

export function encoded(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

export function decoded(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** The name in Go. */
export function typeOf(value: Value): string {
  return value.type === "struct" ? value.name : value.type;
}

/** As in Go, everything that is neither empty nor zero is true. */
export function isTrue(value: Value): boolean {
  switch (value.type) {
    case "string":
      return value.bytes !== "";
    case "bool":
      return value.is;
    case "float64":
      return value.float !== 0;
    case "nil":
      return false;
    case "struct":
      return true;
    default:
      return value.number !== 0n;
  }
}

export interface Rune {
  /** 0xFFFD with one byte for an invalid one. */
  readonly code: number;
  readonly bytes: string;
}

const invalid = 0xfffd;
const sequence =
  /[\0-\x7f]|[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|[^]/g;

export function runesOf(bytes: string): Rune[] {
  return (bytes.match(sequence) ?? []).map((each) => {
    const isInvalid = each.length === 1 && each > "\x7f";
    return { code: isInvalid ? invalid : (decoded(each).codePointAt(0) ?? invalid), bytes: each };
  });
}

export function runeBytes(code: number): string {
  const isValid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return encoded(String.fromCodePoint(isValid ? code : invalid));
}

export function isPrintable(code: number): boolean {
  return code === 32 || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(String.fromCodePoint(code));
}
