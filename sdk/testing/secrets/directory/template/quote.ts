import { FunctionError, isPrintable, runeBytes, runesOf, type Rune } from "./values";

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
};
const unescapes = new Map(Object.entries(escapes).map(([character, escape]) => [escape, character]));

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");

function escaped({ code, bytes }: Rune, mark: string, isAscii: boolean): string {
  if (bytes === mark) {
    return `\\${mark}`;
  }
  if (bytes.length === 1 && bytes > "\x7f") {
    return `\\x${hex(bytes.charCodeAt(0), 2)}`;
  }
  const short = escapes[bytes];
  if (short !== undefined || (isPrintable(code) && !(isAscii && code > 0x7e))) {
    return short ?? bytes;
  }
  if (code < 0x20 || code === 0x7f) {
    return `\\x${hex(code, 2)}`;
  }
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

/** As `strconv.Quote`. */
export function quotedBytes(bytes: string, isAscii: boolean): string {
  return `"${runesOf(bytes)
    .map((rune) => escaped(rune, '"', isAscii))
    .join("")}"`;
}

/** As `strconv.QuoteRune`. */
export function quotedRune(code: number, isAscii: boolean): string {
  const bytes = runeBytes(code);
  const [rune = { code, bytes }] = runesOf(bytes);
  return `'${escaped(rune, "'", isAscii)}'`;
}

/** As `strconv.CanBackquote`. */
export function canBackquote(bytes: string): boolean {
  return runesOf(bytes).every(
    ({ code, bytes: each }) =>
      !(each.length === 1 && each > "\x7f") &&
      code !== 0xfeff &&
      (each === "\t" || (code >= 32 && code !== 0x7f && each !== "`")),
  );
}

const escape = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.))|[^]/gsu;

/**
 * Like `strconv.Unquote`, for a string with its quotes.
 *
 * @returns bytes
 */
export function unquoted(source: string): string {
  const mark = source.charAt(0);
  if (mark === "`") {
    return Buffer.from(source.slice(1, -1).replaceAll("\r", ""), "utf8").toString("latin1");
  }
  return source
    .slice(1, -1)
    .replace(escape, (whole, x?: string, u?: string, long?: string, octal?: string, short?: string) => {
      const code = Number.parseInt(octal ?? x ?? u ?? long ?? "", octal === undefined ? 16 : 8);
      if (octal !== undefined || x !== undefined) {
        return code > 0xff ? invalidSyntax() : String.fromCharCode(code);
      }
      if (u !== undefined || long !== undefined) {
        return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? invalidSyntax() : runeBytes(code);
      }
      return short === mark
        ? mark
        : short === undefined
          ? utf8(whole)
          : (unescapes.get(whole) ?? invalidSyntax());
    });
}

function utf8(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function invalidSyntax(): never {
  throw new FunctionError("invalid syntax");
}
