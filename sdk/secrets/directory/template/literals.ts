const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

const escape = /\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y;

/**
 * The text that a literal of the template language stands for.
 *
 * @param source with its quotes: `"interpreted"`, `` `raw` `` or `'c'`
 * @returns `undefined` when it holds an escape sequence which the language does not have
 */
export function literalText(source: string): string | undefined {
  const quote = source[0];
  const inner = source.slice(1, -1);
  if (quote === "`") {
    return inner.replaceAll("\r", "");
  }
  const parts: string[] = [];
  for (let position = 0; position < inner.length;) {
    const backslash = inner.indexOf("\\", position);
    const end = backslash === -1 ? inner.length : backslash;
    parts.push(inner.slice(position, end));
    position = end;
    if (backslash !== -1) {
      escape.lastIndex = backslash;
      const character = unescaped(escape.exec(inner), quote);
      if (character === undefined) {
        return undefined;
      }
      parts.push(character);
      position = escape.lastIndex;
    }
  }
  return parts.join("");
}

function unescaped(match: RegExpExecArray | null, quote: string | undefined): string | undefined {
  const [, simple, hexByte, octalByte, short, long] = match ?? [];
  if (simple === "'" || simple === '"') {
    return simple === quote ? simple : undefined;
  }
  if (simple !== undefined) {
    return simpleEscapes[simple];
  }
  if (octalByte !== undefined) {
    const byte = Number.parseInt(octalByte, 8);
    return byte <= 0xff ? String.fromCharCode(byte) : undefined;
  }
  if (hexByte !== undefined) {
    return String.fromCharCode(Number.parseInt(hexByte, 16));
  }
  const digits = short ?? long;
  const codePoint = digits === undefined ? Number.NaN : Number.parseInt(digits, 16);
  const valid = codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff);
  return valid ? String.fromCodePoint(codePoint) : undefined;
}
