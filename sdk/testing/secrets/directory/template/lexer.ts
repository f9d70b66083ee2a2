import { TemplateError } from "./template-error";

export type TokenKind =
  "field" | "dot" | "variable" | "identifier" | "text" | "integer" | "float" | "punctuation";

/** A word of an action. */
export interface Token {
  readonly kind: TokenKind;
  /** A field or variable without its sign, a text without quotes, a number in a form that JavaScript reads. */
  readonly value: string;
  /** As it is written. */
  readonly source: string;
  /** Whether it stands at the beginning, or after a space: `.A .B` are two operands, `.A.B` is one. */
  readonly spaced: boolean;
  /** Line, and column of octets, as `1:5`. */
  readonly place: string;
}

/** A template is a sequence of texts and actions. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "action"; readonly tokens: readonly Token[]; readonly line: number };

const words: readonly [TokenKind, RegExp][] = [
  ["field", /\.[\p{L}_][\p{L}\p{Nd}_]*/uy],
  ["variable", /\$(?:[\p{L}_][\p{L}\p{Nd}_]*)?/uy],
  ["text", /"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`/y],
  ["integer", /'(?:[^'\\\n]|\\[^\n])+'/y],
  ["float", /[+-]?(?:\d[\d_]*\.\d*|\.\d+|\d[\d_]*(?=[eE]))(?:[eE][+-]?\d+)?/y],
  ["integer", /[+-]?(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\d[\d_]*)/y],
  ["dot", /\./y],
  ["identifier", /[\p{L}_][\p{L}\p{Nd}_]*/uy],
  ["punctuation", /:=|[|()=,]/y],
];

/**
 * Divides a template into texts and actions, and these into words.
 *
 * @throws TemplateError when an action, a comment or a quoted text does not end, or a character has no meaning
 */
export function divide(template: string): Part[] {
  const parts: Part[] = [];
  let position = 0;
  let trimsLeft = false;
  for (;;) {
    const opening = template.indexOf("{{", position);
    const text = template.slice(position, opening === -1 ? undefined : opening);
    const leftTrimmed = trimsLeft ? text.replace(/^[ \t\r\n]+/, "") : text;
    if (opening === -1) {
      return [...parts, { kind: "text", text: leftTrimmed }];
    }
    const trimsRight = /^-[ \t\r\n]/.test(template.slice(opening + 2, opening + 4));
    parts.push({ kind: "text", text: trimsRight ? leftTrimmed.replace(/[ \t\r\n]+$/, "") : leftTrimmed });
    const inside = opening + (trimsRight ? 4 : 2);
    const action = template.startsWith("/*", inside)
      ? skipComment(template, inside)
      : readAction(template, inside);
    if (action.tokens !== undefined) {
      parts.push({ kind: "action", tokens: action.tokens, line: lineAt(template, opening) });
    }
    ({ end: position, trims: trimsLeft } = action);
  }
}

interface ReadAction {
  /** Behind the closing braces. */
  readonly end: number;
  /** Whether white space behind it is left out. */
  readonly trims: boolean;
  /** None for a comment. */
  readonly tokens?: readonly Token[];
}

function skipComment(template: string, start: number): ReadAction {
  const closing = template.indexOf("*/", start);
  if (closing === -1) {
    throw failure(template, template.length, "unclosed comment");
  }
  const end = /^(?:[ \t\r\n]+-)?\}\}/.exec(template.slice(closing + 2));
  if (end === null) {
    throw failure(template, closing, "comment ends before closing delimiter");
  }
  return { end: closing + 2 + end[0].length, trims: end[0].includes("-") };
}

function readAction(template: string, start: number): ReadAction {
  const tokens: Token[] = [];
  let position = start;
  for (;;) {
    const space = /^[ \t\r\n]*/.exec(template.slice(position))?.[0] ?? "";
    position += space.length;
    const closing = /^(-?)\}\}/.exec(template.slice(position));
    if (closing !== null && (closing[1] === "" || space !== "")) {
      return { end: position + closing[0].length, trims: closing[1] === "-", tokens };
    }
    if (position >= template.length) {
      throw failure(template, template.length, "unclosed action");
    }
    const token = readToken(template, position, space !== "" || tokens.length === 0);
    tokens.push(token);
    position += token.source.length;
  }
}

function readToken(template: string, position: number, spaced: boolean): Token {
  for (const [kind, pattern] of words) {
    pattern.lastIndex = position;
    const [source] = pattern.exec(template) ?? [];
    if (source !== undefined) {
      const value = (): string => valueOf(kind, source, template, position);
      return { kind, source, spaced, value: value(), place: placeAt(template, position) };
    }
  }
  const character = String.fromCodePoint(template.codePointAt(position) ?? 0);
  if (character === '"' || character === "`" || character === "'") {
    const what = { '"': "quoted string", "`": "raw quoted string", "'": "character constant" }[character];
    throw failure(template, position, `unterminated ${what}`);
  }
  throw failure(template, position, `unexpected ${JSON.stringify(character)} in operand`);
}

function valueOf(kind: TokenKind, source: string, template: string, position: number): string {
  const invalid = (what: string): TemplateError =>
    failure(template, position, `bad ${what} syntax: ${source}`);
  switch (kind) {
    case "field":
    case "variable":
      return source.slice(1);
    case "text":
      return source.startsWith("`") ? source.slice(1, -1) : unquote(source.slice(1, -1), invalid("string"));
    case "integer": {
      if (source.startsWith("'")) {
        const [character, ...more] = Array.from(unquote(source.slice(1, -1), invalid("character")));
        if (character === undefined || more.length > 0) {
          throw invalid("character");
        }
        return String(character.codePointAt(0));
      }
      return readInteger(source);
    }
    case "float":
      return String(Number(source.replaceAll("_", "")));
    default:
      return source;
  }
}

/** A leading zero means octal, as everywhere in the language that the templates come from. */
function readInteger(source: string): string {
  const [, sign = "", digits = ""] = /^([+-]?)(.*)$/.exec(source.replaceAll("_", "")) ?? [];
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  const value = BigInt(octal);
  return String(sign === "-" ? -value : value);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
]);

function unquote(text: string, invalid: TemplateError): string {
  return text.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|([^]))/g,
    (_whole, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      const digits = hex ?? short ?? long;
      const code = digits === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(digits, 16);
      const character = letter === undefined ? undefined : escapes.get(letter);
      if (character !== undefined) {
        return character;
      }
      if (Number.isNaN(code) || code > 0x10ffff) {
        throw invalid;
      }
      return String.fromCodePoint(code);
    },
  );
}

function failure(template: string, position: number, reason: string): TemplateError {
  return new TemplateError(`template: template:${lineAt(template, position)}: ${reason}`);
}

function lineAt(template: string, position: number): number {
  return template.slice(0, position).split("\n").length;
}

function placeAt(template: string, position: number): string {
  const column = Buffer.byteLength(template.slice(template.lastIndexOf("\n", position - 1) + 1, position));
  return `${lineAt(template, position)}:${column}`;
}
