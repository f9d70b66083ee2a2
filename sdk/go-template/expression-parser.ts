import type { Action, Token } from "./lexer";
import { constantOf } from "./literals";
import { quoted } from "./quoted";
import type { Command, FieldName, Operand, Pipeline } from "./syntax";
import { NestingProblem, SyntaxProblem } from "./syntax-problem";

/** Deeper parentheses, like deeper structures, are not read: nobody writes them. */
export const deepestNesting = 200;

/** What an expression needs to know of the template around it. */
export interface Surroundings {
  readonly text: string;
  /** Says why there is not a function of this name; `undefined` when there is one. */
  readonly unknownFunction: (name: string) => string | undefined;
  readonly hasVariable: (name: string) => boolean;
  readonly declare: (name: string) => void;
  /** For what is wrong, but does not keep the rest from being read. */
  readonly report: (problem: SyntaxProblem) => void;
}

const parenthesized = "parenthesized pipeline";
const emptyProblems: Readonly<Record<string, string>> = {
  command: "The action is empty.",
  [parenthesized]: "The parentheses are empty.",
};

/** What is wrong with signs where an operand should be. */
const signProblems: Readonly<Record<string, string>> = {
  "=": "Only a variable can stand before `=`.",
  ":=": "Only a variable can stand before `:=`.",
  ",": "Only `range` can set two variables: `range $index, $element := ...`.",
  ")": "`)` has no opening parenthesis.",
  "|": "`|` requires a value before it.",
  "/": "A comment must start directly after the braces: `{{/*` or `{{- /*`.",
};

/** Reads the words of one action. Its methods throw a {@link SyntaxProblem}. */
export class ExpressionParser {
  private depth = 0;

  /** @param index of the first word to read */
  constructor(
    private readonly action: Action,
    private index: number,
    private readonly surroundings: Surroundings,
  ) {}

  /**
   * Reads a pipeline up to the end of the action, or of the parentheses.
   *
   * @param context what the pipeline is part of, as servers name it
   */
  pipeline(context: string): Pipeline {
    const { variables, declares } = this.variables(context);
    const commands: [Command, ...Command[]] = [this.command(1, context)];
    while (this.peek()?.text === "|") {
      this.index++;
      // A `|` at the end hands on nothing, and is allowed.
      if (!this.isAtEnd()) {
        commands.push(this.command(commands.length + 1, context));
      }
    }
    for (const name of declares ? variables : []) {
      this.surroundings.declare(name);
    }
    return { variables, declares, commands };
  }

  /** Makes sure that the action holds nothing else. */
  requireEnd(keyword: string): void {
    const token = this.peek();
    if (token !== undefined) {
      const message =
        signProblems[token.text] ?? `Nothing can follow \`${keyword}\` here, not ${quoted(token.text)}.`;
      throw new SyntaxProblem(token.offset, message, unexpected(token, keyword));
    }
  }

  private peek(): Token | undefined {
    return this.action.tokens[this.index];
  }

  private isAtEnd(): boolean {
    const token = this.peek();
    return token === undefined || (this.depth > 0 && token.text === ")");
  }

  /** What was read since then. */
  private since(offset: number): string {
    const last = this.action.tokens[this.index - 1];
    return this.surroundings.text.slice(offset, last === undefined ? offset : last.offset + last.text.length);
  }

  /** Reads `$x :=`, `$x =`, and in `range` also `$i, $x :=`. */
  private variables(context: string): Pick<Pipeline, "variables" | "declares"> {
    const [first, comma, second, sign] = this.action.tokens.slice(this.index, this.index + 4);
    const isPair = context === "range" && comma?.text === "," && second?.kind === "variable";
    const assignment = (isPair ? sign : comma)?.text;
    if (first?.kind !== "variable" || (assignment !== ":=" && assignment !== "=")) {
      return { variables: [], declares: false };
    }
    const variables = isPair ? [first, second] : [first];
    this.index += 2 * variables.length;
    const declares = assignment === ":=";
    for (const variable of declares ? [] : variables) {
      this.requireVariable(variable);
    }
    return { variables: variables.map(({ text }) => text), declares };
  }

  private requireVariable({ text, offset }: Token): void {
    if (!this.surroundings.hasVariable(text)) {
      const message = `There is no variable ${quoted(text)}; \`:=\` declares one.`;
      this.surroundings.report(new SyntaxProblem(offset, message, `undefined variable "${text}"`));
    }
  }

