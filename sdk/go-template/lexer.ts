import { quoted } from "./quoted";
import { SyntaxProblem } from "./syntax-problem";

/** What kind of word it is. A `sign` is any other printable character; what it means depends on where it stands. */
export type TokenKind =
  "name" | "keyword" | "field" | "dot" | "variable" | "number" | "character" | "string" | "sign";

/** A word of an action. */
export interface Token {
  readonly kind: TokenKind;
  /** As written in the template, quotes included. */
  readonly text: string;
  readonly offset: number;
  /** White space stands before it: `.A .B` are two operands, `.A.B` is one. */
  readonly spaced: boolean;
}

/** The words of `{{...}}`. */
export interface Action {
  readonly kind: "action";
  readonly offset: number;
  /** Where what closes it begins. */
  readonly end: number;
  readonly tokens: readonly Token[];
  /** It could not be read to its end; the words before are there. */
  readonly broken: boolean;
}

/** A stretch of a template. */
export type Segment =
  Action | { readonly kind: "text"; readonly text: string; readonly offset: number } | Comment;

interface Comment {
  readonly kind: "comment";
  readonly offset: number;
}

const keywords: ReadonlySet<string> = new Set([
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "range",
  "template",
  "with",
]);

const words: readonly (readonly [TokenKind, RegExp])[] = [
  // Whatever begins like a number; the parser says whether it is one.
  ["number", /(?:[+-]|\.?\d)(?:[eEpP][+-]|[\p{L}\p{Nd}_.])*(?:[+-][\d_.]+i)?/uy],
  ["field", /\.[\p{L}\p{Nd}_]+/uy],
  ["dot", /\./y],
  ["variable", /\$[\p{L}\p{Nd}_]*/uy],
  ["name", /[\p{L}\p{Nd}_]+/uy],
  ["string", /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"|`[^`]*`/y],
  ["character", /'[^'\\\n]*(?:\\[^\n][^'\\\n]*)*'/y],
  ["sign", /:=|[!-~]/y],
];
/** What may follow a name, a field or a variable directly. */
const afterName = /[ \t\r\n.,|:()]|\}\}|$/y;

const notClosed = "The action is not closed: `}}` is missing.";
const unterminated = (what: string, quote: string): string =>
  `The ${what} that begins here is not closed: ${quote} is missing on this line.`;
/** What is wrong with signs that are the beginning of something, and the same in the words of servers. */
const openSigns: Readonly<Record<string, readonly [message: string, reason: string]>> = {
  '"': [unterminated("string", '`"`'), "unterminated quoted string"],
  "'": [unterminated("character", "`'`"), "unterminated character constant"],
  "`": ["The raw string that begins here is not closed.", "unterminated raw quoted string"],
  ":": ["`:` is not allowed here; `:=` declares a variable.", "expected :="],
};

/**
 * Divides a template into segments, without the white space that trim markers remove. Goes on behind what it cannot
 * read, so that everything that is wrong is found at once.
 */
export function* divide(text: string, report: (problem: SyntaxProblem) => void): Generator<Segment> {
  let position = 0;
  let trimsStart = false;
  for (;;) {
    const opening = text.indexOf("{{", position);
    const trimsEnd = opening !== -1 && text[opening + 2] === "-" && isSpace(text[opening + 3]);
    const [start, end] = trimmed(
      text,
      position,
      opening === -1 ? text.length : opening,
      trimsStart,
      trimsEnd,
    );
    if (end > start) {
      yield { kind: "text", text: text.slice(start, end), offset: start };
    }
    if (opening === -1) {
      return;
    }
    const inside = opening + (trimsEnd ? 4 : 2);
    const tokens: Token[] | undefined = text.startsWith("/*", inside) ? undefined : [];
    let broken = false;
    let closing: Closing;
    try {
      closing = tokens === undefined ? closingOfComment(text, inside) : readTokens(text, inside, tokens);
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) {
        throw error;
      }
      broken = true;
      closing = recover(text, opening, error, report);
    }
    yield tokens === undefined
      ? { kind: "comment", offset: opening }
      : { kind: "action", offset: opening, end: closing.start, tokens, broken };
    position = closing.end;
    trimsStart = closing.trims;
  }
}

/** What ends an action: `}}`, or `-}}` after white space. */
interface Closing {
  readonly start: number;
  readonly end: number;
  readonly trims: boolean;
}

function closingAt(text: string, position: number, spaced: boolean): Closing | undefined {
  const trims = spaced && text[position] === "-";
  const end = position + (trims ? 3 : 2);
  return text.startsWith("}}", end - 2) ? { start: position, end, trims } : undefined;
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\r" || character === "\n";
}

