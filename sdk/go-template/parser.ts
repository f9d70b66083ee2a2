import { deepestNesting, ExpressionParser, type Surroundings } from "./expression-parser";
import { type Action, divide } from "./lexer";
import type { Arm, Node, Pipeline, Structure } from "./syntax";
import { mostProblems, NestingProblem, SyntaxProblem } from "./syntax-problem";

/** A template that was read. */
export interface Template {
  readonly nodes: readonly Node[];
  /** What is wrong, in the order in which servers notice it. They stop at the first. */
  readonly problems: readonly SyntaxProblem[];
  /** All of it could be read: nothing is wrong but functions and variables that do not exist. */
  readonly isComplete: boolean;
}

/**
 * Reads a template. An action that cannot be read is left out, so that what stands around it can still be checked.
 *
 * @param unknownFunction says why there is no function of a name; `undefined` when there is one
 */
export function parseTemplate(text: string, unknownFunction: (name: string) => string | undefined): Template {
  return new Parser(text, unknownFunction).parse();
}

/** A structure whose `{{end}}` has not come yet. */
interface OpenStructure {
  readonly kind: Structure["kind"];
  readonly offset: number;
  readonly arms: OpenArm[];
  /** The variables that are known again behind it. */
  readonly outside: readonly Set<string>[];
}

type OpenArm = Omit<Arm, "nodes"> & { readonly nodes: Node[] };

class Parser {
  private readonly nodes: Node[] = [];
  private readonly problems: SyntaxProblem[] = [];
  private readonly open: OpenStructure[] = [];
  /** The variables that are known, those of the innermost structure last. */
  private variables: readonly Set<string>[] = [new Set(["$"])];
  private isComplete = true;
  private readonly surroundings: Surroundings;

  constructor(
    private readonly text: string,
    unknownFunction: (name: string) => string | undefined,
  ) {
    this.surroundings = {
      text,
      unknownFunction,
      hasVariable: (name) => this.variables.some((names) => names.has(name)),
      declare: (name) => this.variables.at(-1)?.add(name),
      report: (problem) => this.problems.push(problem),
    };
  }

  parse(): Template {
    this.readSegments();
    for (const { kind, offset } of this.open.splice(0).reverse()) {
      const message = `\`{{${kind}}}\` is not closed: \`{{end}}\` is missing.`;
      this.fail(new SyntaxProblem(offset, message, "unexpected EOF", this.text.length));
    }
    const { nodes, problems, isComplete } = this;
    return { nodes, problems, isComplete };
  }

  private readSegments(): void {
    for (const segment of divide(this.text, (problem) => this.fail(problem))) {
      if (this.problems.length >= mostProblems) {
        this.isComplete = false;
        return;
      }
      if (segment.kind !== "action") {
        this.append(segment);
      } else if (this.open.length > deepestNesting) {
        const message = `Structures are nested deeper than ${deepestNesting} levels.`;
        this.fail(new NestingProblem(segment.offset, message, "structures are nested too deep"));
        this.open.length = 0;
        return;
      } else {
        this.readAction(segment);
      }
    }
  }

  private fail(problem: SyntaxProblem): void {
    this.isComplete = false;
    this.problems.push(problem);
  }

  private append(node: Node): void {
    (this.open.at(-1)?.arms.at(-1)?.nodes ?? this.nodes).push(node);
  }

  /** Reads the words of an action; `undefined` when they are wrong. */
  private read<Result>(
    action: Action,
    index: number,
    reader: (expression: ExpressionParser) => Result,
  ): Result | undefined {
    if (action.broken) {
      // What is wrong was said already.
      return undefined;
    }
    try {
      const expression = new ExpressionParser(action, index, this.surroundings);
      const result = reader(expression);
      expression.requireEnd(action.tokens[0]?.text ?? "");
      return result;
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) {
        throw error;
      }
      this.fail(error);
      return undefined;
    }
  }

  private readPipeline(action: Action, index: number, context: string): Pipeline | undefined {
    return this.read(action, index, (expression) => expression.pipeline(context));
  }

  private readAction(action: Action): void {
    const { offset, tokens } = action;
    const keyword = tokens[0]?.kind === "keyword" ? tokens[0].text : undefined;
    switch (keyword) {
      case "if":
      case "with":
      case "range":
      case "define":
      case "block":
        this.begin(keyword, action);
        break;
      case "else":
        this.otherwise(action);
        break;
      case "end":
        this.close(action);
        break;
      case "template":
      case "break":
      case "continue":
        this.append({ kind: keyword, offset });
        break;
      default: {
        const pipeline = this.readPipeline(action, 0, "command");
        if (pipeline !== undefined) {
          this.append({ kind: "output", pipeline, offset });
        }
      }
    }
  }

  private begin(kind: Structure["kind"], action: Action): void {
    const { offset } = action;
    const outside = this.variables;
    // A template of its own does not know the variables around it.
    const isTemplate = kind === "define" || kind === "block";
    this.variables = isTemplate ? [new Set(["$"])] : [...outside, new Set()];
    const pipeline = isTemplate ? undefined : this.readPipeline(action, 1, kind);
    this.open.push({ kind, offset, arms: [{ offset, pipeline, isElse: false, nodes: [] }], outside });
  }

  private otherwise(action: Action): void {
    const { offset } = action;
    const structure = this.open.at(-1);
    const kind = structure?.kind;
    if (structure === undefined || kind === "define" || kind === "block") {
      const inside = kind === undefined ? "" : ` in \`{{${kind}}}\``;
      this.fail(
        new SyntaxProblem(offset, `\`{{else}}\` is not allowed here${inside}.`, "unexpected {{else}}"),
      );
    } else if (structure.arms.at(-1)?.isElse === true) {
      const message = "Only `{{end}}` can follow `{{else}}`.";
      this.fail(new SyntaxProblem(offset, message, "expected end; found {{else}}"));
    } else {
      const isElse = kind === "range" || action.tokens[1]?.text !== kind;
      const pipeline = this.read(action, isElse ? 1 : 2, (expression) =>
        isElse ? undefined : expression.pipeline(structure.kind),
      );
      structure.arms.push({ offset, pipeline, isElse, nodes: [] });
    }
  }

  private close(action: Action): void {
    this.read(action, 1, () => undefined);
    const structure = this.open.pop();
    if (structure === undefined) {
      this.fail(new SyntaxProblem(action.offset, "`{{end}}` has nothing to close.", "unexpected {{end}}"));
      return;
    }
    const { kind, offset, arms, outside } = structure;
    this.variables = outside;
    this.append({ kind, offset, arms });
  }
}
