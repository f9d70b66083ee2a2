import { ConfigurationError } from "../base/errors";
import type { Terminal } from "./terminal";

/** The options of a command as they were given: texts, lists of texts and switches. */
export type OptionValues = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** An option of a command. */
export interface CommandOption {
  readonly type: "string" | "boolean";
  /** Whether it may be repeated. Default: no. */
  readonly multiple?: boolean;
  /** The placeholder of its value in the help text, such as `NAME`; none for a switch. */
  readonly placeholder?: string;
  /** Its meaning, without a full stop. "can be repeated" is added. */
  readonly meaning: string;
}

/** One command of `npx pulumi-trivium`. The help in a terminal and the page of the reference are made from it. */
export interface Command {
  readonly name: string;
  /** A short summary. */
  readonly summary: string;
  /** The description, one string per paragraph. */
  readonly description: readonly string[];
  /** In the order of the help text. `--help` is added. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Notes, one string per paragraph. */
  readonly notes: readonly string[];
  /** Examples. */
  readonly examples?: readonly string[];
  /** The placeholder of positional arguments, such as `[SERVICE...]`. Default: none. */
  readonly words?: string;
  /**
   * Runs the command until it is finished or `terminal.interrupted` is aborted.
   *
   * @param words the positional arguments
   * @throws UsageError if an option is invalid; any other error is shown as it is
   */
  run(options: OptionValues, terminal: Terminal, words: readonly string[]): Promise<void>;
}

/** Invalid usage of the command line. */
export class UsageError extends Error {}

/** The same error for the command line, where there is no stack configuration. */
export function forCommandLine(error: unknown): unknown {
  return ConfigurationError.isInstance(error)
    ? new ConfigurationError(error.message, { advice: "This command looks in the environment only." })
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
    throw new UsageError(`${name} must be a whole number, not ${JSON.stringify(text)}.`);
  }
  return Number(text);
}
