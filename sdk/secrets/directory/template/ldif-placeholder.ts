import type { Operand, Pipeline } from "./syntax";

/** What is known of the text that an action leaves in LDIF. */
export interface Placeholder {
  readonly offset: number;
  /** It may hold a line end, and so whole lines. */
  readonly mayBreakLine: boolean;
  /** It may hold the colon that separates attribute and value. */
  readonly mayHoldColon: boolean;
  /** It is not base64, for certain. */
  readonly isPlain: boolean;
}

/** Functions whose results are a few letters and digits, whatever they get. */
const harmless: ReadonlySet<string> = new Set([
  "base64",
  "sha256",
  "uuid",
  "random",
  "unix_time",
  "unix_time_millis",
  "urlquery",
  "len",
]);

/** What an action that prints a value leaves in the text. */
export function placeholderOf(pipeline: Pipeline, offset: number): Placeholder {
  const parts = operandsOf(pipeline);
  const last = pipeline.commands.at(-1)?.first;
  const holds = (character: string): boolean =>
    parts.some((part) => part.kind === "string" && part.text.includes(character));
  const open = parts.some(isOpen);
  if (last?.kind === "function" && harmless.has(last.name)) {
    return { offset, mayBreakLine: false, mayHoldColon: false, isPlain: last.name !== "base64" };
  }
  const mayBreakLine = open || holds("\n") || parts.some((part) => isFunction(part, "println"));
  return {
    offset,
    mayBreakLine,
    mayHoldColon: mayBreakLine || holds(":"),
    isPlain: !open && !parts.some((part) => isFunction(part, "base64")),
  };
}

/** A template that is called can hold anything. */
export function placeholderOfCall(offset: number): Placeholder {
  return { offset, mayBreakLine: true, mayHoldColon: true, isPlain: false };
}

/** All operands, those in parentheses included. */
function operandsOf({ commands }: Pipeline, found: Operand[] = []): Operand[] {
  for (const { first, parameters } of commands) {
    for (const operand of [first, ...parameters]) {
      found.push(operand);
      const inner = operand.kind === "fields" ? operand.of : operand;
      if (inner?.kind === "group") {
        operandsOf(inner.pipeline, found);
      }
    }
  }
  return found;
}

function isFunction(operand: Operand, name: string): boolean {
  return operand.kind === "function" && operand.name === name;
}

/** What it stands for is decided elsewhere. */
function isOpen(operand: Operand): boolean {
  return operand.kind === "dot" || operand.kind === "variable";
}
