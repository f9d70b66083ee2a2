import type { Token } from "./lexer";
import type { Command, Operand, Pipeline } from "./syntax";
import { TemplateError } from "./template-error";

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["nil", null],
]);
const keywords = ["if", "else", "end", "range", "with"];

/** Reads the pipeline of one action. */
export class PipelineParser {
  private position = 0;

  /** @param variables those that are known; the ones that the pipeline declares are added */
  constructor(
    private readonly tokens: readonly Token[],
    private readonly variables: string[],
    private readonly functions: ReadonlySet<string>,
    private readonly context: string,
    private readonly line: number,
  ) {}

  parse(): Pipeline {
    const { names, declares } = this.assignment();
    const commands = this.commands(this.context);
    const surplus = this.tokens[this.position];
    if (surplus !== undefined) {
      throw this.failure(`unexpected <${surplus.source}> in ${this.context}`);
    }
    if (declares) {
      this.variables.push(...names);
    }
    return { variables: names, declares, commands };
  }

  /** `$x :=`, `$x =`, and in a range also `$i, $x :=`. */
  private assignment(): { names: string[]; declares: boolean } {
    const [first, sign, second, lastSign] = this.tokens;
    const isSign = (token: Token | undefined): boolean => token?.value === ":=" || token?.value === "=";
    if (first?.kind !== "variable") {
      return { names: [], declares: false };
    }
    if (this.context === "range" && sign?.value === "," && second?.kind === "variable" && isSign(lastSign)) {
      this.position = 4;
      return this.assigned([first.value, second.value], lastSign?.value === ":=");
    }
    if (sign === undefined || !isSign(sign) || sign.kind !== "punctuation") {
      return { names: [], declares: false };
    }
    this.position = 2;
    return this.assigned([first.value], sign.value === ":=");
  }

  private assigned(names: string[], declares: boolean): { names: string[]; declares: boolean } {
    for (const name of declares ? [] : names) {
      this.requireVariable(name);
    }
    return { names, declares };
  }

  private commands(context: string): [Command, ...Command[]] {
    const commands: [Command, ...Command[]] = [this.command(context)];
    while (this.accept("|")) {
      commands.push(this.command(context));
    }
    for (const { operands, source } of commands.slice(1)) {
      const [first] = operands;
      if (first.kind === "constant" || first.kind === "dot") {
        throw this.failure(`non executable command in pipeline stage 2 (${source})`);
      }
    }
    return commands;
  }

  private command(context: string): Command {
    const start = this.position;
    const operands: Operand[] = [];
    for (;;) {
      const token = this.tokens[this.position];
      if (token === undefined || (token.kind === "punctuation" && /^[|)]$/.test(token.value))) {
        break;
      }
      if (operands.length > 0 && !token.spaced) {
        throw this.failure(`unexpected <${token.source}> in operand`);
      }
      operands.push(this.operand(token));
    }
    const [first, ...rest] = operands;
    const place = this.tokens[start]?.place ?? `${this.line}:0`;
    if (first === undefined) {
      throw this.failure(`missing value for ${context}`);
    }
    if (first.kind === "constant" && first.value === null) {
      throw this.failure("nil is not a command");
    }
    const source = this.tokens
      .slice(start, this.position)
      .map((token, index) => (index > 0 && token.spaced ? " " : "") + token.source)
      .join("");
    return { operands: [first, ...rest], source, place };
  }

  private operand(token: Token): Operand {
    this.position += 1;
    let operand = this.term(token);
    for (;;) {
      const next = this.tokens[this.position];
      if (next?.kind !== "field" || next.spaced) {
        return operand;
      }
      if (operand.kind === "constant" || operand.kind === "dot" || operand.kind === "function") {
        throw this.failure(`unexpected <${next.source}> after term ${JSON.stringify(token.source)}`);
      }
      this.position += 1;
      operand = { kind: "field", of: operand, name: next.value };
    }
  }

  private term(token: Token): Operand {
    switch (token.kind) {
      case "text":
        return { kind: "constant", value: token.value };
      case "integer":
        return { kind: "constant", value: BigInt(token.value) };
      case "float":
        return { kind: "constant", value: Number(token.value) };
      case "dot":
        return { kind: "dot" };
      case "field":
        return { kind: "field", of: { kind: "dot" }, name: token.value };
      case "variable":
        this.requireVariable(token.value);
        return { kind: "variable", name: token.value };
      case "identifier":
        return this.identifier(token.value);
      case "punctuation":
        if (token.value === "(") {
          return this.group();
        }
        throw this.failure(`unexpected <${token.source}> in operand`);
    }
  }

  private identifier(name: string): Operand {
    const constant = constants.get(name);
    if (constant !== undefined) {
      return { kind: "constant", value: constant };
    }
    if (keywords.includes(name)) {
      throw this.failure(`unexpected <${name}> in operand`);
    }
    if (!this.functions.has(name)) {
      throw this.failure(`function ${JSON.stringify(name)} not defined`);
    }
    return { kind: "function", name };
  }

  private group(): Operand {
    const commands = this.commands("parenthesized pipeline");
    if (!this.accept(")")) {
      throw this.failure("unclosed left paren");
    }
    return { kind: "group", pipeline: { variables: [], declares: false, commands } };
  }

  private accept(sign: string): boolean {
    const token = this.tokens[this.position];
    const accepted = token?.kind === "punctuation" && token.value === sign;
    this.position += accepted ? 1 : 0;
    return accepted;
  }

  private requireVariable(name: string): void {
    if (!this.variables.includes(name)) {
      throw this.failure(`undefined variable "$${name}"`);
    }
  }

  private failure(reason: string): TemplateError {
    return new TemplateError(`template: template:${this.line}: ${reason}`);
  }
}
