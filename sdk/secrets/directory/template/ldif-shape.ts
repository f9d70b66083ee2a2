import type { Node, Structure } from "../../../go-template/syntax";
import type { TemplateUsage } from "./checker";
import type { Problems } from "./finding";
import { anything, emptyLine, type LdifLine, placeholderOf, withPlaceholder, withText } from "./ldif-line";
import { LdifRecords } from "./ldif-records";

/**
 * Checks that what a template leaves is LDIF. Conditions and loops are not followed: what stands behind their
 * beginning, their `else` and their end is checked again from the next `dn` or empty line on.
 */
export function checkLdif(nodes: readonly Node[], usage: TemplateUsage, problems: Problems): void {
  const records = new LdifRecords(problems, usage.uses("Password"));
  const shape = new LdifShape(records);
  shape.nodes(nodes);
  shape.end();
  if (!records.found) {
    problems.error(0, "The text contains no LDIF record, which starts with `dn: `.");
  }
}

class LdifShape {
  /** The last line, to which a continuation can be added; `ignored` when it does not matter what it says. */
  private line: LdifLine | "ignored" | undefined;
  private atLineStart = true;
  /** An action that leaves nothing, alone on the line so far. */
  private silentAction: number | undefined;
  /** The last action that left an empty line. */
  private emptyLineOf: number | undefined;

  constructor(private readonly records: LdifRecords) {}

  nodes(nodes: readonly Node[]): void {
    for (const node of nodes) {
      this.node(node);
    }
  }

  /** Reads the end of a record: an empty line, or the end of the text. */
  end(): void {
    this.finish();
    this.records.end();
    this.emptyLineOf = undefined;
  }

  private node(node: Node): void {
    const { offset } = node;
    switch (node.kind) {
      case "text":
        this.text(node.text, offset);
        break;
      case "output":
        if (node.pipeline.variables.length > 0) {
          this.silent(offset);
        } else {
          this.placeholder(offset, placeholderOf(node.pipeline, offset));
        }
        break;
      case "template":
        this.placeholder(offset, anything);
        break;
      case "if":
      case "with":
      case "range":
      case "block":
        this.structure(node);
        break;
      default:
        this.silent(offset);
    }
  }

  private structure(structure: Structure): void {
    const { arms, offset, end } = structure;
    switch (extentOf(structure)) {
      case "nothing":
        this.silent(offset);
        break;
      case "a piece":
        this.placeholder(offset, { ...anything, mayBreakLine: false });
        break;
      case "lines":
        for (const arm of arms) {
          this.branch(arm.offset);
          this.nodes(arm.nodes);
        }
        this.branch(end);
    }
  }

  /** A place where ways through the template part or meet. */
  private branch(offset: number): void {
    if (this.atLineStart) {
      this.finish();
      this.line = "ignored";
      this.records.loseTrack();
    } else {
      this.placeholder(offset, anything);
    }
    this.silent(offset);
  }

  /** An action that leaves nothing in the text. */
  private silent(offset: number): void {
    if (this.atLineStart) {
      this.silentAction = offset;
    }
  }

  private placeholder(offset: number, placeholder: typeof anything): void {
    if (this.atLineStart) {
      this.begin(offset);
    }
    this.change((line) => withPlaceholder(line, placeholder));
  }

  private text(text: string, offset: number): void {
    for (let from = 0; from < text.length;) {
      const newline = text.indexOf("\n", from);
      const to = newline === -1 ? text.length : newline;
      this.piece(text.slice(from, text[to - 1] === "\r" ? to - 1 : to), offset + from);
      if (newline !== -1) {
        this.newline();
      }
      from = to + 1;
    }
  }

  private piece(piece: string, offset: number): void {
    if (piece === "") {
      return;
    }
    if (!this.atLineStart) {
      this.change((line) => withText(line, piece));
    } else if (piece.startsWith(" ")) {
      this.continuation(piece, offset);
    } else {
      this.begin(offset);
      this.line = piece.startsWith("#") ? "ignored" : this.line;
      this.change((line) => withText(line, piece));
    }
  }

  private begin(offset: number): void {
    this.finish();
    this.line = emptyLine(offset, this.emptyLineOf);
    this.atLineStart = false;
    this.silentAction = undefined;
    this.emptyLineOf = undefined;
  }

  private continuation(piece: string, offset: number): void {
    this.atLineStart = false;
    this.silentAction = undefined;
    if (this.line === undefined) {
      this.line = "ignored";
      if (piece.trim() !== "") {
        this.records.indented(offset);
      }
    }
    this.change((line) => ({ ...withText(line, piece.slice(1)), isFolded: true }));
  }

  private newline(): void {
    if (!this.atLineStart) {
      this.atLineStart = true;
    } else if (this.silentAction !== undefined) {
      this.emptyLineOf = this.silentAction;
      this.silentAction = undefined;
    } else {
      this.end();
    }
  }

  private change(change: (line: LdifLine) => LdifLine): void {
    if (this.line !== undefined && this.line !== "ignored") {
      this.line = change(this.line);
    }
  }

  /** Reads the last line as one that nothing continues. */
  private finish(): void {
    if (this.line !== undefined && this.line !== "ignored") {
      this.records.line(this.line);
    }
    this.line = undefined;
  }
}

/** How much a part of a template leaves in the text. */
function extentOf(node: Node): "nothing" | "a piece" | "lines" {
  switch (node.kind) {
    case "text":
      return node.text.includes("\n") ? "lines" : "a piece";
    case "output":
      if (node.pipeline.variables.length > 0) {
        return "nothing";
      }
      return placeholderOf(node.pipeline, node.offset).mayBreakLine ? "lines" : "a piece";
    case "template":
      return "lines";
    case "if":
    case "with":
    case "range":
    case "block": {
      const extents = node.arms.flatMap((arm) => arm.nodes.map(extentOf));
      return (
        extents.find((extent) => extent === "lines") ??
        extents.find((extent) => extent === "a piece") ??
        "nothing"
      );
    }
    default:
      return "nothing";
  }
}
