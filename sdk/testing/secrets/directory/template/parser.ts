import { divide, type Part } from "./lexer";
import { PipelineParser } from "./pipeline-parser";
import type { Node, Pipeline } from "./syntax";
import { TemplateError } from "./template-error";

type Block = Extract<Node, { readonly body: unknown }>["kind"];
type Action = Extract<Part, { readonly kind: "action" }>;

/** What ended a list of nodes. */
type Ending = { readonly word: "end" | "else" | undefined; readonly action?: Action };

const blocks: readonly Block[] = ["if", "with", "range"];
/** Of the language, but not of the subset for user names and entries. */
const unsupported = ["define", "template", "block", "break", "continue"];

/**
 * Reads a template.
 *
 * @param functions the names of those it may call
 * @throws TemplateError when it is broken, or calls an unknown function or variable
 */
export function parse(template: string, functions: ReadonlySet<string>): readonly Node[] {
  return new Parser(divide(template), functions).parse();
}

class Parser {
  private position = 0;
  /** The variables that are known here, the innermost last. */
  private variables: string[] = [""];

  constructor(
    private readonly parts: readonly Part[],
    private readonly functions: ReadonlySet<string>,
  ) {}

  parse(): readonly Node[] {
    const { nodes, ending } = this.list();
    if (ending.word !== undefined) {
      throw failure(ending.action, `unexpected {{${ending.word}}}`);
    }
    return nodes;
  }

  private list(): { readonly nodes: readonly Node[]; readonly ending: Ending } {
    const nodes: Node[] = [];
    for (;;) {
      const part = this.parts[this.position];
      this.position += 1;
      if (part === undefined) {
        return { nodes, ending: { word: undefined } };
      }
      if (part.kind === "text") {
        nodes.push(part);
        continue;
      }
      const word = part.tokens[0]?.kind === "identifier" ? part.tokens[0].value : undefined;
      if (word === "end" || word === "else") {
        return { nodes, ending: { word, action: part } };
      }
      const block = blocks.find((known) => known === word);
      if (block !== undefined) {
        nodes.push(this.block(block, part, 1));
      } else if (word !== undefined && unsupported.includes(word)) {
        throw failure(part, `{{${word}}} has no place in a template for a user name or an entry`);
      } else {
        nodes.push({ kind: "output", pipeline: this.pipeline(part, 0, "command") });
      }
    }
  }

  /** @param skip how many words stand before the pipeline */
  private block(kind: Block, action: Action, skip: number): Node {
    const outside = [...this.variables];
    const pipeline = this.pipeline(action, skip, kind);
    const { nodes: body, ending } = this.list();
    const otherwise = this.otherwise(kind, ending);
    this.variables = outside;
    return { kind, pipeline, body, otherwise };
  }

  private otherwise(kind: Block, { word, action }: Ending): readonly Node[] {
    if (word === undefined || action === undefined) {
      throw failure(this.lastAction(), "unexpected EOF");
    }
    if (word === "end") {
      requireNothingMore(action, 1);
      return [];
    }
    const next = action.tokens[1];
    if (next?.value === kind && next.kind === "identifier" && kind !== "range") {
      return [this.block(kind, action, 2)];
    }
    requireNothingMore(action, 1);
    const { nodes, ending } = this.list();
    if (ending.word !== "end") {
      throw failure(ending.action ?? this.lastAction(), `expected end; found ${ending.word ?? "EOF"}`);
    }
    return nodes;
  }

  private pipeline(action: Action, skip: number, context: string): Pipeline {
    const tokens = action.tokens.slice(skip);
    return new PipelineParser(tokens, this.variables, this.functions, context, action.line).parse();
  }

  private lastAction(): Action | undefined {
    return this.parts.findLast((part) => part.kind === "action");
  }
}

function requireNothingMore(action: Action, words: number): void {
  const surplus = action.tokens[words];
  if (surplus !== undefined) {
    throw failure(action, `unexpected <${surplus.source}> in ${action.tokens[0]?.source ?? "action"}`);
  }
}

function failure(action: Action | undefined, reason: string): TemplateError {
  return new TemplateError(`template: template:${action?.line ?? 1}: ${reason}`);
}
