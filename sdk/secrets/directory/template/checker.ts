import { quoted } from "../../../go-template/quoted";
import type { Command, Node, Operand, Pipeline, Structure } from "../../../go-template/syntax";
import { checkCall, typeOf } from "./call";
import type { Problems, TemplateKind } from "./finding";
import { unknownField } from "./names";

/** What a template makes use of. */
export interface TemplateUsage {
  /** Whether the field is used, or may be. */
  readonly uses: (field: string) => boolean;
}

/** The value of the dot: all fields, one value, or unknown without evaluation. */
type Dot = "fields" | "value" | "unknown";

/** Checks what a template does with functions, fields and other templates. */
export function checkTemplate(nodes: readonly Node[], kind: TemplateKind, problems: Problems): TemplateUsage {
  const checker = new Checker(kind, problems);
  checker.nodes(nodes, "fields");
  return { uses: (field) => checker.usesAllFields || checker.usedFields.has(field) };
}

class Checker {
  readonly usedFields = new Set<string>();
  /** The template hands all fields on at once, so any can be used. */
  usesAllFields = false;

  constructor(
    private readonly kind: TemplateKind,
    private readonly problems: Problems,
  ) {}

  nodes(nodes: readonly Node[], dot: Dot): void {
    for (const node of nodes) {
      if (node.kind === "output") {
        this.pipeline(node.pipeline, dot);
      } else if (node.kind === "template") {
        // Its words are not read; most hand the dot on.
        this.usesAllFields = true;
      } else if ("arms" in node) {
        this.structure(node, dot);
      }
    }
  }

  private structure({ kind, arms }: Structure, dot: Dot): void {
    this.usesAllFields ||= kind === "block";
    for (const { pipeline, isElse, nodes } of arms) {
      this.pipeline(pipeline, dot);
      this.nodes(nodes, isElse ? dot : dotInside(kind, pipeline, dot));
    }
    const [command, ...more] = arms[0]?.pipeline?.commands ?? [];
    if (kind === "range" && more.length === 0 && command !== undefined && typeOf(command.first) === "text") {
      this.problems.error(command.first.offset, "`range` needs a number, not a string.");
    }
  }

  private pipeline(pipeline: Pipeline | undefined, dot: Dot): void {
    let piped: Operand | undefined;
    for (const command of pipeline?.commands ?? []) {
      this.command(command, piped, dot);
      piped = command.first;
    }
    if (pipeline?.unusedPipe !== undefined) {
      this.problems.warning(pipeline.unusedPipe, "Nothing follows `|`.");
    }
  }

  private command({ first, parameters }: Command, piped: Operand | undefined, dot: Dot): void {
    if (first.kind === "function") {
      for (const parameter of parameters) {
        this.operand(parameter, dot);
      }
      const given = piped === undefined ? parameters : [...parameters, piped];
      checkCall(first.name, first.offset, given, this.problems);
      return;
    }
    this.operand(first, dot);
    const [parameter] = parameters;
    const name = quoted(first.source);
    if (first.kind === "constant" && first.value === null) {
      this.problems.error(first.offset, "`nil` cannot stand alone.");
    } else if (parameter !== undefined) {
      const hint = parameter.kind === "function" ? "; use `|` to pass it to a function" : "";
      this.problems.error(parameter.offset, `${name} is not a function, it takes no arguments${hint}.`);
    } else if (piped !== undefined) {
      this.problems.error(first.offset, `${name} is not a function: nothing can be piped into it.`);
    }
  }

  private operand(operand: Operand, dot: Dot): void {
    switch (operand.kind) {
      case "function":
        checkCall(operand.name, operand.offset, [], this.problems);
        break;
      case "dot":
        this.usesAllFields ||= dot !== "value";
        break;
      case "variable":
        this.usesAllFields ||= operand.name === "$";
        break;
      case "group":
        this.pipeline(operand.pipeline, dot);
        break;
      case "fields":
        this.fields(operand, dot);
        break;
    }
  }

  private fields({ of, names }: Extract<Operand, { kind: "fields" }>, dot: Dot): void {
    if (of?.kind === "group") {
      this.operand(of, dot);
    }
    names.forEach(({ name, offset }, index) => {
      if (this.problems.full) {
        return;
      }
      const message = unknownField(name, this.kind);
      if (message !== undefined) {
        this.problems.error(offset, message);
      } else if (index > 0) {
        this.problems.error(offset, `\`.${name}\` is applied to a field, which has no fields.`);
      } else if (of === undefined && dot === "value") {
        const message = `Here the dot is a single value, which has no field \`.${name}\`; write \`$.${name}\`.`;
        this.problems.error(offset, message);
      }
      this.usedFields.add(name);
    });
  }
}

function dotInside(kind: Structure["kind"], pipeline: Pipeline | undefined, dot: Dot): Dot {
  switch (kind) {
    case "if":
      return dot;
    case "range":
      return "value";
    case "with": {
      const [command, ...more] = pipeline?.commands ?? [];
      const first = more.length > 0 ? undefined : command?.first;
      return first?.kind === "dot" ? dot : first?.kind === "fields" ? "value" : "unknown";
    }
    default:
      // A template is given its dot when it is called.
      return "unknown";
  }
}
