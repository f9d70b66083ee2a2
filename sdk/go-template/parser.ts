import { type Action, divide, quoted, type Token } from "./scanner";
import { type Arm, type Command, type Node, type Operand, type Pipeline, SyntaxProblem } from "./syntax";

/** Text that is not a template at all could have very many. */
export const mostProblems = 1000;

/** Servers have such a limit too. */
const deepestNesting = 1000;

/** Each function says why a name is unknown; `undefined` if it is known. */
interface KnownNames {
  readonly unknownFunction: (name: string) => string | undefined;
  readonly unknownField?: (name: string) => string | undefined;
}

interface Template {
  readonly nodes: readonly Node[];
  readonly problems: readonly SyntaxProblem[];
  /** Names of fields; `.` if it may use any, because the data is passed on as a whole. */
  readonly used: ReadonlySet<string>;
}

/** An action that cannot be parsed becomes a node of its own, so that the rest can still be checked. */
export function parseTemplate(text: string, names: KnownNames): Template {
  return new Parser(text, names).parse();
}

type OpenArm = Omit<Arm, "nodes"> & { readonly nodes: Node[] };
interface OpenStructure {
  readonly kind: Extract<Node, { readonly arms: unknown }>["kind"];
  readonly offset: number;
  readonly arms: OpenArm[];
}

