import { templateFunctions } from "../../../../go-template/functions";
import { parseTemplate } from "../../../../go-template/parser";
import { EngineFailure } from "../../refusal";
import type { Arm, Command, Node, Operand, Pipeline } from "../../../../go-template/syntax";
import { type ParameterType, shortCircuits } from "./built-ins";
import { checkTemplate, nameIn, type NamedTemplates } from "./checks";
import { constantOf } from "./constants";
import { sprint } from "./format";
import type { TemplateFunctions } from "./functions";
import {
  type Data,
  decoded,
  encoded,
  FunctionError,
  intValue,
  isTrue,
  nil,
  noValue,
  typeOf,
  type Value,
} from "./values";

/** As `text/template` of Go. @throws EngineFailure if the template is invalid */
export function renderTemplate(text: string, functions: TemplateFunctions, data: Data): string {
  const isKnown = (name: string): boolean =>
    functions.has(name) || templateFunctions.get(name) === "language";
  const { nodes, problems } = parseTemplate(text, (name) =>
    name.startsWith(".") || isKnown(name) ? undefined : `function ${JSON.stringify(name)} not defined`,
  );
  const [problem] = problems;
  if (problem !== undefined) {
    const line = text.slice(0, problem.offset).split("\n").length;
    // Uses the products' wording.
    const reason = problem.message.replace(/^The action is not closed.*$/, "unclosed action");
    throw new EngineFailure(`unable to parse template: template: template:${line}: ${reason}`);
  }
  const named = checked(nodes);
  const evaluation = new Evaluation({ text, functions, named, steps: mostSteps }, data, 0);
  evaluation.render(nodes, data);
  return decoded(evaluation.output);
}

function checked(nodes: readonly Node[]): NamedTemplates {
  try {
    return checkTemplate(nodes);
  } catch (error) {
    throw error instanceof FunctionError
      ? new EngineFailure(`unable to parse template: template: template: ${error.message}`)
      : error;
  }
}

/** A real server would be busy for just as long. */
const mostSteps = 1_000_000;
const deepestTemplate = 1_000;

interface Shared {
  readonly text: string;
  readonly functions: TemplateFunctions;
  readonly named: NamedTemplates;
  /** How many more iterations of loops are allowed. */
  steps: number;
}

interface Loop {
  readonly arms: readonly Arm[];
  readonly offset: number;
}

/** Ends an iteration of a loop, or the whole loop. */
type Jump = "break" | "continue" | undefined;

/** The variables of one template; other templates have their own. */
class Evaluation {
  /** Bytes. */
  output = "";
  private readonly variables: { readonly name: string; value: Value }[];

  constructor(
    private readonly shared: Shared,
    data: Value,
    private readonly depth: number,
  ) {
    this.variables = [{ name: "$", value: data }];
  }

  /** @param dot the value of `.` */
  render(nodes: readonly Node[], dot: Value): Jump {
    for (const node of nodes) {
      const jump = this.node(node, dot);
      if (jump !== undefined) {
        return jump;
      }
    }
    return undefined;
  }

  private node(node: Node, dot: Value): Jump {
    switch (node.kind) {
      case "text":
        this.output += encoded(node.text);
        return undefined;
      case "output": {
        const value = this.pipeline(node.pipeline, dot);
        if (node.pipeline.variables.length === 0) {
          this.output += value.type === "nil" ? noValue : sprint([value]);
        }
        return undefined;
      }
      case "break":
      case "continue":
        return node.kind;
      case "template":
      case "block": {
        const nodes = this.shared.named.get(nameIn(node.name));
        if (nodes === undefined || this.depth === deepestTemplate) {
          const reason =
            nodes === undefined
              ? `template ${node.name} not defined`
              : "exceeded maximum template depth of the emulator";
          throw this.failure(node.offset, `{{${node.kind}}}`, reason);
        }
        const inner = node.argument === undefined ? nil : this.pipeline(node.argument, dot);
        const evaluation = new Evaluation(this.shared, inner, this.depth + 1);
        evaluation.render(nodes, inner);
        this.output += evaluation.output;
        return undefined;
      }
      case "if":
      case "with":
        return this.scoped(() => {
          for (const { pipeline, nodes } of node.arms) {
            const value = pipeline && this.pipeline(pipeline, dot);
            if (value === undefined || isTrue(value)) {
              return this.render(nodes, node.kind === "with" ? (value ?? dot) : dot);
            }
          }
          return undefined;
        });
      case "range":
        return this.scoped(() => this.range(node, dot));
      default:
        return undefined;
    }
  }

  private scoped(action: () => Jump): Jump {
    const outerCount = this.variables.length;
    try {
      return action();
    } finally {
      this.variables.length = outerCount;
    }
  }

  /** The engine's templates can only loop over numbers. */
  private range({ arms: [first, otherwise], offset }: Loop, dot: Value): Jump {
    const pipeline = first?.pipeline;
    const value = pipeline === undefined ? nil : this.pipeline(pipeline, dot);
    const count = "number" in value ? value.number : 0n;
    if (value.type !== "nil" && !("number" in value)) {
      throw this.failure(offset, "{{range}}", `range can't iterate over ${sprint([value])}`);
    }
    if ((pipeline?.variables.length ?? 0) > 1) {
      const reason = `can't use ${sprint([value])} to iterate over more than one variable`;
      throw this.failure(offset, "{{range}}", reason);
    }
    const innerCount = this.variables.length;
    for (let index = 0n; index < count; index++) {
      if (this.shared.steps-- === 0) {
        throw this.failure(offset, "{{range}}", `the emulator stops after ${mostSteps} rounds of loops`);
      }
      const element = intValue(index, "number" in value ? value.type : "int");
      for (const name of pipeline?.variables ?? []) {
        this.variable(name).value = element;
      }
      const jump = this.render(first?.nodes ?? [], element);
      this.variables.length = innerCount;
      if (jump === "break") {
        break;
      }
    }
    return count > 0n ? undefined : this.render(otherwise?.nodes ?? [], dot);
  }

