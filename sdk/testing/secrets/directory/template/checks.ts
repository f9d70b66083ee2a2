import type { Command, Node, Operand, Pipeline } from "../../../../go-template/syntax";
import { constantOf } from "./constants";
import { FunctionError } from "./values";

/** Named templates: those of `define` and `block`. */
export type NamedTemplates = ReadonlyMap<string, readonly Node[]>;

/**
 * Rejects what Go's parser rejects in addition to templates that are not well-formed. @throws FunctionError
 */
export function checkTemplate(nodes: readonly Node[]): NamedTemplates {
  const named = new Map<string, readonly Node[]>();
  new Check(named).nodes(nodes, ["$"], 0, true);
  return named;
}

export function nameIn(quotedName: string): string {
  const { value } = constantOf(quotedName);
  return value.type === "string" ? value.bytes : "";
}

class Check {
  constructor(private readonly named: Map<string, readonly Node[]>) {}

  nodes(nodes: readonly Node[], variables: string[], rangeDepth: number, isTop: boolean): void {
    for (const node of nodes) {
      this.node(node, variables, rangeDepth, isTop);
    }
  }

  private node(node: Node, variables: string[], rangeDepth: number, isTop: boolean): void {
    switch (node.kind) {
      case "output":
        this.pipeline(node.pipeline, variables, 1);
        return;
      case "if":
      case "with":
      case "range": {
        const outer = variables.length;
        const isRange = node.kind === "range";
        for (const [index, { pipeline, nodes }] of node.arms.entries()) {
          this.pipeline(pipeline, variables, isRange ? 2 : 1);
          this.nodes(nodes, variables, rangeDepth + (isRange && index === 0 ? 1 : 0), false);
        }
        variables.length = outer;
        return;
      }
      case "define":
        if (!isTop) {
          throw new FunctionError("unexpected {{define}}");
        }
        this.define(node.name, node.arms[0]?.nodes ?? []);
        return;
      case "block":
        this.pipeline(node.argument, variables, 1);
        this.define(node.name, node.arms[0]?.nodes ?? []);
        return;
      case "template":
        this.pipeline(node.argument, variables, 1);
        return;
      case "break":
      case "continue":
        if (rangeDepth === 0) {
          throw new FunctionError(`{{${node.kind}}} outside {{range}}`);
        }
    }
  }

  private define(quotedName: string, nodes: readonly Node[]): void {
    const name = nameIn(quotedName);
    const former = this.named.get(name);
    this.nodes(nodes, ["$"], 0, false);
    if (former !== undefined && !isEmpty(former) && !isEmpty(nodes)) {
      throw new FunctionError(`multiple definition of template ${JSON.stringify(name)}`);
    }
    if (former === undefined || isEmpty(former)) {
      this.named.set(name, nodes);
    }
  }

  private pipeline(pipeline: Pipeline | undefined, variables: string[], most: number): void {
    if (pipeline === undefined) {
      return;
    }
    if (pipeline.variables.length > most) {
      throw new FunctionError("too many declarations");
    }
    variables.push(...pipeline.variables);
    for (const [index, command] of pipeline.commands.entries()) {
      this.command(command, index, variables);
    }
  }

  private command({ first, parameters }: Command, index: number, variables: string[]): void {
    if (index > 0 && (first.kind === "constant" || first.kind === "dot")) {
      throw new FunctionError(`non executable command in pipeline stage ${index + 1}`);
    }
    for (const operand of [first, ...parameters]) {
      this.operand(operand, variables);
    }
  }

  private operand(operand: Operand, variables: string[]): void {
    switch (operand.kind) {
      case "constant":
        constantOf(operand.source);
        return;
      case "variable":
        if (!variables.includes(operand.source)) {
          throw new FunctionError(`undefined variable ${JSON.stringify(operand.source)}`);
        }
        return;
      case "group":
        this.pipeline(operand.pipeline, variables, 1);
        return;
      case "fields":
        if (operand.of?.kind === "constant" || operand.of?.kind === "dot") {
          throw new FunctionError(`unexpected . after term ${JSON.stringify(operand.of.source)}`);
        }
        if (operand.of !== undefined) {
          this.operand(operand.of, variables);
        }
    }
  }
}

function isEmpty(nodes: readonly Node[]): boolean {
  return nodes.every((node) =>
    node.kind === "text" ? node.text.trim() === "" : node.kind === "comment" || node.kind === "define",
  );
}
