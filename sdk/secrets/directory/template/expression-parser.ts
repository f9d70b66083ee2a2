import { quoted } from "./finding";
import { literalText } from "./literals";
import { type NumberLiteral, parseNumber } from "./numbers";
import type { Command, FieldName, Operand, Pipeline } from "./syntax";
import { SyntaxProblem, type Token } from "./token";

/** Deeper parentheses, like deeper control structures, are not read: nobody writes them. */
export const deepestNesting = 200;

/** What a pipeline is part of. */
export type PipelinePlace = "action" | "if" | "with" | "range" | "template" | "block";

/** Reads the expressions of one action. */
export class ExpressionParser {
  private index = 0;
  private depth = 0;

  /**
   * @param tokens the words of the action, keywords that were read already taken away
   * @param end where the action is closed
   */
  constructor(
    private readonly tokens: readonly Token[],
    private readonly end: number,
  ) {}

  /**
   * Reads a pipeline up to the end of the action.
   *
   * @throws SyntaxProblem
   */
  pipeline(place: PipelinePlace): Pipeline {
    return this.pipelineUntil(undefined, place, this.peek()?.offset ?? this.end);
  }

  /**
   * Reads the name of a template.
   *
   * @throws SyntaxProblem
   */
  templateName(keyword: string): { readonly name: string; readonly offset: number } {
    const token = this.peek();
    if (token?.kind !== "string") {
      throw new SyntaxProblem(
        token?.offset ?? this.end,
        `\`${keyword}\` needs a name in quotes, not ${this.found(token)}.`,
      );
    }
    this.index++;
    return { name: this.textOf(token), offset: token.offset };
  }

  /** Whether all words of the action were read. */
  get atEnd(): boolean {
    return this.index >= this.tokens.length;
  }

  /**
   * Makes sure that the action holds nothing else.
   *
   * @throws SyntaxProblem
   */
  expectEnd(keyword: string): void {
    const token = this.peek();
    if (token !== undefined) {
      throw new SyntaxProblem(
        token.offset,
        `Nothing can follow \`${keyword}\` here, not ${this.found(token)}.`,
      );
    }
  }

  private peek(): Token | undefined {
    return this.tokens[this.index];
  }

  private found(token: Token | undefined): string {
    return token === undefined ? "the end of the action" : quoted(token.text);
  }

  private pipelineUntil(closing: "close" | undefined, place: PipelinePlace, offset: number): Pipeline {
    const { variables, assigns } = this.variables(closing === undefined ? place : "action");
    const commands: Command[] = [];
    let pipe: Token | undefined;
    for (let token = this.peek(); token?.kind !== closing; token = this.peek()) {
      if (token === undefined) {
        throw new SyntaxProblem(offset, "`(` is not closed: `)` is missing.");
      }
      commands.push(this.command(commands.length));
      pipe = this.peek()?.kind === "pipe" ? this.peek() : undefined;
      this.index += pipe === undefined ? 0 : 1;
    }
    if (commands.length === 0) {
      throw new SyntaxProblem(this.peek()?.offset ?? this.end, this.emptyMessage(closing, place));
    }
    return { offset, variables, assigns, commands, unusedPipe: pipe?.offset };
  }

  private emptyMessage(closing: "close" | undefined, place: PipelinePlace): string {
    if (closing !== undefined) {
      return "The parentheses are empty.";
    }
    return place === "action" ? "The action is empty." : `\`${place}\` needs a value.`;
  }

  private variables(place: PipelinePlace): Pick<Pipeline, "variables" | "assigns"> {
    const variables: { name: string; offset: number }[] = [];
    for (;;) {
      const token = this.peek();
      const next = this.tokens[this.index + 1];
      if (token?.kind !== "variable") {
        return { variables, assigns: false };
      }
      if (next?.kind === "declare" || next?.kind === "assign") {
        this.index += 2;
        variables.push({ name: token.text, offset: token.offset });
        return { variables, assigns: next.kind === "assign" };
      }
      if (next?.text !== ",") {
        return { variables, assigns: false };
      }
      if (place !== "range" || variables.length > 0) {
        const most = place === "range" ? "At most two variables" : "Only one variable";
        throw new SyntaxProblem(next.offset, `${most} can be set here.`);
      }
      this.index += 2;
      variables.push({ name: token.text, offset: token.offset });
      if (this.peek()?.kind !== "variable") {
        const offset = this.peek()?.offset ?? this.end;
        throw new SyntaxProblem(offset, `A variable has to follow \`,\`, not ${this.found(this.peek())}.`);
      }
    }
  }

