import type { TemplateUsage } from "./checker";
import type { Problems } from "./finding";
import { eitherLine, type LdifLine, lineOf, withPlaceholder, withText } from "./ldif-line";
import { type Placeholder, placeholderOf, placeholderOfCall } from "./ldif-placeholder";
import { eitherRecord, type LdifRecord, noRecord } from "./ldif-record";
import { LdifRecordReader } from "./ldif-record-reader";
import type { ControlNode, Node } from "./syntax";

/**
 * Checks that what a template leaves is LDIF, whatever the values and conditions are: only what is wrong on every
 * way through it is called wrong.
 */
export function checkLdif(nodes: readonly Node[], usage: TemplateUsage, problems: Problems): void {
  const shape = new LdifShape(problems, usage.uses("Password"));
  const { found } = shape.end(shape.nodes(nodes, beginning, true));
  if (!found) {
    problems.error(0, "There is no record of LDIF in the text; one begins with `dn: `.");
  }
}

/** How far the text has been read. */
interface Position {
  readonly record: LdifRecord;
  /** The last line, to which a continuation can be added. */
  readonly line: LdifLine | undefined;
  readonly atLineStart: boolean;
  /** The line is a comment, or the line before was and may be continued. */
  readonly comment: boolean;
  /** What the rest of the line says does not matter; a continuation of it neither. */
  readonly ignored: boolean;
  /** An action that leaves nothing, alone on the line so far. */
  readonly silentAction: number | undefined;
  /** The last action that left an empty line. */
  readonly emptyLineOf: number | undefined;
  /** The line before held nothing but spaces. */
  readonly spaces: boolean;
}

const beginning: Position = {
  record: noRecord,
  line: undefined,
  atLineStart: true,
  comment: false,
  ignored: false,
  silentAction: undefined,
  emptyLineOf: undefined,
  spaces: false,
};

class LdifShape {
  private readonly reader: LdifRecordReader;

  constructor(
    private readonly problems: Problems,
    usesPassword: boolean,
  ) {
    this.reader = new LdifRecordReader(problems, usesPassword);
  }

  end(position: Position): LdifRecord {
    return this.reader.end(this.finish(position).record);
  }

  /**
   * @param lineEnds whether a line ends behind the last node
   */
  nodes(nodes: readonly Node[], start: Position, lineEnds: boolean): Position {
    return nodes.reduce((position, node, index) => {
      const next = nodes[index + 1];
      const ends = next === undefined ? lineEnds : next.kind === "text" && /^\r?\n/.test(next.text);
      return this.node(node, position, ends);
    }, start);
  }

  private node(node: Node, position: Position, lineEnds: boolean): Position {
    switch (node.kind) {
      case "text":
        return this.text(node.text, node.offset, position);
      case "action":
        return node.pipeline.variables.length > 0
          ? silent(position, node.offset)
          : this.placeholder(placeholderOf(node.pipeline, node.offset), position);
      case "template":
        return this.placeholder(placeholderOfCall(node.offset), position);
      case "block":
        return silent(this.nodes(node.nodes, silent(position, node.offset), lineEnds), node.end);
      case "if":
      case "with":
      case "range":
        return this.control(node, position, lineEnds);
      default:
        return silent(position, node.offset);
    }
  }

  private control({ arms, kind, end }: ControlNode, position: Position, lineEnds: boolean): Position {
    const ways = arms.map((arm) => this.nodes(arm.nodes, silent(position, arm.offset), lineEnds));
    const canBeSkipped = kind === "range" || arms.at(-1)?.isElse !== true;
    if (canBeSkipped) {
      ways.push(silent(position, end));
    }
    return silent(
      ways.reduce((left, right) => this.either(left, right, lineEnds)),
      end,
    );
  }

  private text(text: string, offset: number, start: Position): Position {
    let position = start;
    for (let from = 0; from < text.length;) {
      const newline = text.indexOf("\n", from);
      const to = newline === -1 ? text.length : newline;
      position = this.piece(text.slice(from, to), offset + from, position);
      if (newline !== -1) {
        position = this.newline(position);
      }
      from = to + 1;
    }
    return position;
  }

