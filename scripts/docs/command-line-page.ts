import type { Command } from "../../sdk/command-line/command";
import { commands } from "../../sdk/command-line/commands";
import { meaningOf, usageOf, writtenOption } from "../../sdk/command-line/help";
import { samples } from "./command-line-samples";

/** The page of `npx pulumi-trivium`, from what its commands say of themselves. */
export function commandLinePageText(): string {
  return [
    "# Command line",
    "The package brings a program along, `npx pulumi-trivium`. It finds the services in the environment, under the names that [configuration](configuration.md) lists; only `doctor --stack` looks into a stack as well. Results go to standard output, everything else to standard error, and secrets are in neither.",
    commands
      .map(({ name, summary }) => `- [\`npx pulumi-trivium ${name}\`](#${name}): ${summary}`)
      .join("\n"),
    "`npx pulumi-trivium --help` lists the commands, `npx pulumi-trivium COMMAND --help` tells the options of one, and `npx pulumi-trivium --version` the version of the package.",
    "## Exit status",
    [
      "- `0`: it has done its work.",
      "- `1`: it has failed, or, for `doctor`, there is a problem.",
      "- `2`: the command line makes no sense; nothing was done.",
      "- `130`, `143`, `129`: it was ended by Ctrl-C, `SIGTERM`, `SIGHUP`. That is how `emulator` and `events` end.",
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