  /**
   * @param stage how many commands of the pipeline come before
   */
  private command(stage: number): Command {
    const start = this.peek();
    const first = this.operand();
    if (first === undefined) {
      throw new SyntaxProblem(start?.offset ?? this.end, this.unexpected(start));
    }
    const parameters: Operand[] = [];
    for (;;) {
      const token = this.peek();
      if (token === undefined || token.kind === "close" || token.kind === "pipe") {
        break;
      }
      if (!token.spaced) {
        throw new SyntaxProblem(token.offset, `A space is missing before ${quoted(token.text)}.`);
      }
      const parameter = this.operand();
      if (parameter === undefined) {
        throw new SyntaxProblem(token.offset, this.unexpected(token));
      }
      parameters.push(parameter);
    }
    if (stage > 0 && ["dot", "nil", "boolean", "number", "string"].includes(first.kind)) {
      throw new SyntaxProblem(
        first.offset,
        `${quoted(first.source)} is no function: nothing can be piped into it.`,
      );
    }
    return { first, parameters };
  }

  private unexpected(token: Token | undefined): string {
    switch (token?.kind) {
      case "keyword":
        return `${quoted(token.text)} can only stand at the beginning of an action.`;
      case "assign":
      case "declare":
        return `Only a variable can stand before ${quoted(token.text)}.`;
      case "close":
        return "`)` closes nothing.";
      case "pipe":
        return "A value has to stand before `|`.";
      default:
        return token?.text === "/"
          ? "A comment has to begin at once: `{{/*` or `{{- /*`."
          : `${this.found(token)} has no meaning here.`;
    }
  }

  /** A term and the fields that follow it without a space. */
  private operand(): Operand | undefined {
    const token = this.peek();
    const term = this.term();
    if (token === undefined || term === undefined) {
      return undefined;
    }
    const names: FieldName[] = [];
    for (let field = this.peek(); field?.kind === "field" && !field.spaced; field = this.peek()) {
      names.push({ name: field.text.slice(1), offset: field.offset });
      this.index++;
    }
    const [first, ...rest] = names;
    if (first === undefined) {
      return term;
    }
    const source = `${term.source}${names.map(({ name }) => `.${name}`).join("")}`;
    if (term.kind === "fields") {
      return { ...term, names: [...term.names, ...names], source };
    }
    if (["dot", "boolean", "number", "string", "nil"].includes(term.kind)) {
      throw new SyntaxProblem(first.offset, `${quoted(term.source)} has no fields.`);
    }
    return { kind: "fields", of: term, names: [first, ...rest], offset: term.offset, source };
  }

  private term(): Operand | undefined {
    const token = this.peek();
    if (token === undefined) {
      return undefined;
    }
    const { offset, text: source } = token;
    switch (token.kind) {
      case "identifier":
        return this.read({ kind: "function", name: source, offset, source });
      case "dot":
      case "boolean":
        return this.read({ kind: token.kind, offset, source });
      case "keyword":
        return source === "nil" ? this.read({ kind: "nil", offset, source }) : undefined;
      case "field":
        return this.read({
          kind: "fields",
          of: undefined,
          names: [{ name: source.slice(1), offset }],
          offset,
          source,
        });
      case "variable":
        return this.read({ kind: "variable", name: source, offset, source });
      case "number":
        return this.read({ kind: "number", value: this.numberOf(token), offset, source });
      case "character":
        return this.read({ kind: "number", value: this.characterOf(token), offset, source });
      case "string":
        return this.read({ kind: "string", text: this.textOf(token), offset, source });
      case "open":
        return this.group(offset);
      default:
        return undefined;
    }
  }

  private read(operand: Operand): Operand {
    this.index++;
    return operand;
  }

  private group(offset: number): Operand {
    if (this.depth === deepestNesting) {
      throw new SyntaxProblem(offset, `Parentheses are nested deeper than ${deepestNesting} levels.`);
    }
    this.index++;
    this.depth++;
    const pipeline = this.pipelineUntil("close", "action", offset);
    this.index++;
    this.depth--;
    return { kind: "group", pipeline, offset, source: "(...)" };
  }

  private textOf({ text, offset }: Token): string {
    const value = literalText(text);
    if (value === undefined) {
      throw new SyntaxProblem(offset, `${quoted(text)} holds an escape sequence that does not exist.`);
    }
    return value;
  }

  private numberOf({ text, offset }: Token): NumberLiteral {
    const value = parseNumber(text);
    if (value === undefined) {
      const sign = text === "-" || text === "+";
      throw new SyntaxProblem(
        offset,
        sign ? `${quoted(text)} is not a number; text stands in quotes.` : `${quoted(text)} is not a number.`,
      );
    }
    return value;
  }

  private characterOf({ text, offset }: Token): NumberLiteral {
    const character = literalText(text);
    const codePoint = character?.codePointAt(0);
    if (codePoint === undefined || character !== String.fromCodePoint(codePoint)) {
      throw new SyntaxProblem(
        offset,
        `${quoted(text)} is not a single character; text stands in double quotes.`,
      );
    }
    return { type: "integer", literal: codePoint, isWhole: true };
  }
}
