import { quoted } from "../../../go-template/quoted";
import type { Operand, Pipeline } from "../../../go-template/syntax";
import { isBase64 } from "./base64";
import type { Problems } from "./finding";

/** A line of LDIF, continuation lines joined to it. */
export interface LdifLine {
  readonly offset: number;
  /** The text before the first action. */
  readonly start: string;
  /** There is nothing else. */
  readonly isLiteral: boolean;
  /** A colon stands, or may come to stand, behind the first action. */
  readonly mayHoldColon: boolean;
  /** An action may leave a line end, and so whole lines. */
  readonly mayBreakLine: boolean;
  /** The first action that leaves no base64 for certain. */
  readonly plainOffset: number | undefined;
  /** It goes on in the lines below. */
  readonly isFolded: boolean;
  /** An action before it leaves an empty line; its place. */
  readonly afterEmptyLineOf: number | undefined;
}

/** What is known of the text that an action leaves. */
export type Placeholder = Pick<LdifLine, "mayHoldColon" | "mayBreakLine" | "plainOffset">;

/** What can be anything. */
export const anything: Placeholder = { mayHoldColon: true, mayBreakLine: true, plainOffset: undefined };

/** A line of which nothing has been read. */
export function emptyLine(offset: number, afterEmptyLineOf: number | undefined): LdifLine {
  return {
    offset,
    start: "",
    isLiteral: true,
    mayHoldColon: false,
    mayBreakLine: false,
    plainOffset: undefined,
    isFolded: false,
    afterEmptyLineOf,
  };
}

/** The line with a text added. */
export function withText(line: LdifLine, text: string): LdifLine {
  return line.isLiteral
    ? { ...line, start: line.start + text }
    : { ...line, mayHoldColon: line.mayHoldColon || text.includes(":") };
}

/** The line with what an action leaves added. */
export function withPlaceholder(line: LdifLine, added: Placeholder): LdifLine {
  return {
    ...line,
    isLiteral: false,
    mayHoldColon: line.mayHoldColon || added.mayHoldColon,
    mayBreakLine: line.mayBreakLine || added.mayBreakLine,
    plainOffset: line.plainOffset ?? added.plainOffset,
  };
}

/** What an action that prints a value leaves. */
export function placeholderOf(pipeline: Pipeline, offset: number): Placeholder {
  const operands = operandsOf(pipeline);
  const holds = (character: string): boolean =>
    operands.some(
      (operand) =>
        operand.kind === "constant" && typeof operand.value === "string" && operand.value.includes(character),
    );
  const calls = (name: string): boolean =>
    operands.some((operand) => operand.kind === "function" && operand.name === name);
  // Its value is determined elsewhere.
  const isOpen = operands.some(({ kind }) => kind === "dot" || kind === "variable");
  const mayBreakLine = isOpen || holds("\n") || calls("println");
  return {
    mayBreakLine,
    mayHoldColon: mayBreakLine || holds(":"),
    plainOffset: isOpen || calls("base64") ? undefined : offset,
  };
}

/** All operands, those in parentheses included. */
function operandsOf({ commands }: Pipeline): Operand[] {
  return commands
    .flatMap(({ first, parameters }) => [first, ...parameters])
    .flatMap((operand) => {
      const inner = operand.kind === "fields" ? operand.of : operand;
      return inner?.kind === "group" ? operandsOf(inner.pipeline) : [operand];
    });
}

/** A line as `attribute: value`. */
export interface LdifAttribute {
  /** `undefined` when an action decides. */
  readonly name: string | undefined;
  /** `:`, `::` or `:<` */
  readonly separator: string;
  /** The text of the value before the first action, white space before it taken away. */
  readonly text: string;
  /** Where the value begins; where the line begins, if that cannot be told. */
  readonly valueOffset: number;
  readonly isLiteral: boolean;
}

/**
 * Takes a line apart.
 *
 * @returns `undefined` when it has no colon and cannot get one
 */
export function attributeOf({
  offset,
  start,
  isLiteral,
  mayHoldColon,
  isFolded,
}: LdifLine): LdifAttribute | undefined {
  const [, name, separator, text = ""] = /^([^:]*)(:[:<]?) *([^]*)$/.exec(start) ?? [];
  if (separator === undefined) {
    return mayHoldColon ? { name, separator: ":", text, valueOffset: offset, isLiteral } : undefined;
  }
  return {
    name,
    separator,
    text,
    valueOffset: isFolded ? offset : offset + start.length - text.length,
    isLiteral,
  };
}

const attributeName = /^(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)*)(?:;[A-Za-z0-9-]+)*$/;

/** Checks name and value of an attribute. */
export function checkAttribute(line: LdifLine, attribute: LdifAttribute, problems: Problems): void {
  const { name = "", separator, text, isLiteral, valueOffset } = attribute;
  const start = `${name}${separator}`;
  if (!attributeName.test(name)) {
    problems.error(line.offset, `${quoted(name)} is not the name of an attribute${foldingHint(line)}.`);
  } else if (isLiteral && line.start === start) {
    // A value of spaces is legal LDIF, and how an empty value is written.
    problems.error(line.offset, `${quoted(start)} has no value.`);
  } else if (separator !== "::") {
    return;
  } else if (isLiteral ? !isBase64(text) : /[^A-Za-z0-9+/=]/.test(text)) {
    problems.error(valueOffset, `The value after \`::\` must be base64${foldingHint(line)}.`);
  } else if (line.plainOffset !== undefined) {
    problems.warning(line.plainOffset, "The value after `::` must be base64; pipe it through `base64`.");
  }
}

/** What to add to a message about a line that swallowed others. */
export function foldingHint({ isFolded }: LdifLine): string {
  return isFolded ? " (a line that starts with a space continues the previous line)" : "";
}
