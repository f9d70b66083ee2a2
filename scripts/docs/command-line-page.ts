import type { Command } from "../../sdk/command-line/command";
import { commands } from "../../sdk/command-line/commands";
import { meaningOf, usageOf, writtenOption } from "../../sdk/command-line/help";
import { samples } from "./command-line-samples";

/** The page of `npx pulumi-trivium`, from the descriptions of its commands. */
export function commandLinePageText(): string {
  return [
    "# Command line",
    "The package includes a command, `npx pulumi-trivium`. It takes its settings from the environment variables that [configuration](configuration.md) lists; only `doctor --stack` also reads a stack. Results go to standard output, everything else to standard error. Neither has secrets.",
    commands
      .map(({ name, summary }) => `- [\`npx pulumi-trivium ${name}\`](#${name}): ${summary}`)
      .join("\n"),
    "`npx pulumi-trivium --help` lists the commands, `npx pulumi-trivium COMMAND --help` lists the options of one, and `npx pulumi-trivium --version` prints the version of the package.",
    "## Exit status",
    [
      "- `0`: success.",
      "- `1`: failure, or, for `doctor`, there is a problem.",
      "- `2`: invalid usage; nothing was done.",
      "- `130`, `143`, `129`: stopped by Ctrl-C, `SIGTERM` or `SIGHUP`. This is how `emulator` and `events` end.",
    ].join("\n"),
    ...commands.map(commandText),
  ].join("\n\n");
}

function commandText(command: Command): string {
  return [
    `## \`${command.name}\``,
    fenced("sh", usageOf(command)),
    ...command.description,
    Object.entries(command.options)
      .map(([name, option]) => `- **\`${writtenOption(name, option)}\`**: ${meaningOf(option)}.`)
      .join("\n"),
    ...command.notes,
    ...(command.examples === undefined ? [] : [fenced("sh", command.examples.join("\n"))]),
    "For example:",
    ...samplesOf(command),
  ].join("\n\n");
}

function samplesOf({ name }: Command): readonly string[] {
  const sample = samples[name];
  if (sample === undefined) {
    throw new Error(`There is no sample of what ${name} prints.`);
  }
  return [
    fenced("sh", ["npx", "pulumi-trivium", name, ...sample.words].join(" ")),
    fenced("text", sample.output),
  ];
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
