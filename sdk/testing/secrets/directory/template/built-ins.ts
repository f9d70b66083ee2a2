import { sprint, sprintf, sprintln } from "./format";
import {
  boolValue,
  bytesValue,
  encoded,
  FunctionError,
  intValue,
  isPrintable,
  isTrue,
  noValue,
  runesOf,
  typeOf,
  type Value,
} from "./values";

/** The type of a parameter; `any` also accepts `nil`. */
export type ParameterType = "string" | "int" | "any";

export interface TemplateFunction {
  readonly parameters: readonly ParameterType[];
  /** The type of each value after the parameters; if it is missing, no such values are allowed. */
  readonly rest?: ParameterType;
  /** Throws a {@link FunctionError} for invalid arguments. */
  readonly call: (...values: readonly Value[]) => Value;
}

/** Operands are evaluated only until the result is known. */
export const shortCircuits: ReadonlyMap<string, (value: Value) => boolean> = new Map([
  ["and", (value) => !isTrue(value)],
  ["or", isTrue],
]);

const one = ["any"] as const;
const two = ["any", "any"] as const;
const lastOf = (...values: readonly Value[]): Value => values.at(-1) ?? boolValue(false);
const escape =
  (escaped: (bytes: string) => string): TemplateFunction["call"] =>
  (...values) =>
    bytesValue(escaped(joined(values)));

export const builtIns: readonly (readonly [string, TemplateFunction])[] = [
  ["and", { parameters: one, rest: "any", call: lastOf }],
  ["or", { parameters: one, rest: "any", call: lastOf }],
  ["not", { parameters: one, call: (...[value]) => boolValue(value === undefined || !isTrue(value)) }],
  ["eq", { parameters: one, rest: "any", call: isEqual }],
  ["ne", { parameters: two, call: (...values) => boolValue(!isTrue(isEqual(...values))) }],
  ["lt", { parameters: two, call: (...values) => boolValue(isLess(values)) }],
  ["le", { parameters: two, call: (...values) => boolValue(isLess(values) || isTrue(isEqual(...values))) }],
  ["gt", { parameters: two, call: (...values) => boolValue(!isLess(values) && !isTrue(isEqual(...values))) }],
  ["ge", { parameters: two, call: (...values) => boolValue(!isLess(values)) }],
  ["len", { parameters: one, call: lengthOf }],
  ["index", { parameters: one, rest: "any", call: indexed }],
  ["slice", { parameters: one, rest: "any", call: sliced }],
  ["print", { parameters: [], rest: "any", call: (...values) => bytesValue(sprint(values)) }],
  ["println", { parameters: [], rest: "any", call: (...values) => bytesValue(sprintln(values)) }],
  ["printf", { parameters: ["string"], rest: "any", call: formatted }],
  ["html", { parameters: [], rest: "any", call: escape(htmlEscaped) }],
  ["js", { parameters: [], rest: "any", call: escape(jsEscaped) }],
  ["urlquery", { parameters: [], rest: "any", call: escape(queryEscaped) }],
  ["call", { parameters: one, rest: "any", call: called }],
];

function joined(values: readonly Value[]): string {
  const [first] = values;
  const shown = values.map((value) => (value.type === "nil" ? bytesValue(noValue) : value));
  return values.length === 1 && first?.type === "string" ? first.bytes : sprint(shown);
}

function formatted(...[format, ...values]: readonly Value[]): Value {
  return bytesValue(sprintf(format?.type === "string" ? format.bytes : "", values));
}

/** A value in a template is never a function. */
function called(...[value]: readonly Value[]): Value {
  throw new FunctionError(
    value === undefined || value.type === "nil" ? "call of nil" : `non-function of type ${typeOf(value)}`,
  );
}

function lengthOf(...[value]: readonly Value[]): Value {
  if (value?.type !== "string") {
    throw new FunctionError(`len of type ${value === undefined ? "nil" : typeOf(value)}`);
  }
  return intValue(value.bytes.length);
}

function indexed(...[value, ...indexes]: readonly Value[]): Value {
  return indexes.reduce(
    (item: Value, index) => {
      if (item.type !== "string") {
        throw new FunctionError(`can't index item of type ${typeOf(item)}`);
      }
      const position = positionOf(index, item.bytes.length - 1);
      return intValue(item.bytes.charCodeAt(position), "uint8");
    },
    requireValue(value, "index"),
  );
}

