import { ConfigurationError } from "../base/errors";
import { textsIn } from "../base/json";
import type { Terminal } from "./terminal";

export type OptionValues = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

export interface CommandOption {
  readonly multiple?: boolean;
  /** The placeholder of the value in the help text, such as `NAME`; a switch does not have one. */
  readonly placeholder?: string;
  /** Without a full stop; "can be repeated" is added. */
  readonly meaning: string;
}

/** The terminal help and the reference page are generated from it. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** One string per paragraph. */
  readonly description: readonly string[];
  /** In the order of the help text. `--help` is added. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** One string per paragraph. */
  readonly notes: readonly string[];
  readonly examples?: readonly string[];
  /** The placeholder of positional arguments, such as `[SERVICE...]`. Default: none. */
  readonly words?: string;
  /**
   * Runs the command; ends early when `terminal.interrupted` is aborted. @throws UsageError; other errors are
   * shown as they are
   */
  run(options: OptionValues, terminal: Terminal, words: readonly string[]): Promise<void>;
}

export class UsageError extends Error {}

/** Replaces the advice about stack configuration, which this command does not read. */
export function forCommandLine(error: unknown): unknown {
  return ConfigurationError.isInstance(error)
    ? new ConfigurationError(error.message, { advice: "This command reads only the environment." })
    : error;
}

export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

export function listOption(options: OptionValues, name: string): readonly string[] {
  return textsIn(options[name]);
}

/** Parses a number that can be as large as the scheduler's indexes, as a bigint if necessary. */
export function largeNumber(text: string, name: string): number | bigint {
  return /^\d{16,20}$/.test(text) ? BigInt(text) : wholeNumber(text, name);
}

export function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new UsageError(`${name} must be a whole number, not ${JSON.stringify(text)}.`);
  }
  return Number(text);
}
