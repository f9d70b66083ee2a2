import type { Command, CommandOption } from "./command";

const width = 120;

/** Such as `npx pulumi-trivium doctor [SERVICE...] [OPTIONS]`. */
export function usageOf({ name, words }: Command): string {
  return ["npx pulumi-trivium", name, ...(words === undefined ? [] : [words]), "[OPTIONS]"].join(" ");
}

/** Such as `--stack NAME`. */
export function writtenOption(name: string, { placeholder }: CommandOption): string {
  return placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`;
}

export function meaningOf({ meaning, multiple }: CommandOption): string {
  return multiple === true ? `${meaning}; can be repeated` : meaning;
}

export function helpText(command: Command): string {
  const options = Object.entries(command.options);
  const column = Math.max(...options.map(([name, option]) => writtenOption(name, option).length)) + 5;
  const lines = options.map(([name, option]) => {
    const start = `  ${writtenOption(name, option)}`.padEnd(column);
    return wrapped(meaningOf(option), width - column).map(
      (line, index) => `${index === 0 ? start : " ".repeat(column)}${line}`,
    );
  });
  const { description, notes, examples = [] } = command;
  return [
    usageOf(command),
    ...description.map((text) => wrapped(text, width).join("\n")),
    lines.flat().join("\n"),
    ...notes.map((text) => wrapped(text, width).join("\n")),
    examples.map((example) => `  ${example}`).join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Lines of whole words. A word that is longer than the limit has a line of its own. */
function wrapped(text: string, limit: number): readonly string[] {
  return text.match(new RegExp(`\\S.{0,${limit - 1}}(?= |$)|\\S+`, "g")) ?? [];
}
