import { quoted } from "./finding";
import { keywords, SyntaxProblem, type Token, type TokenKind } from "./token";

const word = /[\p{L}\p{Nd}_]+/uy;
const wordCharacter = /[\p{L}\p{Nd}_]/uy;
const numberPart =
  /[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)i?/y;

/** Characters that end a name; after any other the name would be ambiguous. */
const terminators = new Set([" ", "\t", "\r", "\n", ".", ",", "|", ":", ")", "("]);

/** The white space that trim markers remove and that separates arguments. */
export function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\r" || character === "\n";
}

/**
 * The length of what closes an action at this place: `}}`, or `-}}` after white space. Zero when nothing does.
 */
export function closingLength(text: string, position: number): number {
  if (text.startsWith("}}", position)) {
    return 2;
  }
  return isSpace(text[position]) && text.startsWith("-}}", position + 1) ? 4 : 0;
}

function characterAt(text: string, position: number): string {
  return String.fromCodePoint(text.codePointAt(position) ?? 0);
}

/** Reads the words of one action. */
export class ActionLexer {
  readonly tokens: Token[] = [];
  private spaced = false;

  /**
   * @param position behind `{{` and its trim marker
   */
  constructor(
    private readonly text: string,
    private position: number,
  ) {}

  /**
   * @returns where what closes the action begins
   * @throws SyntaxProblem at what is no word, or at the end of the text
   */
  read(): number {
    while (closingLength(this.text, this.position) === 0) {
      if (isSpace(this.text[this.position])) {
        this.position++;
        this.spaced = true;
      } else {
        this.readToken();
      }
    }
    return this.position;
  }

  private readToken(): void {
    const { position: offset, spaced } = this;
    if (offset >= this.text.length || this.text.startsWith("{{", offset)) {
      throw new SyntaxProblem(offset, "The action is not closed before this.");
    }
    const [kind, end] = this.token();
    this.tokens.push({ kind, text: this.text.slice(offset, end), offset, spaced });
    this.position = end;
    this.spaced = false;
  }

  /** What the next token is and where it ends. */
  private token(): readonly [TokenKind, number] {
    const { text, position } = this;
    const next = text[position + 1] ?? "";
    switch (text[position]) {
      case '"':
        return ["string", this.quotedEnd('"', "string")];
      case "'":
        return ["character", this.quotedEnd("'", "character")];
      case "`":
        return ["string", this.rawStringEnd()];
      case "|":
        return ["pipe", position + 1];
      case "(":
        return ["open", position + 1];
      case ")":
        return ["close", position + 1];
      case "=":
        return ["assign", position + 1];
      case ":":
        if (next !== "=") {
          throw new SyntaxProblem(position, "`:` has no meaning here; `:=` declares a variable.");
        }
        return ["declare", position + 2];
      case "$":
        return ["variable", this.nameEnd(position + 1)];
      case ".":
        return /\d/.test(next) ? ["number", this.numberEnd()] : this.dotOrField();
      default:
        return /[+\-\d]/.test(text[position] ?? "") ? ["number", this.numberEnd()] : this.wordOrSymbol();
    }
  }

  private dotOrField(): readonly [TokenKind, number] {
    const end = this.nameEnd(this.position + 1);
    return [end === this.position + 1 ? "dot" : "field", end];
  }

  private wordOrSymbol(): readonly [TokenKind, number] {
    const { text, position } = this;
    const name = this.match(word, position);
    if (name !== "") {
      const kind = keywords.has(name) ? "keyword" : /^(?:true|false)$/.test(name) ? "boolean" : "identifier";
      return [kind, this.nameEnd(position)];
    }
    const character = characterAt(text, position);
    if (character < " " || character > "~") {
      throw new SyntaxProblem(position, `${quoted(character)} has no meaning in an action.`);
    }
    return ["symbol", position + 1];
  }

  private match(pattern: RegExp, position: number): string {
    pattern.lastIndex = position;
    return pattern.exec(this.text)?.[0] ?? "";
  }

  private nameEnd(position: number): number {
    const end = position + this.match(word, position).length;
    const character = this.text[end];
    if (character === undefined || terminators.has(character) || this.text.startsWith("}}", end)) {
      return end;
    }
    if (this.text.startsWith("-}}", end)) {
      throw new SyntaxProblem(end, "`-}}` needs a space before it.");
    }
    const name = quoted(this.text.slice(this.position, end));
    throw new SyntaxProblem(
      end,
      `${quoted(characterAt(this.text, end))} cannot follow ${name} without a space.`,
    );
  }

  private numberEnd(): number {
    const end = this.numberPartEnd(this.position);
    if (this.text.startsWith("-}}", end)) {
      throw new SyntaxProblem(end, "`-}}` needs a space before it.");
    }
    // The second part of a complex number.
    return this.text[end] === "+" || this.text[end] === "-" ? this.numberPartEnd(end) : end;
  }

  private numberPartEnd(position: number): number {
    const end = position + this.match(numberPart, position).length;
    if (this.match(wordCharacter, end) !== "") {
      const whole = this.text.slice(this.position, end + this.match(word, end).length);
      const trimMarker = whole.startsWith("-") && this.text.startsWith("{{-", this.position - 2);
      throw new SyntaxProblem(
        this.position,
        trimMarker ? "`{{-` needs a space after it." : `${quoted(whole)} is not a number.`,
      );
    }
    return end;
  }

  private quotedEnd(quote: string, what: string): number {
    const { text } = this;
    for (let end = this.position + 1; end < text.length && text[end] !== "\n"; end++) {
      if (text[end] === quote) {
        return end + 1;
      }
      if (text[end] === "\\" && text[end + 1] !== "\n") {
        end++;
      }
    }
    throw new SyntaxProblem(
      this.position,
      `The ${what} that begins here is not closed: ${quoted(quote)} is missing on this line.`,
    );
  }

  private rawStringEnd(): number {
    const end = this.text.indexOf("`", this.position + 1);
    if (end === -1) {
      throw new SyntaxProblem(this.position, "The raw string that begins here is not closed.");
    }
    return end + 1;
  }
}