function sliced(...[value, ...indexes]: readonly Value[]): Value {
  const item = requireValue(value, "slice");
  if (indexes.length > 2) {
    const isText = indexes.length === 3 && item.type === "string";
    throw new FunctionError(
      isText ? "cannot 3-index slice a string" : `too many slice indexes: ${indexes.length}`,
    );
  }
  if (item.type !== "string") {
    throw new FunctionError(`can't slice item of type ${typeOf(item)}`);
  }
  const length = item.bytes.length;
  const [start = 0, end = length] = indexes.map((index) => positionOf(index, length));
  if (start > end) {
    throw new FunctionError(`invalid slice index: ${start} > ${end}`);
  }
  return bytesValue(item.bytes.slice(start, end));
}

function requireValue(value: Value | undefined, what: string): Value {
  if (value === undefined || value.type === "nil") {
    throw new FunctionError(`${what} of untyped nil`);
  }
  return value;
}

function positionOf(index: Value, last: number): number {
  if (!("number" in index)) {
    const type = index.type === "nil" ? "nil" : `type ${typeOf(index)}`;
    throw new FunctionError(`cannot index slice/array with ${type}`);
  }
  if (index.number < 0n || index.number > BigInt(last)) {
    throw new FunctionError(`index out of range: ${index.number}`);
  }
  return Number(index.number);
}

/** Values of one kind can be compared. */
function kindOf(value: Value): string {
  return "number" in value ? "integer" : value.type;
}

function primitive(value: Value): string | bigint | number | boolean | undefined {
  switch (value.type) {
    case "string":
      return value.bytes;
    case "bool":
      return value.is;
    case "float64":
      return value.float;
    case "nil":
      return undefined;
    case "struct":
      return sprint([...value.fields.values()]);
    default:
      return value.number;
  }
}

function isEqual(...[value, ...others]: readonly Value[]): Value {
  if (value === undefined || others.length === 0) {
    throw new FunctionError("missing argument for comparison");
  }
  const isSame = (other: Value): boolean => {
    if (kindOf(value) !== kindOf(other)) {
      if (value.type !== "nil" && other.type !== "nil") {
        throw incompatible(value, other);
      }
      return false;
    }
    return primitive(value) === primitive(other);
  };
  return boolValue(others.some(isSame));
}

function isLess([left, right]: readonly Value[]): boolean {
  const [a, b] = [left, right].map((value) => value && primitive(value));
  const isOrdered = [left, right].every(
    (value) => value !== undefined && !["nil", "struct"].includes(value.type),
  );
  if (left === undefined || right === undefined || a === undefined || b === undefined || !isOrdered) {
    throw new FunctionError("invalid type for comparison");
  }
  if (kindOf(left) !== kindOf(right)) {
    throw incompatible(left, right);
  }
  if (left.type === "bool") {
    throw new FunctionError("invalid type for comparison");
  }
  return a < b;
}

function incompatible(left: Value, right: Value): FunctionError {
  return new FunctionError(`incompatible types for comparison: ${typeOf(left)} and ${typeOf(right)}`);
}

const html: Readonly<Record<string, string>> = {
  "\0": encoded("\ufffd"),
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};

function htmlEscaped(bytes: string): string {
  return bytes.replace(/[\0"'&<>]/g, (byte) => html[byte] ?? byte);
}

function jsEscaped(bytes: string): string {
  const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, "0");
  return runesOf(bytes)
    .map(({ code, bytes: rune }) => {
      if (["\\", "'", '"'].includes(rune)) {
        return `\\${rune}`;
      }
      const isPlain = code < 0x80 ? code >= 0x20 && !/[<>&=]/.test(rune) : isPrintable(code);
      return isPlain ? rune : `\\u${hex(code)}`;
    })
    .join("");
}

/** As `url.QueryEscape`. */
function queryEscaped(bytes: string): string {
  return bytes.replace(/[^A-Za-z0-9\-_.~]/g, (byte) =>
    byte === " " ? "+" : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
