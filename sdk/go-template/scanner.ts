import { quoted } from "../base/shown-text";
import { SyntaxProblem } from "./syntax";

export interface Token {
  readonly kind: "comment" | "constant" | "keyword" | "name" | "field" | "variable" | "sign";
  readonly text: string;
  readonly offset: number;
  /** Whether white space precedes it: `.A .B` are two operands, `.A.B` is one. */
  readonly spaced: boolean;
}

export interface Action {
  readonly kind: "action";
  readonly offset: number;
  readonly tokens: readonly Token[];
  /** Offset of the closing braces or their trim marker. */
  readonly end: number;
  readonly problem: SyntaxProblem | undefined;
}

interface Text {
  readonly kind: "text";
  readonly offset: number;
  readonly text: string;
}

const constants: readonly string[] = ["true", "false", "nil"];
const keywords: readonly string[] = "block break continue define else end if range template with".split(" ");

const closing = /\}\}|(?<=[ \t\r\n])-\}\}/y;
const words: readonly (readonly [Token["kind"], RegExp])[] = [
  ["comment", /\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/(?=\}\}|[ \t\r\n]-\}\})/y],
  // Anything that begins like a number.
  ["constant", /[+-]?\.?\d(?:[eEpP][+-]|[\p{L}\p{Nd}_.])*(?:[+-][\d_.]+i)?/uy],
  ["constant", /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"|'[^'\\\n]*(?:\\[^\n][^'\\\n]*)*'|`[^`]*`/y],
  ["field", /\.[\p{L}\p{Nd}_]+/uy],
  ["variable", /\$[\p{L}\p{Nd}_]*/uy],
  ["name", /[\p{L}\p{Nd}_]+/uy],
  ["sign", /:=|[.=|,()]/y],
];

/** Omits white space that trim markers remove. Continues after an unreadable action, to find all problems at once. */
export function* divide(text: string): Generator<Text | Action> {
  let trimsStart = false;
  for (let position = 0; position < text.length;) {
    const next = text.indexOf("{{", position);
    const opening = next === -1 ? text.length : next;
    const trimsEnd = text[opening + 2] === "-" && isSpace(text[opening + 3]);
    let [start, end] = [position, opening];
    while (trimsStart && start < end && isSpace(text[start])) {
      start++;
    }
    while (trimsEnd && end > start && isSpace(text[end - 1])) {
      end--;
    }
    if (end > start) {
      yield { kind: "text", offset: start, text: text.slice(start, end) };
    }
    position = text.length;
    if (opening < text.length) {
      const { next: behind, ...action } = readAction(text, opening, opening + (trimsEnd ? 4 : 2));
      yield action;
      position = behind;
      trimsStart = text[action.end] === "-";
    }
  }
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\r" || character === "\n";
}

function readAction(text: string, offset: number, inside: number): Action & { readonly next: number } {
  const tokens: Token[] = [];
  for (let end = inside; ;) {
    const start = end;
    while (isSpace(text[end])) {
      end++;
    }
    const mark = wordAt(text, end, closing);
    if (mark !== undefined) {
      return { kind: "action", offset, tokens, end, problem: undefined, next: end + mark.length };
    }
    const token = tokenAt(text, end, end > start);
    if (token === undefined) {
      return { kind: "action", offset, tokens, ...recovered(text, offset, end) };
    }
    tokens.push(token);
    end += token.text.length;
  }
}

function wordAt(text: string, offset: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
}

function tokenAt(text: string, offset: number, spaced: boolean): Token | undefined {
  for (const [kind, pattern] of words) {
    const word = wordAt(text, offset, pattern);
    if (word !== undefined) {
      const special = keywords.includes(word) ? "keyword" : constants.includes(word) ? "constant" : kind;
      return { kind: special, text: word, offset, spaced };
    }
  }
  return undefined;
}

/** Continues after the next `}}`, or at the next `{{` if that comes first. */
function recovered(text: string, opening: number, offset: number) {
  const marks = /\{\{|\}\}/g;
  marks.lastIndex = offset;
  const mark = marks.exec(text);
  const end = mark?.index ?? text.length;
  if (mark?.[0] !== "}}") {
    const problem = new SyntaxProblem(opening, "The action is not closed: `}}` is missing.");
    return { end, problem, next: end };
  }
  const piece = wordAt(text, offset, /\/\*|[^]/uy) ?? "";
  const what = /["'`]|\/\*/.test(piece) ? "is not closed" : "is not allowed here";
  return { end, problem: new SyntaxProblem(offset, `${quoted(piece)} ${what}.`), next: marks.lastIndex };
}
