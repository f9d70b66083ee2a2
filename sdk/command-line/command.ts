import { ConfigurationError } from "../base/errors";
import type { Terminal } from "./terminal";

/** The options of a command as they were given: texts, lists of texts and switches. */
export type OptionValues = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** An option of a command. */
export interface CommandOption {
  readonly type: "string" | "boolean";
  /** Whether it may be repeated. Default: no. */
  readonly multiple?: boolean;
  /** What stands for its value where it is explained, such as `NAME`; none for a switch. */
  readonly placeholder?: string;
  /** What it is for, without a full stop. That it may be repeated is added. */
  readonly meaning: string;
}

/** One command of `npx pulumi-trivium`. The help in a terminal and the page of the reference are made from it. */
export interface Command {
  readonly name: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** What it does, in paragraphs. */
  readonly description: readonly string[];
  /** In the order in which they are explained. `--help` comes by itself. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** What else a person has to know to use it, in paragraphs. */
  readonly notes: readonly string[];
  /** Command lines to copy. */
  readonly examples?: readonly string[];
  /** What stands for words that belong to no option, such as `[SERVICE...]`. Default: it takes none. */
  readonly words?: string;
  /**
   * Runs it until it has done its work or `terminal.interrupted` is aborted.
   *
   * @param words what belongs to no option
   * @throws UsageError when an option makes no sense; any other error is shown as it is
   */
  run(options: OptionValues, terminal: Terminal, words: readonly string[]): Promise<void>;
}

/** What stands on the command line cannot be understood. */
export class UsageError extends Error {}

/** The same error, for somebody who has typed a command: there is no stack whose configuration could help. */
export function forCommandLine(error: unknown): unknown {
  return ConfigurationError.isInstance(error)
    ? new ConfigurationError(error.message, { hint: "This command looks in the environment only." })
    : error;
}

/** An option that takes a text. */
export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** An option that can be given several times; `undefined` when it was not given. */
export function listOption(options: OptionValues, name: string): string[] | undefined {
  const value = options[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}

/** @throws UsageError when the text is no whole number */
export function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new UsageError(`${name} takes a whole number, not ${JSON.stringify(text)}.`);
  }
  return Number(text);
}
