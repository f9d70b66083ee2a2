import { takes, templateFunctions } from "../../../../go-template/functions";
import type { Command, Node, Operand, Pipeline, Structure } from "../../../../go-template/syntax";
import type { TemplateFunctions } from "./functions";
import { FunctionError, TemplateError } from "./template-error";
import { isTrue, toText, typeOf, type Fields, type Value } from "./value";

/** So that a range over a huge number does not hang the emulator. */
const mostRounds = 100_000;

/** What `and` and `or` stop at: they evaluate no operand more than they need. */
const stopsAt: ReadonlyMap<string, boolean> = new Map([
  ["and", false],
  ["or", true],
]);

interface Variable {
  readonly name: string;
  value: Value;
}

/** One rendering of a template. */
export class Evaluation {
  private readonly variables: Variable[];
  private output = "";
  private rounds = 0;

  constructor(
    private readonly text: string,
    private readonly functions: TemplateFunctions,
    private readonly data: Fields,
  ) {
    this.variables = [{ name: "$", value: data }];
  }

  /** @throws TemplateError */
  render(nodes: readonly Node[]): string {
    this.run(nodes, this.data);
    return this.output;
  }

  private run(nodes: readonly Node[], dot: Value): void {
    for (const node of nodes) {
      switch (node.kind) {
        case "text":
          this.output += node.text;
          break;
        case "output": {
          const value = this.pipeline(node.pipeline, dot);
          this.output += node.pipeline.variables.length > 0 ? "" : toText(value);
          break;
        }
        case "if":
        case "with":
        case "range": {
          const outside = this.variables.length;
          this.structure(node, dot);
          this.variables.length = outside;
          break;
        }
        case "comment":
          break;
        default:
          throw this.failure(node.offset, `{{${node.kind}}}`, "the emulator does not know this action");
      }
    }
  }

  private structure({ kind, arms }: Structure, dot: Value): void {
    for (const { pipeline, nodes } of arms) {
      if (pipeline === undefined) {
        this.run(nodes, dot);
        return;
      }
      if (kind === "range") {
        if (this.range(pipeline, nodes, dot)) {
          return;
        }
      } else {
        const value = this.pipeline(pipeline, dot);
        if (isTrue(value)) {
          this.run(nodes, kind === "with" ? value : dot);
          return;
        }
      }
    }
  }

  /**
   * The only thing that the functions yield and a range can go through is a number: 0 up to it.
   *
   * @returns whether there was a round
   */
  private range({ variables, declares, commands }: Pipeline, nodes: readonly Node[], dot: Value): boolean {
    const value = this.commands(commands, dot);
    const fail = (reason: string): TemplateError => this.failureAt(commands[0], reason);
    if (typeof value !== "bigint" && value !== null) {
      throw fail(`range can't iterate over ${toText(value)}`);
    }
    const outside = this.variables.length;
    for (let index = 0n; index < (value ?? 0n); index += 1n) {
      this.rounds += 1;
      if (this.rounds > mostRounds) {
        throw fail(`the emulator ends a template after ${mostRounds} rounds`);
      }
      if (variables.length > 1) {
        throw fail(`can't use ${toText(value)} to iterate over more than one variable`);
      }
      this.assign(variables, index, declares);
      this.run(nodes, index);
      this.variables.length = outside;
    }
    return value !== null && value > 0n;
  }

  private pipeline({ variables, declares, commands }: Pipeline, dot: Value): Value {
    const value = this.commands(commands, dot);
    this.assign(variables, value, declares);
    return value;
  }

  private commands([first, ...more]: Pipeline["commands"], dot: Value): Value {
    return more.reduce((value, command) => this.command(command, dot, value), this.command(first, dot));
  }

  /** @param piped the value of the command before, the last argument of this one */
  private command(command: Command, dot: Value, ...piped: readonly Value[]): Value {
    const { first, parameters } = command;
    try {
      if (first.kind === "function") {
        return this.call(first.name, parameters, dot, piped);
      }
      if (parameters.length > 0 || piped.length > 0) {
        throw new FunctionError(`can't give argument to non-function ${first.source}`);
      }
      if (first.kind === "constant" && first.value === null) {
        throw new FunctionError("nil is not a command");
      }
      return this.operand(first, dot);
    } catch (error) {
      throw error instanceof FunctionError ? this.failureAt(command, error.message) : error;
    }
  }

  private call(name: string, operands: readonly Operand[], dot: Value, piped: readonly Value[]): Value {
    const called = this.functions.get(name);
    const signature = templateFunctions.get(name);
    if (called === undefined || signature === undefined) {
      throw new FunctionError(`${JSON.stringify(name)} is not a defined function`);
    }
    const given = operands.length + piped.length;
    if (!takes(signature, given)) {
      const wanted = `${signature.takesMore ? "at least " : ""}${signature.least}`;
      throw new FunctionError(`wrong number of args for ${name}: want ${wanted} got ${given}`);
    }
    const stop = stopsAt.get(name);
    const values: Value[] = [];
    for (const operand of operands) {
      const value = this.operand(operand, dot);
      if (stop !== undefined && isTrue(value) === stop) {
        return value;
      }
      values.push(value);
    }
    try {
      return called(...values, ...piped);
    } catch (error) {
      throw error instanceof FunctionError
        ? new FunctionError(`error calling ${name}: ${error.message}`)
        : error;
    }
  }

  private operand(operand: Operand, dot: Value): Value {
    switch (operand.kind) {
      case "constant":
        if (Number.isNaN(operand.value)) {
          throw new FunctionError(`the emulator does not know the number ${operand.source}`);
        }
        return operand.value;
      case "dot":
        return dot;
      case "variable":
        return this.variable(operand.name).value;
      case "fields": {
        const value = operand.of === undefined ? dot : this.operand(operand.of, dot);
        return operand.names.reduce((of, { name }) => fieldOf(of, name), value);
      }
      case "function":
        return this.call(operand.name, [], dot, []);
      case "group":
        return this.pipeline(operand.pipeline, dot);
    }
  }

  private assign(names: readonly string[], value: Value, declares: boolean): void {
    for (const name of names) {
      if (declares) {
        this.variables.push({ name, value });
      } else {
        this.variable(name).value = value;
      }
    }
  }

  private variable(name: string): Variable {
    const variable = this.variables.findLast((known) => known.name === name);
    if (variable === undefined) {
      throw new FunctionError(`undefined variable: ${name}`);
    }
    return variable;
  }

  private failureAt({ first, source }: Command, reason: string): TemplateError {
    return this.failure(first.offset, source, reason);
  }

  private failure(offset: number, source: string, reason: string): TemplateError {
    const before = this.text.slice(0, offset).split("\n");
    const place = `${before.length}:${Buffer.byteLength(before.at(-1) ?? "")}`;
    return new TemplateError(
      `unable to apply template: template: template:${place}: executing "template" at <${source}>: ${reason}`,
    );
  }
}

function fieldOf(value: Value, name: string): Value {
  const found =
    value !== null && typeof value === "object" && !Buffer.isBuffer(value) ? value.get(name) : undefined;
  if (found === undefined) {
    throw new FunctionError(`can't evaluate field ${name} in type ${typeOf(value)}`);
  }
  return found;
}
