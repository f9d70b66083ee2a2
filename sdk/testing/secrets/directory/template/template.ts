import { templateFunctions } from "../../../../go-template/functions";
import { parseTemplate } from "../../../../go-template/parser";
import { EngineFailure } from "../../refusal";
import type { Command, Node, Operand, Pipeline } from "../../../../go-template/syntax";
import { FunctionError, isTrue, toText, typeOf, variadicFunctions } from "./functions";
import type { Fields, TemplateFunctions, Value } from "./functions";

/** Supports fields, pipes, variables, `if` and `with`. @throws EngineFailure otherwise */
export function renderTemplate(text: string, functions: TemplateFunctions, data: Fields): string {
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
  return new Evaluation(text, functions, data).render(nodes, data);
}

class Evaluation {
  private readonly variables: { readonly name: string; value: Value }[];

  constructor(
    private readonly text: string,
    private readonly functions: TemplateFunctions,
    data: Fields,
  ) {
    this.variables = [{ name: "$", value: data }];
  }

  /** @param dot the value of `.` */
  render(nodes: readonly Node[], dot: Value): string {
    return nodes.map((node) => this.node(node, dot)).join("");
  }

  private node(node: Node, dot: Value): string {
    switch (node.kind) {
      case "text":
        return node.text;
      case "comment":
        return "";
      case "output": {
        const value = this.pipeline(node.pipeline, dot);
        return node.pipeline.variables.length > 0 ? "" : toText(value);
      }
      case "if":
      case "with": {
        const outerCount = this.variables.length;
        let text = "";
        for (const { pipeline, nodes } of node.arms) {
          const value = pipeline === undefined ? true : this.pipeline(pipeline, dot);
          if (isTrue(value)) {
            text = this.render(nodes, node.kind === "with" && pipeline !== undefined ? value : dot);
            break;
          }
        }
        this.variables.length = outerCount;
        return text;
      }
      default:
        throw this.failure(node.offset, `{{${node.kind}}}`, "the emulator does not know this action");
    }
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
        return this.call(first.source, [
          ...parameters.map((operand) => this.operand(operand, dot)),
          ...piped,
        ]);
      }
      if (parameters.length > 0 || piped.length > 0) {
        throw new FunctionError(`can't give argument to non-function ${first.source}`);
      }
      if (first.source === "nil") {
        throw new FunctionError("nil is not a command");
      }
      return this.operand(first, dot);
    } catch (error) {
      throw error instanceof FunctionError ? this.failure(first.offset, first.source, error.message) : error;
    }
  }

  private call(name: string, values: readonly Value[]): Value {
    const implementation = this.functions.get(name);
    if (implementation === undefined) {
      throw new FunctionError(`the emulator does not know the function ${name}`);
    }
    const isVariadic = variadicFunctions.includes(name);
    if (values.length < implementation.length || (values.length > implementation.length && !isVariadic)) {
      const expected = `${isVariadic ? "at least " : ""}${implementation.length}`;
      throw new FunctionError(`wrong number of args for ${name}: want ${expected} got ${values.length}`);
    }
    try {
      return implementation(...values);
    } catch (error) {
      throw error instanceof FunctionError
        ? new FunctionError(`error calling ${name}: ${error.message}`)
        : error;
    }
  }

  private operand(operand: Operand, dot: Value): Value {
    switch (operand.kind) {
      case "constant":
        return constantOf(operand.source);
      case "dot":
        return dot;
      case "variable":
        return this.variable(operand.source).value;
      case "fields": {
        const value = operand.of === undefined ? dot : this.operand(operand.of, dot);
        return operand.names.reduce(fieldOf, value);
      }
      case "function":
        return this.call(operand.source, []);
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
    const before = this.text.slice(0, offset).split("\n");
    const place = `${before.length}:${Buffer.byteLength(before.at(-1) ?? "")}`;
    return new EngineFailure(
      `unable to apply template: template: template:${place}: executing "template" at <${source}>: ${reason}`,
    );
  }
}

const namedConstants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["false", false],
  ["nil", null],
]);

/** Strings in double quotes have the escapes of JSON. */
function constantOf(source: string): Value {
  const named = namedConstants.get(source);
  if (named !== undefined) {
    return named;
  }
  if (/^[+-]?(?:0|[1-9]\d{0,17})$/.test(source)) {
    return BigInt(source.replace("+", ""));
  }
  if (source.startsWith("`")) {
    return source.slice(1, -1).replaceAll("\r", "");
  }
  try {
    return String(JSON.parse(source.startsWith('"') ? source : ""));
  } catch {
    throw new FunctionError(`the emulator does not know the constant ${source}`);
  }
}

function fieldOf(value: Value, name: string): Value {
  const isData = value !== null && typeof value === "object" && !Buffer.isBuffer(value);
  const found = isData ? value.get(name) : undefined;
  if (found === undefined) {
    throw new FunctionError(`can't evaluate field ${name} in type ${typeOf(value)}`);
  }
  return found;
}
