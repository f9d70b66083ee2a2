import type { Canonical } from "../../resource/fields/field";
import { textComparedBy } from "../../resource/fields/kinds";

/** The types of RFC 4514, whose values are case-insensitive. */
const types: Readonly<Record<string, string>> = {
  "2.5.4.3": "cn",
  "2.5.4.6": "c",
  "2.5.4.7": "l",
  "2.5.4.8": "st",
  "2.5.4.9": "street",
  "2.5.4.10": "o",
  "2.5.4.11": "ou",
  "0.9.2342.19200300.100.1.1": "uid",
  "0.9.2342.19200300.100.1.25": "dc",
};
const foldedTypes = new Set(Object.values(types));

/** Also the older form with quotes and semicolons. */
const attribute =
  /\s*(?:oid\.)?([a-z][a-z\d-]*|\d+(?:\.\d+)*)\s*=(?:\s*"((?:[^"\\]|\\.)*)"\s*|((?:[^"\\,;+]|\\.)*))([,;+]|$)/isuy;

/** Names compare by meaning: case of types, white space and escapes do not matter. Any other text stays as it is. */
export const distinguishedName: Canonical = (value) => {
  if (typeof value !== "string" || value === "") {
    return value;
  }
  const names: string[][] = [[]];
  for (attribute.lastIndex = 0; attribute.lastIndex < value.length;) {
    const [, given = "", quoted, plain = "", separator] = attribute.exec(value) ?? [];
    if (separator === undefined) {
      return value;
    }
    const type = types[given] ?? given.toLowerCase();
    const text = quoted === undefined ? unescaped(plain, true) : unescaped(quoted, false);
    names.at(-1)?.push(`${type}=${foldedTypes.has(type) ? text.toLowerCase().replace(/\s+/g, " ") : text}`);
    if (separator === "") {
      return JSON.stringify(names.map((parts) => parts.sort()));
    }
    if (separator !== "+") {
      names.push([]);
    }
  }
  return value;
};

export const dnText = textComparedBy(distinguishedName);

/** An escaped byte is a part of UTF-8. Only white space that is not escaped is removed at the ends. */
function unescaped(text: string, trims: boolean): string {
  const parts = text.match(/\\[\da-f]{2}|\\.|[^\\]/gisu) ?? [];
  const isKept = (part: string): boolean => !trims || /\S/.test(part) || part.length > 1;
  const kept = parts.slice(Math.max(0, parts.findIndex(isKept)), parts.findLastIndex(isKept) + 1);
  return Buffer.concat(
    kept.map((part) =>
      /^\\[\da-f]{2}$/i.test(part)
        ? Buffer.from(part.slice(1), "hex")
        : Buffer.from(part.replace(/^\\/, ""), "utf8"),
    ),
  ).toString("utf8");
}
