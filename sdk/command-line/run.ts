import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { CancelledError, codeOf, messageOf } from "../base/errors";
import { showable, type ShownText } from "../base/shown-text";
import { type Command, type OptionValues, UsageError } from "./command";
import { doctorCommand } from "./doctor";
import { emulatorCommand } from "./emulator";
import { eventsCommand } from "./events";
import { helpText } from "./help";
import { importFileCommand } from "./import-file";
import { policyCommand } from "./policy";
import { Terminal, type TerminalProcess } from "./terminal";
import { useDynamicCommand, usePluginCommand } from "./use-plugin";

/** In the order of the help text. */
export const commands: readonly Command[] = [
  doctorCommand,
  eventsCommand,
  importFileCommand,
  policyCommand,
  usePluginCommand,
  useDynamicCommand,
  emulatorCommand,
];

const succeeded = 0;
const failed = 1;
const misused = 2;

/** @returns 0, 1 after a failure, 2 after invalid usage, or 128 plus the number of the signal */
export async function runCommandLine(args: readonly string[], process: TerminalProcess): Promise<number> {
  const terminal = new Terminal(process);
  try {
    const status = await statusOf(args, terminal);
    await terminal.flush();
    const { outputFailure, interruptionStatus } = terminal;
    if (outputFailure === undefined) {
      return status;
    }
    terminal.tell(showable(`Could not write to standard output: ${messageOf(outputFailure)}.`));
    return interruptionStatus ?? (status === succeeded ? failed : status);
  } finally {
    terminal.release();
  }
}

async function statusOf(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = "--help", ...rest] = args;
  const command = commands.find((each) => each.name === name);
  try {
    if (name === "--version") {
      await terminal.print(showable(version()));
      return succeeded;
    }
    if (name === "--help" || name === "-h" || name === "help") {
      await terminal.print(...linesOf(overview()));
      return args.length === 0 ? misused : succeeded;
    }
    if (command === undefined) {
      throw new UsageError(`${JSON.stringify(name)} is not a command.`);
    }
    const { options, words } = parse(command, rest);
    if (options.help === true) {
      await terminal.print(...linesOf(helpText(command)));
      return succeeded;
    }
    await command.run(options, terminal, words);
    return terminal.interruptionStatus ?? succeeded;
  } catch (error) {
    if (terminal.interruptionStatus !== undefined) {
      return terminal.interruptionStatus;
    }
    if (error instanceof UsageError) {
      const help = command === undefined ? "--help" : `${name} --help`;
      terminal.tell(showable(`${error.message} See npx pulumi-trivium ${help}.`));
      return misused;
    }
    // A command that ended because nobody reads its output has not failed.
    if (terminal.interrupted.aborted && CancelledError.isInstance(error)) {
      return succeeded;
    }
    terminal.tell(showable(explained(error)));
    return failed;
  }
}

function linesOf(text: string): ShownText[] {
  return text.split("\n").map((line) => showable(line));
}

/** For a missing package, the loader's message also lists all files that require it. */
function explained(error: unknown): string {
  const message = messageOf(error);
  const [problem = ""] = message.split("\n");
  const [, missing = ""] = /^Cannot find (?:module|package) '((?:@[^/']+\/)?[^/'.]+)/.exec(problem) ?? [];
  return codeOf(error) === "MODULE_NOT_FOUND"
    ? `${problem}. Run ${`npm install ${missing}`.trim()} in the project that uses pulumi-trivium.`
    : message;
}

function parse(
  command: Command,
  args: readonly string[],
): { readonly options: OptionValues; readonly words: readonly string[] } {
  const options = Object.entries(command.options).map(([name, { placeholder, multiple = false }]) => {
    const type = placeholder === undefined ? ("boolean" as const) : ("string" as const);
    return [name, { type, multiple }] as const;
  });
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(options), help: { type: "boolean", short: "h" } },
      allowPositionals: command.words !== undefined,
    });
    return { options: values, words: positionals };
  } catch (error) {
    // Node.js appends advice about its own parser.
    const [problem = ""] = messageOf(error).split(/\. (?=To specify)/, 1);
    throw new UsageError(`${problem.replace(/\.$/, "")}.`);
  }
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}   ${summary}`);
  return [
    "npx pulumi-trivium COMMAND [OPTIONS]",
    "",
    ...lines,
    "",
    "For the options of a command: npx pulumi-trivium COMMAND --help",
  ].join("\n");
}

function version(): string {
  const file = require.resolve("pulumi-trivium/package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}
