import type { JsonValue } from "../../base/json";

/** As wide as a line may be before it is broken, by the custom of formatters. */
const width = 80;
const step = "  ";

/**
 * A value in TypeScript, laid out as formatters do.
 *
 * @param indent what the line begins with on which the value starts
 * @param before how many characters stand before it on that line, indentation included
 */
export function literal(value: JsonValue, indent: string, before: number): string {
  if (typeof value === "string") {
    return textLiteral(value);
  }
  if (typeof value !== "object" || value === null) {
    return String(value);
  }
  if (Array.isArray(value)) {
    return arrayLiteral(value as readonly JsonValue[], indent, before);
  }
  const members = Object.entries(value).map(([name, member]: [string, JsonValue]) => {
    const start = `${indent}${step}${propertyName(name)}: `;
    return `${start}${literal(member, indent + step, start.length)},\n`;
  });
  return members.length === 0 ? "{}" : `{\n${members.join("")}${indent}}`;
}

function arrayLiteral(items: readonly JsonValue[], indent: string, before: number): string {
  const inner = indent + step;
  const texts = items.map((item) => literal(item, inner, inner.length));
  const oneLine = `[${texts.join(", ")}]`;
  return before + oneLine.length + 1 <= width && !oneLine.includes("\n")
    ? oneLine
    : `[\n${texts.map((text) => `${inner}${text},\n`).join("")}${indent}]`;
}

/** Text of several lines stays readable as such; nothing in it can end it early or hide what it says. */
export function textLiteral(text: string): string {
  if (text.includes("\n") && !/[^\P{C}\n]|\u2028|\u2029/u.test(text)) {
    return `\`${text.replace(/[\\`]|\$(?=\{)/g, "\\$&")}\``;
  }
  return quoted(text);
}

function quoted(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replace(/\p{C}|\u2028|\u2029/gu, escapeCode);
  const quote = count(text, '"') > count(text, "'") ? "'" : '"';
  return `${quote}${escaped.replaceAll(quote, `\\${quote}`)}${quote}`;
}

function escapeCode(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

function propertyName(name: string): string {
  if (name === "__proto__") {
    // Any other way to write it names the prototype of the object.
    return '["__proto__"]';
  }
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}
