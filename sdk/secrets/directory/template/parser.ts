import { deepestNesting, ExpressionParser, type PipelinePlace } from "./expression-parser";
import { type Problems, quoted } from "./finding";
import { lex, type Segment } from "./lexer";
import type { Arm, Node, Pipeline, TemplateTree } from "./syntax";
import { SyntaxProblem } from "./token";

/**
 * Reads a template. Whatever is wrong becomes a problem; an action that cannot be read is left out, so that what
 * stands around it is still checked.
 */
export function parseTemplate(text: string, problems: Problems): TemplateTree {
  return new TemplateParser(lex(text, problems), problems).parse();
}

type ActionSegment = Extract<Segment, { kind: "action" }>;
type ControlKind = "if" | "with" | "range";

/** A structure whose `{{end}}` has not come yet. */
type OpenStructure =
  | {
      readonly kind: ControlKind;
      readonly offset: number;
      readonly arms: Arm[];
      arm: Omit<Arm, "nodes"> & { readonly nodes: Node[] };
    }
  | {
      readonly kind: "define" | "block";
      readonly offset: number;
      readonly name: string;
      readonly nameOffset: number;
      readonly pipeline: Pipeline | undefined;
      readonly nodes: Node[];
    };

class TemplateParser {
  private readonly nodes: Node[] = [];
  private readonly definitions = new Map<string, readonly Node[]>();
  /** Names whose definition holds more than white space: the others may be defined anew. */
  private readonly filled = new Set<string>();
  private readonly open: OpenStructure[] = [];
  private complete = true;

  constructor(
    private readonly segments: readonly Segment[],
    private readonly problems: Problems,
  ) {}

  parse(): TemplateTree {
    for (const segment of this.segments) {
      if (this.problems.full) {
        this.complete = false;
        return this.tree();
      } else if (segment.kind === "text") {
        this.append(segment);
      } else if (segment.kind === "comment") {
        this.complete &&= !segment.broken;
        this.append({ kind: "silent", offset: segment.offset });
      } else if (this.open.length > deepestNesting) {
        const message = `Structures are nested deeper than ${deepestNesting} levels.`;
        this.fail(new SyntaxProblem(segment.offset, message));
        return this.tree();
      } else {
        this.readAction(segment);
      }
    }
    for (const { kind, offset } of this.open.splice(0).reverse()) {
      this.fail(new SyntaxProblem(offset, `\`{{${kind}}}\` is not closed: \`{{end}}\` is missing.`));
    }
    return this.tree();
  }

  private tree(): TemplateTree {
    return { nodes: this.nodes, definitions: this.definitions, complete: this.complete };
  }

  private append(node: Node): void {
    const structure = this.open.at(-1);
    if (structure === undefined) {
      this.nodes.push(node);
    } else {
      ("arm" in structure ? structure.arm : structure).nodes.push(node);
    }
  }

  private fail({ offset, message }: SyntaxProblem): void {
    this.complete = false;
    this.problems.error(offset, message);
  }

