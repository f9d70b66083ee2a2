import { isBase64 } from "./base64";
import { type Problems, quoted } from "./finding";
import type { Placeholder } from "./ldif-placeholder";

/** A line of LDIF, continuation lines joined to it, with placeholders for what is not known yet. */
export interface LdifLine {
  readonly offset: number;
  /** The text before the first placeholder. */
  readonly start: string;
  /** All text behind it. */
  readonly rest: string;
  readonly placeholders: readonly Placeholder[];
  /** A condition decides what it says: what is there is one of the possibilities. */
  readonly conditional: boolean;
  /** It goes on in the lines below. */
  readonly folded: boolean;
  /** An action before it leaves an empty line; its place. */
  readonly afterEmptyLineOf: number | undefined;
  /** The line before it holds nothing but spaces. */
  readonly afterSpaces: boolean;
}

/** A line as `attribute: value`. */
export interface LdifAttribute {
  /** `undefined` when a placeholder decides. */
  readonly name: string | undefined;
  readonly separator: ":" | "::" | ":<";
  /** The text of the value, placeholders left out, white space before it taken away. */
  readonly text: string;
  /** Where the value begins; where the line begins, if that cannot be told. */
  readonly valueOffset: number;
  /** The value is exactly this text. */
  readonly isLiteral: boolean;
}

/** Longer values are not looked into. */
const longestText = 10_000;

/** A line that begins with a text. */
export function lineOf(
  offset: number,
  start: string,
  before: Pick<LdifLine, "afterEmptyLineOf" | "afterSpaces">,
): LdifLine {
  return { offset, start, rest: "", placeholders: [], conditional: false, folded: false, ...before };
}

/** The line with a text added. */
export function withText(line: LdifLine, text: string): LdifLine {
  if (line.conditional || line.start.length + line.rest.length > longestText) {
    return line.conditional ? line : { ...line, conditional: true };
  }
  return line.placeholders.length === 0
    ? { ...line, start: line.start + text }
    : { ...line, rest: line.rest + text };
}

/** The line with a placeholder added. */
export function withPlaceholder(line: LdifLine, placeholder: Placeholder): LdifLine {
  // One of each kind tells all there is to know, and lines can hold very many.
  const known = line.placeholders.some(
    ({ isPlain, mayBreakLine, mayHoldColon }) =>
      isPlain === placeholder.isPlain &&
      mayBreakLine === placeholder.mayBreakLine &&
      mayHoldColon === placeholder.mayHoldColon,
  );
  return known ? line : { ...line, placeholders: [...line.placeholders, placeholder] };
}

/** A line that is one thing or another, by a condition. */
export function eitherLine(left: LdifLine, right: LdifLine): LdifLine {
  let length = Math.min(left.start.length, right.start.length);
  if (left.start !== right.start) {
    for (length = 0; length < left.start.length && left.start[length] === right.start[length];) {
      length++;
    }
  }
  const placeholders = right.placeholders.reduce(withPlaceholderOf, left).placeholders;
  return { ...left, start: left.start.slice(0, length), rest: "", placeholders, conditional: true };
}

function withPlaceholderOf(line: LdifLine, placeholder: Placeholder): LdifLine {
  return withPlaceholder(line, placeholder);
}

/** A line that nothing follows and that is not decided by a placeholder or condition. */
export function isExactly(line: LdifLine, text: string): boolean {
  return line.start === text && line.placeholders.length === 0;
}

/**
 * Takes a line apart.
 *
 * @returns `undefined` when it has no colon and cannot get one
 */
export function attributeOf(line: LdifLine): LdifAttribute | undefined {
  const { offset, start, rest, placeholders, conditional, folded } = line;
  const colon = start.indexOf(":");
  if (colon === -1) {
    return mayHaveColon(line)
      ? { name: undefined, separator: ":", text: "", valueOffset: offset, isLiteral: false }
      : undefined;
  }
  const sign = start[colon + 1];
  const separator = sign === ":" || sign === "<" ? (`:${sign}` as const) : ":";
  const value = withoutLeadingSpaces(start.slice(colon + separator.length));
  return {
    name: start.slice(0, colon),
    separator,
    text: value + rest,
    valueOffset: folded ? offset : offset + start.length - value.length,
    isLiteral: placeholders.length === 0 && !conditional,
  };
}

function mayHaveColon({ rest, placeholders, conditional }: LdifLine): boolean {
  return (
    conditional ||
    (placeholders.length > 0 && rest.includes(":")) ||
    placeholders.some((placeholder) => placeholder.mayHoldColon)
  );
}

function withoutLeadingSpaces(text: string): string {
  let start = 0;
  while (text[start] === " ") {
    start++;
  }
  return text.slice(start);
}

const attributeName = /^(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)*)(?:;[A-Za-z0-9-]+)*$/;

/** Checks name and value of an attribute. */
export function checkAttribute(line: LdifLine, attribute: LdifAttribute, problems: Problems): void {
  const { name, separator, isLiteral } = attribute;
  if (name === undefined) {
    return;
  }
  if (!attributeName.test(name)) {
    problems.error(line.offset, `${quoted(name)} is not the name of an attribute${foldingHint(line)}.`);
    return;
  }
  // A value of spaces is legal LDIF, and how an empty value is written.
  if (isLiteral && isExactly(line, `${name}${separator}`)) {
    problems.error(line.offset, `${quoted(`${name}${separator}`)} has no value.`);
  } else if (separator === "::") {
    checkBase64(line, attribute, problems);
  }
}

function checkBase64(line: LdifLine, attribute: LdifAttribute, problems: Problems): void {
  const { text, isLiteral, valueOffset } = attribute;
  const plain = line.placeholders.find(({ isPlain }) => isPlain);
  if (line.conditional) {
    return;
  }
  if (isLiteral ? !isBase64(text) : /[^A-Za-z0-9+/=]/.test(text)) {
    problems.error(valueOffset, `The value after \`::\` has to be base64${foldingHint(line)}.`);
  } else if (plain !== undefined) {
    problems.warning(plain.offset, "The value after `::` has to be base64; pipe it through `base64`.");
  }
}

/** What to add to a message about a line that swallowed others. */
export function foldingHint({ folded }: LdifLine): string {
  return folded ? " (a line that begins with a space continues the line before)" : "";
}