  private pipeline({ variables, declares, commands }: Pipeline, dot: Value): Value {
    const [first, ...more] = commands;
    const value = more.reduce(
      (piped, command) => this.command(command, dot, [piped]),
      this.command(first, dot, []),
    );
    for (const name of variables) {
      if (declares) {
        this.variables.push({ name, value });
      } else {
        this.variable(name).value = value;
      }
    }
    return value;
  }

  /** @param piped the value of the previous command, which becomes the last argument */
  private command({ first, parameters }: Command, dot: Value, piped: readonly Value[]): Value {
    try {
      if (first.kind === "function") {
        return this.call(first.source, parameters, piped, dot);
      }
      if (parameters.length > 0 || piped.length > 0) {
        throw new FunctionError(
          first.kind === "fields"
            ? `${first.names.at(-1) ?? ""} has arguments but cannot be invoked as function`
            : `can't give argument to non-function ${first.source}`,
        );
      }
      if (first.source === "nil") {
        throw new FunctionError("nil is not a command");
      }
      return this.operand(first, dot);
    } catch (error) {
      throw error instanceof FunctionError ? this.failure(first.offset, first.source, error.message) : error;
    }
  }

  private call(name: string, operands: readonly Operand[], piped: readonly Value[], dot: Value): Value {
    const called = this.shared.functions.get(name);
    if (called === undefined) {
      throw new FunctionError(`${JSON.stringify(name)} is not a defined function`);
    }
    const { parameters, rest } = called;
    const count = operands.length + piped.length;
    if (count < parameters.length || (count > parameters.length && rest === undefined)) {
      const expected = `${rest === undefined ? "" : "at least "}${parameters.length}`;
      throw new FunctionError(`wrong number of args for ${name}: want ${expected} got ${count}`);
    }
    const typeAt = (index: number): ParameterType => parameters[index] ?? rest ?? "any";
    const ends = shortCircuits.get(name);
    const values: Value[] = [];
    for (const [index, operand] of operands.entries()) {
      const value = this.argument(operand, typeAt(index), dot);
      values.push(value);
      if (ends?.(value) === true) {
        return value;
      }
    }
    values.push(...piped.map((value) => requireType(value, typeAt(count - 1))));
    try {
      return called.call(...values);
    } catch (error) {
      throw error instanceof FunctionError
        ? new FunctionError(`error calling ${name}: ${error.message}`)
        : error;
    }
  }

  private argument(operand: Operand, type: ParameterType, dot: Value): Value {
    if (operand.kind !== "constant") {
      return requireType(this.operand(operand, dot), type);
    }
    const { value, integer } = constantOf(operand.source);
    if (type === "any" || value.type === type) {
      return value;
    }
    if (value.type === "nil") {
      throw new FunctionError(`cannot assign nil to ${type}`);
    }
    if (type === "int" && integer !== undefined) {
      return intValue(integer);
    }
    throw new FunctionError(`expected ${type === "int" ? "integer" : type}; found ${operand.source}`);
  }

  private operand(operand: Operand, dot: Value): Value {
    switch (operand.kind) {
      case "constant":
        return constantOf(operand.source).value;
      case "dot":
        return dot;
      case "variable":
        return this.variable(operand.source).value;
      case "fields": {
        const value = operand.of === undefined ? dot : this.operand(operand.of, dot);
        return operand.names.reduce(fieldOf, value);
      }
      case "function":
        return this.call(operand.source, [], [], dot);
      case "group":
        return this.pipeline(operand.pipeline, dot);
    }
  }

  private variable(name: string): { value: Value } {
    const variable = this.variables.findLast((known) => known.name === name);
    if (variable === undefined) {
      throw new EngineFailure(`unable to apply template: template: undefined variable: ${name}`);
    }
    return variable;
  }

  private failure(offset: number, source: string, reason: string): EngineFailure {
    const before = this.shared.text.slice(0, offset).split("\n");
    const place = `${before.length}:${Buffer.byteLength(before.at(-1) ?? "")}`;
    return new EngineFailure(
      `unable to apply template: template: template:${place}: executing "template" at <${source}>: ${reason}`,
    );
  }
}

function requireType(value: Value, type: ParameterType): Value {
  if (type !== "any" && value.type !== type) {
    throw new FunctionError(
      value.type === "nil"
        ? `invalid value; expected ${type}`
        : `wrong type for value; expected ${type}; got ${typeOf(value)}`,
    );
  }
  return value;
}

function fieldOf(value: Value, name: string): Value {
  if (value.type === "nil") {
    return nil;
  }
  const found = value.type === "struct" ? value.fields.get(name) : undefined;
  if (found === undefined) {
    throw new FunctionError(`can't evaluate field ${name} in type ${typeOf(value)}`);
  }
  return found;
}