function trimmed(
  text: string,
  from: number,
  to: number,
  trimsStart: boolean,
  trimsEnd: boolean,
): [number, number] {
  let [start, end] = [from, to];
  while (trimsStart && start < end && isSpace(text[start])) {
    start++;
  }
  while (trimsEnd && end > start && isSpace(text[end - 1])) {
    end--;
  }
  return [start, end];
}

function closingOfComment(text: string, inside: number): Closing {
  const last = text.indexOf("*/", inside + 2);
  if (last === -1) {
    const message = "The comment is not closed: `*/}}` is missing.";
    throw new SyntaxProblem(text.length, message, "unclosed comment", inside);
  }
  const spaced = isSpace(text[last + 2]);
  const closing = closingAt(text, last + (spaced ? 3 : 2), spaced);
  if (closing === undefined || (spaced && !closing.trims)) {
    const message = "`}}` must directly follow the end of a comment.";
    throw new SyntaxProblem(last + 2, message, "comment ends before closing delimiter");
  }
  return closing;
}

/** Reads the words of an action into `tokens`, which has what came before when it throws. */
function readTokens(text: string, inside: number, tokens: Token[]): Closing {
  for (let position = inside; ;) {
    const start = position;
    while (isSpace(text[position])) {
      position++;
    }
    const spaced = position > start;
    const closing = closingAt(text, position, spaced);
    if (closing !== undefined) {
      return closing;
    }
    const token = readToken(text, position, spaced);
    tokens.push(token);
    position += token.text.length;
  }
}

function readToken(text: string, offset: number, spaced: boolean): Token {
  if (offset >= text.length || text.startsWith("{{", offset)) {
    const reason = offset < text.length ? 'unexpected "{" in command' : "unclosed action";
    throw new SyntaxProblem(offset, notClosed, reason);
  }
  for (const [kind, pattern] of words) {
    pattern.lastIndex = offset;
    const word = pattern.exec(text)?.[0];
    if (word !== undefined) {
      if (kind === "field" || kind === "variable" || kind === "name") {
        requireEndOfName(text, offset, word);
      } else if (word in openSigns) {
        throw new SyntaxProblem(offset, ...(openSigns[word] ?? ["", ""]));
      }
      if (/^-(?!\.?\d)/.test(word) && text.startsWith("{{", offset - 2)) {
        throw new SyntaxProblem(offset, "`{{-` needs a space after it.", `bad number syntax: "${word}"`);
      }
      return { kind: keywords.has(word) ? "keyword" : kind, text: word, offset, spaced };
    }
  }
  const character = characterAt(text, offset);
  const reason = `unrecognized character in action: ${codePoint(character)}`;
  throw new SyntaxProblem(offset, `${quoted(character)} is not allowed in an action.`, reason);
}

function requireEndOfName(text: string, offset: number, name: string): void {
  const end = offset + name.length;
  afterName.lastIndex = end;
  if (!afterName.test(text)) {
    const character = characterAt(text, end);
    const message = text.startsWith("-}}", end)
      ? "`-}}` needs a space before it."
      : `${quoted(character)} cannot follow ${quoted(name)} without a space.`;
    throw new SyntaxProblem(end, message, `bad character ${codePoint(character)}`);
  }
}

function characterAt(text: string, offset: number): string {
  return String.fromCodePoint(text.codePointAt(offset) ?? 0);
}

/** As servers show a character: `U+0022 '"'`. */
function codePoint(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return /[\p{C}\p{Z}]/u.test(character) ? `U+${digits}` : `U+${digits} '${character}'`;
}

/** Reports what is wrong with an action, and goes on behind the next `}}`, or at the next `{{` if that comes first. */
function recover(
  text: string,
  opening: number,
  problem: SyntaxProblem,
  report: (problem: SyntaxProblem) => void,
): Closing {
  const marks = /\{\{|\}\}/g;
  marks.lastIndex = problem.offset;
  const mark = marks.exec(text);
  if (mark?.[0] === "}}") {
    report(problem);
    return { start: mark.index, end: marks.lastIndex, trims: false };
  }
  // What looks strange is only the text behind an action that was not closed.
  const isComment = problem.reason === "unclosed comment";
  const message = isComment ? problem.message : notClosed;
  report(new SyntaxProblem(opening, message, problem.reason, problem.place));
  const end = mark?.index ?? text.length;
  return { start: end, end, trims: false };
}
