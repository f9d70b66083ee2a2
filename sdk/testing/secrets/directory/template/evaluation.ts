import { requireCount, type TemplateFunction } from "./function";
import type { Command, Node, Operand, Pipeline } from "./syntax";
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
    private readonly functions: ReadonlyMap<string, TemplateFunction>,
    data: Fields,
  ) {
    this.variables = [{ name: "", value: data }];
  }

  /** @throws TemplateError */
  render(nodes: readonly Node[], data: Fields): string {
    this.run(nodes, data);
    return this.output;
  }

  private run(nodes: readonly Node[], dot: Value): void {
    for (const node of nodes) {
      if (node.kind === "text") {
        this.output += node.text;
      } else if (node.kind === "output") {
        const value = this.pipeline(node.pipeline, dot);
        this.output += node.pipeline.variables.length > 0 ? "" : toText(value);
      } else {
        const outside = this.variables.length;
        this.block(node, dot);
        this.variables.length = outside;
      }
    }
  }

  private block(node: Extract<Node, { readonly body: unknown }>, dot: Value): void {
    if (node.kind === "range") {
      this.range(node, dot);
      return;
    }
    const value = this.pipeline(node.pipeline, dot);
    const taken = isTrue(value);
    this.run(taken ? node.body : node.otherwise, taken && node.kind === "with" ? value : dot);
  }

  /** The only thing that the functions yield and a range can go through is a number: 0 up to it. */
  private range(node: Extract<Node, { readonly body: unknown }>, dot: Value): void {
    const { variables, commands, declares } = node.pipeline;
    const value = this.commands(commands, dot);
    if (typeof value !== "bigint" && value !== null) {
      throw failure(commands[0], `range can't iterate over ${toText(value)}`);
    }
    const count = value ?? 0n;
    if (count <= 0n) {
      this.run(node.otherwise, dot);
      return;
    }
    const outside = this.variables.length;
    for (let index = 0n; index < count; index += 1n) {
      this.rounds += 1;
      if (this.rounds > mostRounds) {
        throw failure(commands[0], `the emulator ends a template after ${mostRounds} rounds`);
      }
      if (variables.length > 1) {
        throw failure(commands[0], `can't use ${toText(value)} to iterate over more than one variable`);
      }
      for (const name of variables) {
        this.assign(name, index, declares);
      }
      this.run(node.body, index);
      this.variables.length = outside;
    }
  }

  private pipeline({ variables, declares, commands }: Pipeline, dot: Value): Value {
    const value = this.commands(commands, dot);
    for (const name of variables) {
      this.assign(name, value, declares);
    }
    return value;
  }

  private commands([first, ...more]: Pipeline["commands"], dot: Value): Value {
    return more.reduce((value, command) => this.command(command, dot, value), this.command(first, dot));
  }

  /** @param piped the value of the command before, the last argument of this one */
  private command(command: Command, dot: Value, ...piped: readonly Value[]): Value {
    const [first, ...rest] = command.operands;
    try {
      if (first.kind === "function") {
        return this.call(first.name, rest, dot, piped);
      }
      if (rest.length > 0 || piped.length > 0) {
        throw new FunctionError(`can't give argument to non-function ${command.source.split(" ")[0] ?? ""}`);
      }
      return this.operand(first, dot);
    } catch (error) {
      throw error instanceof FunctionError ? failure(command, error.message) : error;
    }
  }

  private call(name: string, operands: readonly Operand[], dot: Value, piped: readonly Value[]): Value {
    const called = this.functions.get(name);
    if (called === undefined) {
      throw new FunctionError(`${JSON.stringify(name)} is not a defined function`);
    }
    requireCount(name, called, operands.length + piped.length);
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
      return called.call([...values, ...piped]);
    } catch (error) {
      throw error instanceof FunctionError
        ? new FunctionError(`error calling ${name}: ${error.message}`)
        : error;
    }
  }

  private operand(operand: Operand, dot: Value): Value {
    switch (operand.kind) {
      case "constant":
        return operand.value;
      case "dot":
        return dot;
      case "variable":
        return this.variable(operand.name).value;
      case "field":
        return fieldOf(this.operand(operand.of, dot), operand.name);
      case "function":
        return this.call(operand.name, [], dot, []);
      case "group":
        return this.commands(operand.pipeline.commands, dot);
    }
  }

  private assign(name: string, value: Value, declares: boolean): void {
    if (declares) {
      this.variables.push({ name, value });
    } else {
      this.variable(name).value = value;
    }
  }

  private variable(name: string): Variable {
    const variable = this.variables.findLast((known) => known.name === name);
    if (variable === undefined) {
      throw new FunctionError(`undefined variable: $${name}`);
    }
    return variable;
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

function failure({ place, source }: Command, reason: string): TemplateError {
  return new TemplateError(`template: template:${place}: executing "template" at <${source}>: ${reason}`);
}
