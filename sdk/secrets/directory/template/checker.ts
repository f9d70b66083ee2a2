import { ExpressionChecker, type Place } from "./expression-checker";
import { type Problems, quoted, type TemplateKind } from "./finding";
import { Scope } from "./scope";
import type { Arm, ControlNode, Node, TemplateNode, TemplateTree } from "./syntax";
import { isWhole, typeNames, type ValueType } from "./value";

/** What a template makes use of. */
export interface TemplateUsage {
  /** Whether the field is used, or may be. */
  readonly uses: (field: string) => boolean;
}

/** Checks what a template does with functions, fields, variables and other templates. */
export function checkTemplate(tree: TemplateTree, kind: TemplateKind, problems: Problems): TemplateUsage {
  const expressions = new ExpressionChecker(kind, problems);
  new TemplateChecker(tree, expressions, problems).check();
  return { uses: (field) => expressions.usesAllFields || expressions.usedFields.has(field) };
}

class TemplateChecker {
  /** Each template that is called, once with every kind of dot that it is called with. */
  private readonly calls: (readonly [name: string, dot: ValueType])[] = [];
  private readonly called = new Map<string, Set<ValueType>>();

  constructor(
    private readonly tree: TemplateTree,
    private readonly expressions: ExpressionChecker,
    private readonly problems: Problems,
  ) {}

  check(): void {
    this.body(this.tree.nodes, "fields");
    // Calls that are found meanwhile are added at the end.
    for (const [name, dot] of this.calls) {
      this.body(this.tree.definitions.get(name) ?? [], dot);
    }
    for (const [name, nodes] of this.tree.definitions) {
      if (!this.called.has(name)) {
        this.body(nodes, "unknown");
      }
    }
  }

  private body(nodes: readonly Node[], dot: ValueType): void {
    const scope = new Scope();
    scope.declare("$", dot);
    this.nodes(nodes, { dot, scope });
  }

  private nodes(nodes: readonly Node[], place: Place): void {
    for (const node of nodes) {
      switch (node.kind) {
        case "action":
          this.expressions.pipeline(node.pipeline, place);
          break;
        case "if":
        case "with":
        case "range":
          this.control(node, place);
          break;
        case "template":
        case "block":
          this.call(node, place);
          break;
      }
    }
  }

  private control({ kind, arms }: ControlNode, { dot, scope }: Place): void {
    // What an arm declares in its condition is seen in the arms that follow, too.
    const place = { dot, scope: new Scope(scope) };
    for (const arm of arms) {
      const inner =
        kind === "range" && !arm.isElse ? this.range(arm, place) : this.condition(kind, arm, place);
      this.nodes(arm.nodes, { dot: inner, scope: new Scope(place.scope) });
    }
  }

  /** @returns the dot inside */
  private condition(kind: ControlNode["kind"], { pipeline, isElse }: Arm, place: Place): ValueType {
    const type = pipeline === undefined ? "unknown" : this.expressions.pipeline(pipeline, place).type;
    return kind === "with" && !isElse ? type : place.dot;
  }

  /** @returns the dot inside: what the loop runs over, one at a time */
  private range({ pipeline }: Arm, place: Place): ValueType {
    if (pipeline === undefined) {
      return "unknown";
    }
    const { type } = this.expressions.value(pipeline, place);
    const [first, second] = pipeline.variables;
    if (!isWhole(type) && type !== "nothing") {
      this.problems.error(pipeline.offset, `\`range\` needs a number of rounds, not ${typeNames[type]}.`);
    } else if (second !== undefined && type !== "unknown" && type !== "nothing") {
      this.problems.error(second.offset, "Only one variable can be set when `range` counts.");
    }
    const element = isWhole(type) ? type : "unknown";
    if (first !== undefined) {
      const index = second === undefined ? element : "unknown";
      this.expressions.set(first.name, first.offset, index, pipeline.assigns, place.scope);
    }
    if (second !== undefined) {
      this.expressions.set(second.name, second.offset, element, pipeline.assigns, place.scope);
    }
    return element;
  }

  private call({ name, nameOffset, pipeline }: TemplateNode, place: Place): void {
    if (!this.tree.definitions.has(name) && this.tree.complete) {
      this.problems.error(nameOffset, `There is no template ${quoted(name)}.`);
    }
    const { type } =
      pipeline === undefined ? { type: "nothing" as const } : this.expressions.pipeline(pipeline, place);
    const dots = this.called.get(name) ?? new Set();
    if (!dots.has(type)) {
      this.called.set(name, dots.add(type));
      this.calls.push([name, type]);
    }
  }
}
