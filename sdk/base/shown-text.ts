import { processRedactor } from "./redactor";

declare const shown: unique symbol;

/** Text that is safe to show. Only {@link showable} and functions based on it create it. */
export type ShownText = string & { readonly [shown]: true };

export const longestPart = 600;
/** The maximum length: longer output would hide its context. */
export const longestLine = 10_000;

/** CI runners treat these prefixes as commands anywhere in a line: `##vso[`, `##[`, `##teamcity[`. */
const commandPrefix = /##(?=[\w.]*\[)/g;

/**
 * Removes secrets, terminal control characters, bidirectional overrides and CI runner commands.
 * Text from a service is shortened before it becomes part of a message, so that it cannot crowd out the rest.
 */
export function showable(text: string, longest = longestLine): ShownText {
  // Redacts before shortening, which could leave a part of a secret.
  const line = processRedactor
    .redact(text)
    .replace(/[\p{C}\u2028\u2029]+/gu, " ")
    .replace(commandPrefix, "# #")
    .replace(/^(\s*:)(?=:)/, "$1 ");
  return (line.length <= longest ? line : `${withoutHalf(line.slice(0, longest))}...`) as ShownText;
}

/** An excerpt of a user's text, for a message. */
export function quoted(piece: string): string {
  return `\`${showable(piece, 60)}\``;
}

/**
 * Escapes what {@link showable} would remove, so that nothing is lost.
 *
 * @param written changes the JSON before it is shown
 */
export function showableJson(value: unknown, written = (json: string): string => json): ShownText {
  const json = processRedactor.redact(written(JSON.stringify(value)));
  return json.replace(/[\p{C}\u2028\u2029]/gu, escaped).replace(commandPrefix, "#\\u0023") as ShownText;
}

export function colored(text: ShownText, color: number): ShownText {
  return `\u001b[${color}m${text}\u001b[0m` as ShownText;
}

export function joined(...parts: readonly ShownText[]): ShownText {
  return parts.join("") as ShownText;
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** The excerpt must not split a surrogate pair. */
function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

/** `a, b and c`. */
export function listed(items: readonly string[], last = "and"): string {
  const end = items.at(-1) ?? "";
  return items.length < 2 ? end : `${items.slice(0, -1).join(", ")} ${last} ${end}`;
}
