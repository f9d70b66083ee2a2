/**
 * What an expression of a template results in, as far as it matters to what may be done with it:
 *
 * - `fields`: everything that the template is given; the dot and `$` outside `with` and `range`
 * - `seconds`: a point in time as a number, of a type that no function takes as its count
 * - `byte`: a character of a text
 * - `nothing`: `nil`
 * - `unknown`: depends on what happens when the template is used
 */
export type ValueType =
  | "fields"
  | "text"
  | "integer"
  | "seconds"
  | "byte"
  | "decimal"
  | "complex"
  | "boolean"
  | "nothing"
  | "unknown";

/** The value of an expression, as far as it can be known before the template is used. */
export interface Value {
  readonly type: ValueType;
  /** Of a literal. */
  readonly literal?: string | number;
}

export const unknownValue: Value = { type: "unknown" };

/** How messages name a value of the type. */
export const typeNames: Readonly<Record<ValueType, string>> = {
  fields: "the whole set of fields",
  text: "text",
  integer: "an integer",
  seconds: "a time in seconds",
  byte: "a single character",
  decimal: "a decimal number",
  complex: "a complex number",
  boolean: "a boolean",
  nothing: "nil",
  unknown: "a value",
};

/** The kind that two values have to share to be compared; `undefined` when it cannot be compared by size. */
export function comparedAs(
  type: ValueType,
): "text" | "whole" | "decimal" | "complex" | "boolean" | undefined {
  switch (type) {
    case "integer":
    case "seconds":
    case "byte":
      return "whole";
    case "text":
    case "decimal":
    case "complex":
    case "boolean":
      return type;
    default:
      return undefined;
  }
}

/** Whether a value can count something: characters, positions, rounds. */
export function isWhole(type: ValueType): boolean {
  return comparedAs(type) === "whole" || type === "unknown";
}

/** What a value is that comes from one of two places. */
export function eitherType(left: ValueType, right: ValueType): ValueType {
  return left === right ? left : "unknown";
}
