import { processRedactor } from "./redactor";

declare const shown: unique symbol;

/**
 * Text that is safe to show in a terminal, a log or an error. Only {@link showable} and functions based on it
 * create it.
 */
export type ShownText = string & { readonly [shown]: true };

/** The maximum length of one text from a service in a message. */
export const longestPart = 600;
/** Longer than any message of the library; longer output would hide its context. */
export const longestLine = 10_000;

/** The prefixes that CI runners treat as commands anywhere in a line: `##vso[`, `##[`, `##teamcity[`. */
const commandPrefix = /##(?=[\w.]*\[)/g;

/**
 * Makes text safe to show: one line of limited length, without secrets, terminal control characters,
 * bidirectional overrides and CI runner commands. Text from a service is sanitized before it becomes part of
 * a message, so that it cannot crowd out the rest; every message is sanitized as a whole.
 */
export function showable(text: string, longest = longestLine): ShownText {
  // Secrets are removed first: a cut could otherwise leave a part of one.
  const line = processRedactor
    .redact(text)
    .replace(/[\p{C}\u2028\u2029]+/gu, " ")
    .replace(commandPrefix, "# #")
    .replace(/^(\s*:)(?=:)/, "$1 ");
  return (line.length <= longest ? line : `${withoutHalf(line.slice(0, longest))}...`) as ShownText;
}

/**
 * A value as JSON on one line. What {@link showable} removes from text is escaped, so that nothing is lost.
 */
export function showableJson(value: unknown): ShownText {
  const json = processRedactor.redact(JSON.stringify(value));
  return json.replace(/[\p{C}\u2028\u2029]/gu, escaped).replace(commandPrefix, "#\\u0023") as ShownText;
}

/** In an ANSI colour, for a terminal that supports colours. */
export function coloured(text: ShownText, colour: number): ShownText {
  return `\u001b[${colour}m${text}\u001b[0m` as ShownText;
}

/** Joins texts that are safe to show. */
export function joined(...parts: readonly ShownText[]): ShownText {
  return parts.join("") as ShownText;
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** A cut can split a surrogate pair. */
function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
