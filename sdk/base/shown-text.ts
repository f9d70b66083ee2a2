import { processRedactor } from "./redactor";

declare const shown: unique symbol;

/** A text that a terminal, a log or an error may show: only {@link showable} and what is built on it make one. */
export type ShownText = string & { readonly [shown]: true };

/** What one text of a service may take of a message. */
export const longestPart = 600;
/** Longer than any message of the library; what is longer would hide everything around it. */
export const longestLine = 10_000;

/** The prefixes that runners of CI take for commands wherever they stand in a line: `##vso[`, `##[`, `##teamcity[`. */
const commandPrefix = /##(?=[\w.]*\[)/g;

/**
 * Makes any text showable: one line of limited length, without secrets, without characters that steer a terminal or
 * reorder what it shows, and with nothing that a CI runner takes for a command. Text from a service goes through here
 * before it becomes part of a message, so that it cannot outgrow it; every message goes through here as a whole.
 */
export function showable(text: string, longest = longestLine): ShownText {
  // Secrets go before anything is taken out or cut off, or the rest could be a part of one.
  const line = processRedactor
    .redact(text)
    .replace(/[\p{C}\u2028\u2029]+/gu, " ")
    .replace(commandPrefix, "# #")
    .replace(/^(\s*:)(?=:)/, "$1 ");
  return (line.length <= longest ? line : `${withoutHalf(line.slice(0, longest))}...`) as ShownText;
}

/** A value as JSON on one line: what {@link showable} takes out of a text is escaped, so that nothing is lost. */
export function showableJson(value: unknown): ShownText {
  const json = processRedactor.redact(JSON.stringify(value));
  return json.replace(/[\p{C}\u2028\u2029]/gu, escaped).replace(commandPrefix, "#\\u0023") as ShownText;
}

/** In the colour of this number, for a terminal that shows colours. */
export function coloured(text: ShownText, colour: number): ShownText {
  return `\u001b[${colour}m${text}\u001b[0m` as ShownText;
}

/** Puts lines together of what may be shown. */
export function joined(...parts: readonly ShownText[]): ShownText {
  return parts.join("") as ShownText;
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** A cut may go through a character that takes two units. */
function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
