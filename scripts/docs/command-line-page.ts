import type { Command } from "../../sdk/command-line/command";
import { commands } from "../../sdk/command-line/run";
import { meaningOf, usageOf, writtenOption } from "../../sdk/command-line/help";
import { prose } from "./library";

export function commandLinePageText(): string {
  const list = commands.map(
    ({ name, summary }) => `- [\`npx pulumi-trivium ${name}\`](#${name}): ${summary}`,
  );
  const all = commands.map(commandText).join("\n\n");
  return prose("command-line.md", { list: list.join("\n"), commands: all });
}

function commandText(command: Command): string {
  const sample = sampleOf(command.name);
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
    fenced("sh", sample.command),
    fenced("text", sample.output),
  ].join("\n\n");
}

/** A test compares the output with the command's own. */
export function sampleOf(name: string): { readonly command: string; readonly output: string } {
  const [command = "", ...output] = prose(`samples/${name}.txt`).split("\n");
  return { command: command.replace("$ ", ""), output: output.join("\n") };
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
