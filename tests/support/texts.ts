import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { textsWithin } from "../../sdk/resource/state/entry";

/** How services, proxies and tools encode text. Written independently of the library, whose redactor must know them. */
export const encodings: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  "JSON in JSON": (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  "JSON as Go writes it": (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll("&", "\\u0026")
      .replaceAll("<", "\\u003c")
      .replaceAll(">", "\\u003e"),
  "JSON as Python writes it": (text) => asciiJson(text),
  "JSON as PHP writes it": (text) => asciiJson(text).replaceAll("/", "\\/"),
  "markup as Go writes it": (text) => markup(text, { '"': "&#34;", "'": "&#39;" }),
  "markup as Python writes it": (text) => markup(text, { '"': "&quot;", "'": "&#x27;" }),
  "percent-encoded": (text) => encodeURIComponent(text),
  "percent-encoded in lower case": (text) =>
    encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  "percent-encoded as RFC 3986 wants it": (text) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  form: (text) => new URLSearchParams([["", text]]).toString().slice(1),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  "hexadecimal digits": (text) => Buffer.from(text).toString("hex"),
};

function asciiJson(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    const unit = text.charCodeAt(index);
    return unit > 126 ? `\\u${unit.toString(16).padStart(4, "0")}` : JSON.stringify(text[index]).slice(1, -1);
  }).join("");
}

function markup(text: string, quotes: Readonly<Record<string, string>>): string {
  const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", ...quotes };
  return text.replace(/[&<>"']/g, (sign) => signs[sign] ?? sign);
}

/** The texts in members of these names. */
export function textsOfMembers(value: unknown, names: RegExp): string[] {
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, item]) =>
        names.test(name) ? textsWithin(item) : textsOfMembers(item, names),
      )
    : [];
}

/** In base64 the last characters depend on the following text, so only the others are searched. */
export function encodingsFound(text: string, secret: string): string[] {
  return Object.entries(encodings)
    .filter(([name, encode]) => {
      const written = encode(secret);
      return text.includes(name.startsWith("base64") ? written.replace(/.?=*$/, "") : written);
    })
    .map(([name]) => name);
}

/** @returns what the text would do to a terminal, a log or a CI runner */
export function dangersIn(text: string, longest = 20_000): string[] {
  const found: readonly [string, boolean][] = [
    ["characters that steer a terminal", /[\p{Cc}\p{Cs}]/u.test(text)],
    ["characters that reorder or hide", /[\p{Cf}\u2028\u2029]/u.test(text)],
    ["a command at its beginning", /^\s*::/.test(text)],
    ["a command somewhere", /##[\w.]*\[/.test(text)],
    [`${text.length} characters`, text.length > longest],
  ];
  return found.filter(([, is]) => is).map(([what]) => what);
}

export async function textsIn(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("\n");
}
