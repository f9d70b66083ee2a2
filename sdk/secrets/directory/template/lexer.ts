import { ActionLexer, closingLength, isSpace } from "./action-lexer";
import type { Problems } from "./finding";
import { SyntaxProblem, type Token } from "./token";

/** A stretch of a template: text that is copied, a comment, or an action. */
export type Segment =
  | { readonly kind: "text"; readonly text: string; readonly offset: number }
  | {
      readonly kind: "comment";
      readonly offset: number;
      /** It does not end as it should. */
      readonly broken: boolean;
    }
  | {
      readonly kind: "action";
      readonly offset: number;
      /** Where the action is closed; where reading went on, if it could not be read. */
      readonly end: number;
      readonly tokens: readonly Token[];
      /** It could not be read to its end; the words before are there. */
      readonly broken: boolean;
    };

/**
 * Cuts a template into segments, white space that trim markers remove taken away. Goes on behind what cannot be
 * read, so that all that is wrong is found at once.
 */
export function lex(text: string, problems: Problems): Segment[] {
  return new Lexer(text, problems).read();
}

class Lexer {
  private readonly segments: Segment[] = [];
  private readonly openings: Finder;
  private readonly closings: Finder;
  private position = 0;
  /** The action before was closed with a trim marker. */
  private trims = false;

  constructor(
    private readonly text: string,
    private readonly problems: Problems,
  ) {
    this.openings = new Finder(text, "{{");
    this.closings = new Finder(text, "}}");
  }

  read(): Segment[] {
    for (;;) {
      const offset = this.openings.from(this.position);
      if (offset === undefined || this.problems.full) {
        this.readText(this.text.length, false);
        return this.segments;
      }
      const trims = this.text[offset + 2] === "-" && isSpace(this.text[offset + 3]);
      this.readText(offset, trims);
      const inside = offset + (trims ? 4 : 2);
      if (this.text.startsWith("/*", inside)) {
        this.readComment(offset, inside);
      } else {
        this.readAction(offset, inside);
      }
    }
  }

  private readText(until: number, trimsEnd: boolean): void {
    let start = this.position;
    let end = until;
    while (this.trims && start < end && isSpace(this.text[start])) {
      start++;
    }
    while (trimsEnd && end > start && isSpace(this.text[end - 1])) {
      end--;
    }
    if (end > start) {
      this.segments.push({ kind: "text", text: this.text.slice(start, end), offset: start });
    }
    this.trims = false;
  }

  private readComment(offset: number, inside: number): void {
    const last = this.text.indexOf("*/", inside + 2);
    const broken = last === -1 || closingLength(this.text, last + 2) === 0;
    this.segments.push({ kind: "comment", offset, broken });
    if (last === -1) {
      this.problems.error(offset, "The comment is not closed: `*/}}` is missing.");
      this.position = this.text.length;
    } else if (broken) {
      this.problems.error(last + 2, "`}}` has to follow the end of a comment at once.");
      this.resume(last + 2);
    } else {
      this.close(last + 2);
    }
  }

  private readAction(offset: number, inside: number): void {
    const lexer = new ActionLexer(this.text, inside);
    try {
      const end = lexer.read();
      this.segments.push({ kind: "action", offset, end, tokens: lexer.tokens, broken: false });
      this.close(end);
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) {
        throw error;
      }
      this.recover(offset, error);
      this.segments.push({ kind: "action", offset, end: this.position, tokens: lexer.tokens, broken: true });
    }
  }

  /** Says what is wrong with an action and goes on behind it. */
  private recover(offset: number, { offset: place, message }: SyntaxProblem): void {
    const closing = this.closings.from(place);
    const opening = this.openings.from(place);
    // What looks strange is only the text behind an action that was not closed.
    const unclosed = closing === undefined || (opening !== undefined && opening < closing);
    if (unclosed) {
      this.problems.error(offset, "The action is not closed: `}}` is missing.");
    } else {
      this.problems.error(place, message);
    }
    this.resume(place);
  }

  /** Goes on behind the next `}}`, or at the next `{{` if that comes first. */
  private resume(place: number): void {
    const closing = this.closings.from(place);
    const opening = this.openings.from(place);
    if (opening !== undefined && (closing === undefined || opening < closing)) {
      this.position = opening;
    } else {
      this.position = closing === undefined ? this.text.length : closing + 2;
    }
  }

  private close(position: number): void {
    const length = closingLength(this.text, position);
    this.trims = length > 2;
    this.position = position + length;
  }
}

/** Finds the next place of a text, without searching the same stretch again and again. Only ever looks ahead. */
class Finder {
  private found: number;

  constructor(
    private readonly text: string,
    private readonly needle: string,
  ) {
    this.found = text.indexOf(needle);
  }

  from(position: number): number | undefined {
    if (this.found !== -1 && this.found < position) {
      this.found = this.text.indexOf(this.needle, position);
    }
    return this.found === -1 ? undefined : this.found;
  }
}