  private command(stage: number, context: string): Command {
    const start = this.peek()?.offset ?? this.action.end;
    const first = this.operand(context);
    const parameters: Operand[] = [];
    for (let token = this.peek(); token !== undefined && !/^[|)]$/.test(token.text); token = this.peek()) {
      if (!token.spaced) {
        const message = signProblems[token.text] ?? `A space is missing before ${quoted(token.text)}.`;
        throw new SyntaxProblem(token.offset, message, unexpected(token, "operand"));
      }
      parameters.push(this.operand("operand"));
    }
    if (stage > 1 && (first.kind === "constant" || first.kind === "dot")) {
      const message = `${quoted(first.source)} is not a function: nothing can be piped into it.`;
      throw new SyntaxProblem(first.offset, message, `non executable command in pipeline stage ${stage}`);
    }
    return { first, parameters, source: this.since(start) };
  }

  /** Reads a term and the fields that follow it without a space. */
  private operand(context: string): Operand {
    const token = this.peek();
    if (token === undefined || this.isAtEnd()) {
      const offset = token?.offset ?? this.action.end;
      const message = emptyProblems[context] ?? `\`${context}\` needs a value.`;
      throw new SyntaxProblem(offset, message, `missing value for ${context}`);
    }
    const of = token.kind === "field" ? undefined : this.term(token, context);
    const names: FieldName[] = [];
    for (let field = this.peek(); field?.kind === "field"; field = this.peek()) {
      if (field.spaced && field !== token) {
        break;
      }
      names.push({ name: field.text.slice(1), offset: field.offset });
      this.index++;
    }
    const [first] = names;
    if (of !== undefined && first === undefined) {
      return of;
    }
    if (of !== undefined && of.kind !== "variable" && of.kind !== "group") {
      const reason = `unexpected . after term ${JSON.stringify(of.source)}`;
      throw new SyntaxProblem(first?.offset ?? of.offset, `${quoted(of.source)} has no fields.`, reason);
    }
    return { kind: "fields", of, names, offset: token.offset, source: this.since(token.offset) };
  }

  private term(token: Token, context: string): Operand {
    const { kind, offset, text: source } = token;
    this.index++;
    const value = constantOf(token);
    if (value !== undefined) {
      return { kind: "constant", value, offset, source };
    }
    switch (kind) {
      case "name":
        this.requireFunction(token);
        return { kind: "function", name: source, offset, source };
      case "dot":
        return { kind: "dot", offset, source };
      case "variable":
        this.requireVariable(token);
        return { kind: "variable", name: source, offset, source };
      default:
        if (source === "(") {
          return this.group(offset);
        }
    }
    const problem =
      kind === "keyword" ? "is only allowed at the beginning of an action" : "is not allowed here";
    const message = signProblems[source] ?? `${quoted(source)} ${problem}.`;
    throw new SyntaxProblem(offset, message, unexpected(token, context));
  }

  private requireFunction({ text: name, offset }: Token): void {
    const message = this.surroundings.unknownFunction(name);
    if (message !== undefined) {
      const reason = `function ${JSON.stringify(name)} not defined`;
      this.surroundings.report(new SyntaxProblem(offset, message, reason));
    }
  }

  private group(offset: number): Operand {
    if (this.depth === deepestNesting) {
      const message = `Parentheses are nested deeper than ${deepestNesting} levels.`;
      throw new NestingProblem(offset, message, "max expression depth exceeded");
    }
    this.depth++;
    const pipeline = this.pipeline(parenthesized);
    if (this.peek() === undefined) {
      throw new SyntaxProblem(offset, "`(` is not closed: `)` is missing.", "unclosed left paren");
    }
    this.index++;
    this.depth--;
    return { kind: "group", pipeline, offset, source: this.since(offset) };
  }
}

/** What servers say about a word. */
function unexpected({ kind, text }: Token, context: string): string {
  if (text === ")") {
    return "unexpected right paren";
  }
  const shown = text.length > 10 ? `${JSON.stringify(text.slice(0, 10))}...` : JSON.stringify(text);
  return `unexpected ${kind === "keyword" || kind === "dot" ? `<${text}>` : shown} in ${context}`;
}