class Parser {
  private readonly nodes: Node[] = [];
  private readonly problems: SyntaxProblem[] = [];
  private readonly used = new Set<string>();
  private readonly open: OpenStructure[] = [];
  private tokens: readonly Token[] = [];
  private end = 0;
  private index = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly names: KnownNames,
  ) {}

  parse(): Template {
    const { nodes, problems, used } = this;
    for (const segment of divide(this.text)) {
      if (segment.kind === "text") {
        this.append(segment);
      } else {
        this.readAction(segment);
      }
      if (problems.length >= mostProblems) {
        break;
      }
    }
    for (const { kind, offset } of this.open.slice(0, mostProblems - problems.length)) {
      this.report(offset, `\`{{${kind}}}\` is not closed: \`{{end}}\` is missing.`);
    }
    return { nodes, problems, used };
  }

  private report(offset: number, message: string | undefined): void {
    if (message !== undefined) {
      this.problems.push(new SyntaxProblem(offset, message));
    }
  }

  private append(node: Node): void {
    (this.open.at(-1)?.arms.at(-1)?.nodes ?? this.nodes).push(node);
  }

  private readAction(action: Action): void {
    const { offset, tokens } = action;
    const [first] = tokens;
    const keyword = first?.kind === "keyword" ? first.text : undefined;
    switch (keyword) {
      case "if":
      case "with":
      case "range":
        this.begin(keyword, offset, this.read(action, 1, true));
        break;
      case "define":
      case "block":
      case "template":
      case "break":
      case "continue":
        // The arguments of these are not checked.
        this.read(action, tokens.length, false);
        if (keyword === "block" || keyword === "template") {
          this.used.add(".");
        }
        if (keyword === "define" || keyword === "block") {
          this.begin(keyword, offset, undefined);
        } else {
          this.append({ kind: keyword, offset });
        }
        break;
      case "else":
        this.otherwise(action);
        break;
      case "end":
        this.read(action, 1, false);
        if (this.open.pop() === undefined) {
          this.report(offset, "`{{end}}` has nothing to close.");
        }
        break;
      default: {
        const isComment = first?.kind === "comment" && !first.spaced;
        const pipeline = this.read(action, isComment ? 1 : 0, !isComment);
        const kind = isComment ? "comment" : "unreadable";
        this.append(pipeline === undefined ? { kind, offset } : { kind: "output", pipeline, offset });
      }
    }
  }

  private begin(kind: OpenStructure["kind"], offset: number, pipeline: Pipeline | undefined): void {
    const structure: OpenStructure = { kind, offset, arms: [{ pipeline, isElse: false, nodes: [] }] };
    this.append(structure);
    this.open.push(structure);
  }

  private otherwise(action: Action): void {
    const structure = this.open.at(-1);
    const kind = structure?.kind ?? "define";
    if (kind === "define" || kind === "block" || structure?.arms.at(-1)?.isElse !== false) {
      this.report(action.offset, "`{{else}}` is not allowed here.");
    } else {
      const isElse = kind === "range" || action.tokens[1]?.text !== kind;
      const pipeline = this.read(action, isElse ? 1 : 2, !isElse);
      structure.arms.push({ pipeline, isElse, nodes: [] });
    }
  }

  private read({ tokens, end, problem }: Action, index: number, isPipeline: boolean): Pipeline | undefined {
    [this.tokens, this.end, this.index, this.depth] = [tokens, end, index, 0];
    try {
      if (problem !== undefined) {
        throw problem;
      }
      const pipeline = isPipeline ? this.pipeline() : undefined;
      this.require(this.next === undefined);
      return pipeline;
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) {
        throw error;
      }
      this.problems.push(error);
      return undefined;
    }
  }

  private get next(): Token | undefined {
    return this.tokens[this.index];
  }

  private get isAtEnd(): boolean {
    return this.next === undefined || this.next.text === ")";
  }

  private require(isRight: boolean): void {
    if (!isRight) {
      const { offset, text } = this.next ?? { offset: this.end, text: undefined };
      const message =
        text === undefined ? "A value is missing here." : `${quoted(text)} is not allowed here.`;
      throw new SyntaxProblem(offset, message);
    }
  }

  private since(offset: number): string {
    const last = this.tokens[this.index - 1];
    return this.text.slice(offset, last && last.offset + last.text.length);
  }

  private pipeline(): Pipeline {
    const variables = this.variables();
    const declares = this.tokens[this.index - 1]?.text === ":=";
    const commands: [Command, ...Command[]] = [this.command()];
    while (this.next?.text === "|") {
      this.index++;
      // A trailing `|` is allowed and passes nothing on.
      if (!this.isAtEnd) {
        commands.push(this.command());
      }
    }
    return { variables, declares, commands };
  }

  /** `$x :=`, `$x =`, and for `range` also `$i, $x :=`. */
  private variables(): readonly string[] {
    const [first, sign, second, last] = this.tokens.slice(this.index, this.index + 4);
    const isPair = sign?.text === "," && second?.kind === "variable";
    const assigns = /^:?=$/.test((isPair ? last : sign)?.text ?? "");
    if (first?.kind !== "variable" || !assigns) {
      return [];
    }
    const variables = isPair ? [first.text, second.text] : [first.text];
    this.index += 2 * variables.length;
    return variables;
  }

  private command(): Command {
    const first = this.operand();
    const parameters: Operand[] = [];
    while (!this.isAtEnd && this.next?.text !== "|") {
      this.require(this.next?.spaced === true);
      parameters.push(this.operand());
    }
    return { first, parameters };
  }

  private operand(): Operand {
    const start = this.index;
    const offset = this.next?.offset ?? this.end;
    const of = this.next?.kind === "field" ? undefined : this.term();
    const names: string[] = [];
    while (this.next?.kind === "field" && (this.index === start || !this.next.spaced)) {
      const name = this.next.text.slice(1);
      if (this.problems.length < mostProblems) {
        this.report(this.next.offset, this.names.unknownField?.(name));
      }
      this.used.add(name);
      names.push(name);
      this.index++;
    }
    if (of === undefined || names.length > 0) {
      return { kind: "fields", of, names, offset, source: this.since(offset) };
    }
    if (of.kind === "dot" || of.source === "$") {
      this.used.add(".");
    }
    return of;
  }

  private term(): Operand {
    const { kind = "sign", offset = this.end, text: source = "" } = this.next ?? {};
    const isGroup = source === "(" && this.depth < deepestNesting;
    this.require(isGroup || source === "." || kind === "name" || kind === "constant" || kind === "variable");
    this.index++;
    if (isGroup) {
      this.depth++;
      const pipeline = this.pipeline();
      if (this.next === undefined) {
        throw new SyntaxProblem(offset, "`(` is not closed: `)` is missing.");
      }
      this.index++;
      this.depth--;
      return { kind: "group", pipeline, offset, source: this.since(offset) };
    }
    if (kind === "name") {
      this.report(offset, this.names.unknownFunction(source));
      return { kind: "function", offset, source };
    }
    return { kind: kind === "constant" || kind === "variable" ? kind : "dot", offset, source };
  }
}
