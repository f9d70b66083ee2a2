import { quoted } from "../base/shown-text";
import { type Action, divide, type Token } from "./scanner";
import { type Arm, type Command, type Node, type Operand, type Pipeline, SyntaxProblem } from "./syntax";

/**
 * The maximum number of actions: a string that is not a template could have very many, each of which takes a
 * search to the end of the text.
 */
export const mostProblems = 1000;

/** The maximum depth. Servers have such a limit too. */
const deepestNesting = 1000;

interface Template {
  readonly nodes: readonly Node[];
  readonly problems: readonly SyntaxProblem[];
}

type Structure = Extract<Node, { readonly arms: unknown }>;

interface OpenStructure {
  readonly kind: Structure["kind"];
  readonly offset: number;
  readonly arms: Arm[];
  /** The variables of the last arm. */
  nodes: Node[];
  mayElse: boolean;
}

/**
 * An action that cannot be parsed becomes a separate node, so that the rest can still be checked.
 *
 * @param whyUnknown why a name is unknown, with a period before the name of a field; `undefined` if it is known
 */
export function parseTemplate(text: string, whyUnknown: (name: string) => string | undefined): Template {
  return new Parser(text, whyUnknown);
}

class Parser implements Template {
  readonly nodes: Node[] = [];
  readonly problems: SyntaxProblem[] = [];
  private readonly open: OpenStructure[] = [];
  private tokens: readonly Token[] = [];
  private end = 0;
  private index = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly whyUnknown: (name: string) => string | undefined,
  ) {
    for (const segment of divide(text)) {
      if (segment.kind === "text") {
        this.append(segment);
      } else {
        this.readAction(segment);
      }
      if (this.problems.length >= mostProblems) {
        break;
      }
    }
    for (const { kind, offset } of this.open) {
      this.report(offset, `\`{{${kind}}}\` is not closed: \`{{end}}\` is missing.`);
    }
  }

  private report(offset: number, message: string | undefined): void {
    if (message !== undefined) {
      this.problems.push(new SyntaxProblem(offset, message));
    }
  }

  private append(node: Node): void {
    (this.open.at(-1) ?? this).nodes.push(node);
  }

  private readAction(action: Action): void {
    const { offset, tokens } = action;
    const [first] = tokens;
    const keyword = first?.kind === "keyword" ? first.text : undefined;
    switch (keyword) {
      case "if":
      case "with":
      case "range": {
        const pipeline = this.read(action, 1, () => this.pipeline());
        this.begin({ kind: keyword, offset, arms: [] }, pipeline);
        break;
      }
      case "define":
      case "block":
        this.begin({ kind: keyword, offset, arms: [], ...this.readNamed(action, keyword === "block") });
        break;
      case "template":
        this.append({ kind: keyword, offset, ...this.readNamed(action, tokens.length > 2) });
        break;
      case "break":
      case "continue":
        this.read(action, 1);
        this.append({ kind: keyword, offset });
        break;
      case "else":
        this.readElse(action);
        break;
      case "end":
        this.read(action, 1);
        this.report(offset, this.open.pop() === undefined ? "`{{end}}` has nothing to close." : undefined);
        break;
      default: {
        const isComment = first?.kind === "comment" && !first.spaced;
        const pipeline = this.read(action, isComment ? 1 : 0, isComment ? undefined : () => this.pipeline());
        const kind = isComment ? "comment" : "unreadable";
        this.append(pipeline === undefined ? { kind, offset } : { kind: "output", pipeline, offset });
      }
    }
  }

  private begin(structure: Structure & { readonly arms: Arm[] }, pipeline?: Pipeline): void {
    const { kind, offset, arms } = structure;
    const nodes: Node[] = [];
    arms.push({ pipeline, nodes });
    this.append(structure);
    this.open.push({ kind, offset, arms, nodes, mayElse: kind !== "define" && kind !== "block" });
  }

  /** A quoted name and what is passed to the template of that name. */
  private readNamed(action: Action, passes: boolean): { name: string; argument: Pipeline | undefined } {
    let name = "";
    const argument = this.read(action, 1, () => {
      const token = this.next;
      this.require(token?.kind === "constant" && /^["`]/.test(token.text));
      name = token?.text ?? "";
      this.index++;
      return passes ? this.pipeline() : undefined;
    });
    return { name, argument };
  }

  private readElse(action: Action): void {
    const structure = this.open.at(-1);
    if (structure?.mayElse !== true) {
      this.report(action.offset, "`{{else}}` is not allowed here.");
      return;
    }
    structure.mayElse = structure.kind !== "range" && action.tokens[1]?.text === structure.kind;
    const pipeline = structure.mayElse ? this.read(action, 2, () => this.pipeline()) : this.read(action, 1);
    structure.nodes = [];
    structure.arms.push({ pipeline, nodes: structure.nodes });
  }

  private read(
    { tokens, end, problem }: Action,
    index: number,
    content: () => Pipeline | undefined = () => undefined,
  ): Pipeline | undefined {
    [this.tokens, this.end, this.index, this.depth] = [tokens, end, index, 0];
    try {
      if (problem !== undefined) {
        throw problem;
      }
      const pipeline = content();
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
      this.report(this.next.offset, this.whyUnknown(this.next.text));
      names.push(this.next.text.slice(1));
      this.index++;
    }
    if (of === undefined || names.length > 0) {
      return { kind: "fields", of, names, offset, source: this.since(offset) };
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
      this.report(offset, this.whyUnknown(source));
      return { kind: "function", offset, source };
    }
    return { kind: kind === "constant" || kind === "variable" ? kind : "dot", offset, source };
  }
}
