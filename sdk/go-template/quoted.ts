const longestQuote = 60;

/** A piece of a template as messages show it: on one line, in back quotes, not too long. */
export function quoted(piece: string): string {
  // A cut may go through a character that takes two units.
  const start =
    piece.length > longestQuote ? piece.slice(0, longestQuote).replace(/[\ud800-\udbff]$/, "") : piece;
  const visible = start.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escaped);
  return `\`${visible}${start.length < piece.length ? "..." : ""}\``;
}

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(character: string): string {
  return shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
