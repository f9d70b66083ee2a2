import { randomUUID } from "node:crypto";

/** Unpredictable, so that text from the scheduler is never mistaken for a number. */
const mark = `number ${randomUUID()} `;
const numbers = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const marked = new RegExp(`"${mark}([^"]+)"`, "g");

/**
 * Parses JSON. A number that JavaScript would write differently becomes a marked text, which
 * {@link withNumbers} and {@link exactInteger} convert back.
 */
export function parseExactly(text: string): unknown {
  let exact = "";
  for (let position = 0; position < text.length;) {
    const quote = text.indexOf('"', position);
    const start = quote === -1 ? text.length : quote;
    exact += text
      .slice(position, start)
      .replace(numbers, (number) => (String(Number(number)) === number ? number : `"${mark}${number}"`));
    position = endOfText(text, start);
    exact += text.slice(start, position);
  }
  return JSON.parse(exact);
}

/** @returns the position after the closing quote */
function endOfText(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') {
    end += text[end] === "\\" ? 2 : 1;
  }
  return Math.min(end + 1, text.length);
}

/** @param json the exactly parsed value, as JSON */
export function withNumbers(json: string): string {
  return json.replace(marked, "$1");
}

/** The number, as a marked text if JSON cannot express it. */
export function markedInteger(value: number | bigint): number | string {
  return typeof value === "bigint" ? mark + value.toString() : value;
}

/** A whole number from 0, as a bigint if JavaScript's numbers cannot express it. */
export function exactInteger(value: unknown): number | bigint | undefined {
  if (typeof value === "string" && value.startsWith(mark)) {
    const digits = value.slice(mark.length);
    return /^\d+$/.test(digits) ? BigInt(digits) : undefined;
  }
  if (typeof value === "bigint") {
    return value;
  }
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
    return undefined;
  }
  return Number.isSafeInteger(value) ? value : BigInt(value);
}

interface Indexed {
  readonly index: number;
}

/** Set only for indexes that a number cannot express. */
const largeIndexes = new WeakMap<Indexed, bigint>();

/** The exact index of a frame or an event; its member `index` is the nearest number. */
export function exactIndex(item: Indexed): number | bigint {
  return largeIndexes.get(item) ?? item.index;
}

export function withIndex<Item extends Indexed>(item: Item, index: number | bigint): Item {
  if (typeof index === "bigint") {
    largeIndexes.set(item, index);
  }
  return item;
}
