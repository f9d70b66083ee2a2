import type { Node, Operand, Pipeline } from "../../../go-template/syntax";
import type { Problems, TemplateKind } from "./finding";
import { unknownField } from "./names";

/** Checks the names of all fields. @returns whether the template uses a field, or may use it */
export function checkFields(
  nodes: readonly Node[],
  kind: TemplateKind,
  problems: Problems,
): (field: string) => boolean {
  const used = new Set<string>();
  let usesAll = false;
  for (const operand of operandsOf(nodes)) {
    // The whole data may be handed on.
    usesAll ||=
      operand === "all" || operand.kind === "dot" || (operand.kind === "variable" && operand.name === "$");
    for (const { name, offset } of operand !== "all" && operand.kind === "fields" ? operand.names : []) {
      const message = problems.full ? undefined : unknownField(name, kind);
      if (message !== undefined) {
        problems.error(offset, message);
      }
      used.add(name);
    }
  }
  return (field) => usesAll || used.has(field);
}

/** Every operand, those of structures and in parentheses included; `all` where another template gets the dot. */
function* operandsOf(nodes: readonly Node[]): Generator<Operand | "all"> {
  for (const node of nodes) {
    if (node.kind === "output") {
      yield* operandsOfPipeline(node.pipeline);
    } else if (node.kind === "template" || node.kind === "block") {
      yield "all";
    }
    for (const { pipeline, nodes: inside } of "arms" in node ? node.arms : []) {
      yield* operandsOfPipeline(pipeline);
      yield* operandsOf(inside);
    }
  }
}

function* operandsOfPipeline(pipeline: Pipeline | undefined): Generator<Operand> {
  for (const { first, parameters } of pipeline?.commands ?? []) {
    for (const operand of [first, ...parameters]) {
      const inner = operand.kind === "fields" ? operand.of : operand;
      yield* inner?.kind === "group" ? operandsOfPipeline(inner.pipeline) : [];
      yield operand;
    }
  }
}
