/**
 * The ways in which a secret shows up in a text: as it is, escaped in JSON or in markup, encoded in an address or a
 * form, in base64 (by itself, or inside something longer that was encoded), in hexadecimal, and in parts: line by
 * line, and an address without its host.
 */
export function appearancesOf(secret: string): ReadonlySet<string> {
  const texts = [secret, secret.trim(), ...encodedLines(secret), ...placeIn(secret)].filter(
    (text) => text !== "",
  );
  return new Set(
    texts.flatMap((text) => [
      text,
      ...inJson(text),
      ...inMarkup(text),
      ...inAddresses(text),
      ...inBase64(text),
      ...inHexadecimal(text),
    ]),
  );
}

/** Indentation and quoting tear a key in PEM apart; each of its lines is worth hiding, its frame is not. */
function encodedLines(secret: string): string[] {
  const lines = secret.split(/\r\n|\r|\n/);
  return lines.length === 1
    ? []
    : lines.map((line) => line.trim()).filter((line) => /^[\w+/=-]{16,}$/.test(line));
}

/** Shorter ones are words such as `/hooks/build`, which stand in many texts. */
const shortestPlace = 16;

/** What makes an address secret is its path and query, and servers repeat these without the host. */
function placeIn(secret: string): string[] {
  if (!/^https?:\/\//i.test(secret) || !URL.canParse(secret)) {
    return [];
  }
  const { pathname, search } = new URL(secret);
  const asWritten = secret.replace(/^https?:\/\/[^/?#]*\//i, "").replace(/#.*/s, "");
  return [pathname.slice(1), pathname.slice(1) + search, asWritten].filter(
    (place) => place.length >= shortestPlace,
  );
}

function inJson(text: string): string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  const unicode = (pattern: RegExp): string[] => {
    const escaped = once.replace(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return [
      escaped,
      escaped.replace(/\\u[\da-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`),
      escaped.replaceAll("/", "\\/"),
    ];
  };
  // Encoders differ in what else they escape: signs of HTML, quotes, everything beyond ASCII, the slash.
  return [once, twice, ...[/[<>&]/g, /[<>&'=]/g, /[^ -~]/g].flatMap(unicode)];
}

/** Signs in markup, by the names and numbers that the usual encoders give them. */
const markupSigns: readonly (readonly [sign: string, ...codes: readonly string[]])[] = [
  ["&", "&amp;", "&amp;", "&amp;"],
  ["<", "&lt;", "&lt;", "&lt;"],
  [">", "&gt;", "&gt;", "&gt;"],
  ['"', "&quot;", "&#34;", "&quot;"],
  ["'", "&#39;", "&#39;", "&#x27;"],
];

function inMarkup(text: string): string[] {
  return [1, 2, 3].map((encoder) =>
    markupSigns.reduce((escaped, signs) => escaped.replaceAll(signs[0], signs[encoder] ?? signs[0]), text),
  );
}

function inAddresses(text: string): string[] {
  const wellFormed = text.replace(/\p{Surrogate}/gu, "\ufffd");
  const percent = encodeURIComponent(wellFormed);
  const strict = percent.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams({ "": wellFormed }).toString().slice(1);
  const path = encodeURI(wellFormed);
  const all = [percent, strict, form, path];
  return [...all, ...all.map((each) => each.replace(/%../g, (code) => code.toLowerCase()))];
}

function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // The characters at either end also hold bits of what stands beside the secret.
    const incomplete = (shift + bytes.length) % 3 === 0 ? 0 : 1;
    const core = encoded.slice(shift === 0 ? 0 : shift + 1, encoded.length - incomplete);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function inHexadecimal(text: string): string[] {
  const digits = Buffer.from(text).toString("hex");
  return [digits, digits.toUpperCase()];
}
