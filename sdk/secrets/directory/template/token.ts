/** What kind of thing a token is. A `symbol` is a character that the language has no use for where it stands. */
export type TokenKind =
  | "identifier"
  | "keyword"
  | "boolean"
  | "dot"
  | "field"
  | "variable"
  | "number"
  | "character"
  | "string"
  | "pipe"
  | "declare"
  | "assign"
  | "open"
  | "close"
  | "symbol";

/** One word of an action. */
export interface Token {
  readonly kind: TokenKind;
  /** As it stands in the template, quotes included. */
  readonly text: string;
  readonly offset: number;
  /** White space stands before it: arguments are told apart by that. */
  readonly spaced: boolean;
}

/** Words that cannot be the name of a function. */
export const keywords: ReadonlySet<string> = new Set([
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "range",
  "nil",
  "template",
  "with",
]);

/** What keeps a template from being read. */
export class SyntaxProblem extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}
