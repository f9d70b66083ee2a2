import { type Signature, takes, templateFunctions } from "../../../go-template/functions";
import { quoted } from "../../../go-template/quoted";
import type { Operand } from "../../../go-template/syntax";
import type { Problems } from "./finding";

/** What a parameter takes, by its name; any value when it is not here. */
const parameterTypes: Readonly<Record<string, "text" | "an integer">> = {
  N: "an integer",
  TEXT: "text",
  FROM: "text",
  TO: "text",
  LAYOUT: "text",
  FORMAT: "text",
};
/** The smallest numbers that functions take. `truncate_sha256` puts eight characters of a hash behind at least one. */
const leastNumbers: Readonly<Record<string, number>> = { random: 0, truncate: 1, truncate_sha256: 9 };
/** A layout shows how one certain moment is written: 2006-01-02 15:04:05. */
const layoutElement = /[1-6]|Jan|Mon|MST|PM|pm/;

/**
 * Checks the arguments of a function: how many there are, and what can be seen without evaluating them.
 *
 * @param given the piped value is the last
 */
export function checkCall(name: string, offset: number, given: readonly Operand[], problems: Problems): void {
  const signature = templateFunctions.get(name);
  if (signature === undefined) {
    return;
  }
  if (!takes(signature, given.length)) {
    problems.error(offset, wrongCount(name, signature, given.length));
    return;
  }
  signature.parameters.forEach((parameter, index) => {
    const argument = given[index];
    if (argument !== undefined) {
      checkArgument(name, parameter, argument, problems);
    }
  });
  const [first] = given;
  if (first?.kind !== "constant" || typeof first.value !== "string") {
    return;
  }
  if (name === "printf") {
    checkFormat(first.value, first.offset, given.length - 1, problems);
  } else if (name === "timestamp" && !layoutElement.test(first.value)) {
    const example = "a layout is the format of 2006-01-02 15:04:05";
    problems.warning(first.offset, `${quoted(first.source)} contains no part of a time: ${example}.`);
  }
}

function wrongCount(name: string, { usage, parameters, takesMore }: Signature, given: number): string {
  const count = parameters.length;
  if (count === 0) {
    return `\`${name}\` takes no arguments, but gets ${given}.`;
  }
  const piped = parameters.at(-1) === "TEXT" ? ` or \`TEXT | ${usage.replace(/ TEXT$/, "")}\`` : "";
  const wanted = `${takesMore ? "at least " : ""}${count} ${count === 1 ? "argument" : "arguments"}`;
  return `\`${name}\` takes ${wanted}, but gets ${given}: \`${usage}\`${piped}.`;
}

function checkArgument(name: string, parameter: string, argument: Operand, problems: Problems): void {
  const wanted = parameterTypes[parameter];
  const type = typeOf(argument);
  if (wanted === undefined || type === undefined) {
    return;
  }
  const { offset, source } = argument;
  if (type !== wanted) {
    problems.error(offset, `\`${name}\` needs ${wanted} as ${parameter}; ${quoted(source)} is ${type}.`);
  }
  const least = leastNumbers[name];
  if (
    type === "an integer" &&
    least !== undefined &&
    argument.kind === "constant" &&
    Number(argument.value) < least
  ) {
    const message = `\`${name}\` needs ${parameter} to be ${least} or more, not ${quoted(source)}.`;
    // The documentation names no smallest number; the products fail below it.
    problems.warning(offset, message);
  }
}

/** What an argument is, if it is a literal or a field; `undefined` if it would have to be evaluated. */
export function typeOf(argument: Operand): string | undefined {
  if (argument.kind === "fields") {
    return argument.names.at(-1)?.name.endsWith("Seconds") === true ? "a time in seconds" : "text";
  }
  if (argument.kind !== "constant" || Number.isNaN(argument.value)) {
    return undefined;
  }
  switch (typeof argument.value) {
    case "string":
      return "text";
    case "boolean":
      return "a boolean";
    case "object":
      return "nil";
    default:
      // A decimal literal such as `1e2` counts as an integer where one is needed.
      return Number.isInteger(Number(argument.value)) ? "an integer" : "a decimal number";
  }
}

const directive = /%(?:[-+# 0]*(?:[1-9]\d*)?(?:\.\d*)?([A-Za-z])|%)/g;

/** Nothing fails when a format asks for more or fewer values, but the text then says `%!s(MISSING)` or `%!(EXTRA ...)`. */
function checkFormat(format: string, offset: number, given: number, problems: Problems): void {
  // A format can also number its values itself, or take widths from them.
  const isPlain = !/%[^A-Za-z%]*[[*]/.test(format);
  const asked = [...format.matchAll(directive)].filter(([, verb]) => verb !== undefined).length;
  if (isPlain && asked !== given) {
    const values = asked === 1 ? "1 value" : `${asked} values`;
    problems.warning(offset, `The format expects ${values}, but gets ${given}.`);
  }
}
