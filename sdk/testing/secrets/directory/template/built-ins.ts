import { sprint, sprintf } from "./printf";
import { FunctionError } from "./template-error";
import { isTrue, octetsOf, textOf, toText, typeOf, type TemplateFunction, type Value } from "./value";

/** The functions that the template language has by itself. */
export const builtIns: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  // The evaluation stops them early; what arrives here has not decided before the last value.
  ["and", (...values) => values.find((value) => !isTrue(value)) ?? values.at(-1) ?? null],
  ["or", (...values) => values.find(isTrue) ?? values.at(-1) ?? null],
  ["not", (value) => !isTrue(value)],
  ["eq", (value, ...others) => others.some((other) => areEqual(value, other))],
  ["ne", (left, right) => !areEqual(left, right)],
  ["lt", (left, right) => compare(left, right) < 0],
  ["le", (left, right) => compare(left, right) <= 0],
  ["gt", (left, right) => compare(left, right) > 0],
  ["ge", (left, right) => compare(left, right) >= 0],
  ["len", (value) => BigInt(octetsFor("len of", value).length)],
  ["index", (value, ...positions) => positions.reduce(elementOf, value)],
  ["slice", (value, ...bounds) => sliceOf(value, bounds)],
  ["print", (...values) => sprint(values)],
  ["printf", (format, ...values) => sprintf(textOf(format), values)],
  ["println", (...values) => `${values.map(toText).join(" ")}\n`],
  ["html", (...values) => sprint(values).replace(/[&<>"'\0]/g, (sign) => entities.get(sign) ?? sign)],
  ["js", (...values) => escapeScript(sprint(values))],
  ["urlquery", (...values) => escapeQuery(sprint(values))],
  [
    "call",
    (value) => {
      throw new FunctionError(`non-function of type ${typeOf(value)}`);
    },
  ],
]);

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&#34;"],
  ["'", "&#39;"],
  ["\0", "\ufffd"],
]);

function areEqual(left: Value, right: Value): boolean {
  if (left === null || right === null) {
    return left === right;
  }
  requireComparable(left, right);
  return toText(left) === toText(right);
}

function compare(left: Value, right: Value): number {
  requireComparable(left, right);
  if (typeof left === "boolean") {
    throw new FunctionError("invalid type for comparison");
  }
  if (typeof left === "bigint" || typeof left === "number") {
    return left < Number(right) || (typeof right === "bigint" && left < right) ? -1 : left === right ? 0 : 1;
  }
  return Buffer.compare(octetsOf(left), octetsOf(right));
}

function requireComparable(left: Value, right: Value): void {
  for (const value of [left, right]) {
    if (value === null || (typeof value === "object" && !Buffer.isBuffer(value))) {
      throw new FunctionError("invalid type for comparison");
    }
  }
  if (typeOf(left) !== typeOf(right)) {
    throw new FunctionError("incompatible types for comparison");
  }
}

/** Texts are counted in octets, as the language of the templates does. */
function octetsFor(purpose: string, value: Value): Buffer {
  if (typeof value !== "string" && !Buffer.isBuffer(value)) {
    throw new FunctionError(`${purpose} type ${typeOf(value)}`);
  }
  return octetsOf(value);
}

function elementOf(value: Value, position: Value): Value {
  const octets = octetsFor("can't index item of", value);
  return BigInt(octets[positionIn(octets.length - 1, position)] ?? 0);
}

function sliceOf(value: Value, bounds: readonly Value[]): Value {
  const octets = octetsFor("can't slice item of", value);
  if (bounds.length > 2) {
    throw new FunctionError("cannot 3-index slice a string");
  }
  const [start = 0, end = octets.length] = bounds.map((bound) => positionIn(octets.length, bound));
  if (start > end) {
    throw new FunctionError(`invalid slice index: ${start} > ${end}`);
  }
  return octets.subarray(start, end).toString("utf8");
}

function positionIn(last: number, position: Value): number {
  if (typeof position !== "bigint") {
    throw new FunctionError(`cannot index slice/array with type ${typeOf(position)}`);
  }
  if (position < 0n || position > BigInt(last)) {
    throw new FunctionError(`index out of range: ${position}`);
  }
  return Number(position);
}

function escapeScript(text: string): string {
  return text.replace(/[\\'"<>&=]|[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (sign) => {
    if (sign === "\\" || sign === "'" || sign === '"') {
      return `\\${sign}`;
    }
    return `\\u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

function escapeQuery(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
}