  private piece(source: string, offset: number, position: Position): Position {
    const piece = source.endsWith("\r") ? source.slice(0, -1) : source;
    if (piece === "") {
      return position;
    }
    if (!position.atLineStart) {
      const { line, comment, ignored } = position;
      return comment || ignored || line === undefined
        ? position
        : { ...position, line: withText(line, piece) };
    }
    const inLine = { ...position, atLineStart: false, silentAction: undefined, spaces: false };
    if (piece.startsWith("#")) {
      return { ...inLine, comment: true };
    }
    return piece.startsWith(" ")
      ? this.continuation(piece, offset, inLine)
      : this.begin(offset, piece, inLine);
  }

  private continuation(piece: string, offset: number, position: Position): Position {
    const { line, comment, ignored, record } = position;
    const spaces = piece.trim() === "";
    if (comment || ignored) {
      return position;
    }
    if (line !== undefined) {
      return { ...position, line: { ...withText(line, piece.slice(1)), folded: true }, spaces };
    }
    if (!spaces && record.phase !== "unknown") {
      this.problems.error(
        offset,
        "A line that begins with a space continues the line before; here is none. LDIF is not indented.",
      );
      return { ...position, ignored: true, record: { ...record, phase: "unknown", found: true } };
    }
    return { ...position, ignored: true };
  }

  private begin(offset: number, text: string, position: Position): Position {
    const { emptyLineOf: afterEmptyLineOf, spaces: afterSpaces } = position;
    return {
      ...this.finish(position),
      line: lineOf(offset, text, { afterEmptyLineOf, afterSpaces }),
      comment: false,
      ignored: false,
      emptyLineOf: undefined,
    };
  }

  /** Reads the last line as one that nothing continues. */
  private finish(position: Position): Position {
    const { line, record } = position;
    return line === undefined
      ? position
      : { ...position, line: undefined, record: this.reader.line(record, line) };
  }

  private newline(position: Position): Position {
    const { atLineStart, silentAction } = position;
    if (!atLineStart) {
      return { ...position, atLineStart: true };
    }
    if (silentAction !== undefined) {
      return { ...position, silentAction: undefined, emptyLineOf: silentAction };
    }
    return { ...beginning, record: this.reader.end(this.finish(position).record) };
  }

  private placeholder(placeholder: Placeholder, position: Position): Position {
    const { atLineStart, comment, ignored, line } = position;
    if (atLineStart) {
      const started = this.begin(placeholder.offset, "", {
        ...position,
        atLineStart: false,
        silentAction: undefined,
      });
      return this.placeholder(placeholder, started);
    }
    return comment || ignored || line === undefined
      ? position
      : { ...position, line: withPlaceholder(line, placeholder) };
  }

  /** Where two ways through the template meet again. */
  private either(left: Position, right: Position, lineEnds: boolean): Position {
    if (left.atLineStart !== right.atLineStart) {
      // The one that has begun a line goes on with it; the other has left the line empty.
      const [inLine, empty] = left.atLineStart ? [right, left] : [left, right];
      const { record: other } = this.finish(empty);
      return other.phase === inLine.record.phase
        ? { ...inLine, record: eitherRecord(inLine.record, other) }
        : {
            ...inLine,
            line: undefined,
            ignored: true,
            record: eitherRecord(this.finish(open(inLine)).record, other),
          };
    }
    const common = {
      ...left,
      comment: left.comment && right.comment,
      silentAction: left.silentAction ?? right.silentAction,
      emptyLineOf: left.emptyLineOf ?? right.emptyLineOf,
    };
    if (left.line === right.line) {
      return { ...common, record: eitherRecord(left.record, right.record) };
    }
    const sameLine = left.line?.offset === right.line?.offset;
    if (left.line !== undefined && right.line !== undefined && sameLine) {
      return {
        ...common,
        line: eitherLine(left.line, right.line),
        record: eitherRecord(left.record, right.record),
      };
    }
    const [first, second] = lineEnds ? [left, right] : [open(left), open(right)];
    const record = eitherRecord(this.finish(first).record, this.finish(second).record);
    return { ...common, line: undefined, ignored: true, record };
  }
}

/** An action that leaves nothing in the text. */
function silent(position: Position, offset: number): Position {
  return position.atLineStart ? { ...position, silentAction: offset } : position;
}

/** The line may go on behind the place where ways meet, so not all of it is known. */
function open(position: Position): Position {
  const { line, atLineStart } = position;
  return line === undefined || atLineStart ? position : { ...position, line: { ...line, conditional: true } };
}