  /** Runs a reader; `undefined` when the words of the action are wrong. */
  private attempt<Result>(read: () => Result): Result | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) {
        throw error;
      }
      this.fail(error);
      return undefined;
    }
  }

  private readAction(action: ActionSegment): void {
    const [first] = action.tokens;
    const keyword = first?.kind === "keyword" && first.text !== "nil" ? first.text : undefined;
    if (action.broken) {
      this.complete = false;
    }
    switch (keyword) {
      case "if":
      case "with":
      case "range":
        this.begin(keyword, action);
        break;
      case "define":
      case "block":
        this.beginNamed(keyword, action);
        break;
      case "else":
        this.otherwise(action);
        break;
      case "end":
        this.close(action);
        break;
      case "template":
        this.call(action);
        break;
      case "break":
      case "continue":
        this.jump(keyword, action);
        break;
      default:
        this.value(action);
    }
  }

  private value(action: ActionSegment): void {
    const pipeline = this.pipeline(action, action.tokens, "action");
    if (pipeline !== undefined) {
      this.append({ kind: "action", pipeline, offset: action.offset });
    }
  }

  private pipeline(
    action: ActionSegment,
    tokens: ActionSegment["tokens"],
    place: PipelinePlace,
  ): Pipeline | undefined {
    // What is wrong with a broken action was said already.
    return action.broken
      ? undefined
      : this.attempt(() => new ExpressionParser(tokens, action.end).pipeline(place));
  }

  private expectEnd(action: ActionSegment, keyword: string): void {
    if (!action.broken) {
      this.attempt(() => new ExpressionParser(action.tokens.slice(1), action.end).expectEnd(keyword));
    }
  }

  private begin(kind: ControlKind, action: ActionSegment): void {
    const { offset } = action;
    const pipeline = this.pipeline(action, action.tokens.slice(1), kind);
    this.open.push({ kind, offset, arms: [], arm: { offset, pipeline, isElse: false, nodes: [] } });
  }

  private otherwise(action: ActionSegment): void {
    const { offset } = action;
    const structure = this.open.at(-1);
    if (structure === undefined || !("arm" in structure)) {
      const inside = structure === undefined ? "" : ` in \`{{${structure.kind}}}\``;
      this.fail(new SyntaxProblem(offset, `\`{{else}}\` has no meaning here${inside}.`));
      return;
    }
    if (structure.arm.isElse) {
      this.fail(new SyntaxProblem(offset, "Only `{{end}}` can follow `{{else}}`."));
      return;
    }
    const next = action.tokens[1];
    structure.arms.push(structure.arm);
    if (next?.kind === "keyword" && next.text === structure.kind && structure.kind !== "range") {
      const pipeline = this.pipeline(action, action.tokens.slice(2), structure.kind);
      structure.arm = { offset, pipeline, isElse: false, nodes: [] };
    } else {
      this.expectEnd(action, "else");
      structure.arm = { offset, pipeline: undefined, isElse: true, nodes: [] };
    }
  }

  private beginNamed(kind: "define" | "block", action: ActionSegment): void {
    const { offset, end } = action;
    if (kind === "define" && this.open.length > 0) {
      this.fail(new SyntaxProblem(offset, "`{{define}}` cannot stand inside another structure."));
    }
    const reader = new ExpressionParser(action.tokens.slice(1), end);
    const read = action.broken
      ? undefined
      : this.attempt(() => {
          const { name, offset: nameOffset } = reader.templateName(kind);
          if (kind === "block") {
            return { name, nameOffset, pipeline: reader.pipeline("block") };
          }
          reader.expectEnd("define");
          return { name, nameOffset, pipeline: undefined };
        });
    this.open.push({
      kind,
      offset,
      nodes: [],
      ...(read ?? { name: "", nameOffset: offset, pipeline: undefined }),
    });
  }

  private call(action: ActionSegment): void {
    const reader = new ExpressionParser(action.tokens.slice(1), action.end);
    const read = action.broken
      ? undefined
      : this.attempt(() => {
          const { name, offset: nameOffset } = reader.templateName("template");
          return { name, nameOffset, pipeline: reader.atEnd ? undefined : reader.pipeline("template") };
        });
    if (read !== undefined) {
      const { offset, end } = action;
      this.append({ kind: "template", ...read, nodes: [], offset, end });
    }
  }

  private jump(kind: "break" | "continue", action: ActionSegment): void {
    this.expectEnd(action, kind);
    const inLoop = this.enclosing().includes("range");
    if (!inLoop) {
      this.fail(new SyntaxProblem(action.offset, `\`{{${kind}}}\` can only stand in \`{{range}}\`.`));
    }
    this.append({ kind, offset: action.offset });
  }

  /** The structures around this place, up to the template that it belongs to. */
  private enclosing(): string[] {
    const kinds = this.open.map(({ kind }) => kind);
    const template = Math.max(kinds.lastIndexOf("define"), kinds.lastIndexOf("block"));
    return kinds.slice(template + 1);
  }

  private close(action: ActionSegment): void {
    this.expectEnd(action, "end");
    const structure = this.open.pop();
    if (structure === undefined) {
      this.fail(new SyntaxProblem(action.offset, "`{{end}}` closes nothing."));
      return;
    }
    if ("arm" in structure) {
      const { kind, offset, arms, arm } = structure;
      this.append({ kind, offset, arms: [...arms, arm], end: action.offset });
      return;
    }
    const { kind, name, nameOffset, nodes, offset, pipeline } = structure;
    this.define(name, nameOffset, nodes);
    this.append(
      kind === "define"
        ? { kind: "silent", offset }
        : { kind: "block", name, nameOffset, pipeline, nodes, offset, end: action.offset },
    );
  }

  private define(name: string, nameOffset: number, nodes: readonly Node[]): void {
    if (isEmpty(nodes)) {
      this.definitions.set(name, this.definitions.get(name) ?? nodes);
    } else if (this.filled.has(name)) {
      this.fail(new SyntaxProblem(nameOffset, `The template ${quoted(name)} is defined twice.`));
    } else {
      this.filled.add(name);
      this.definitions.set(name, nodes);
    }
  }
}

function isEmpty(nodes: readonly Node[]): boolean {
  return nodes.every((node) => node.kind === "silent" || (node.kind === "text" && node.text.trim() === ""));
}
