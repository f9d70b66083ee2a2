import { commentOf } from "./comment";
import { type Page, textFor, typesSection } from "./fields";

export function testingPageText(page: Page): string {
  const { comment, namespaces } = page.library;
  const { functions = [], types = [] } = namespaces[0] ?? {};
  const start = functions.find(({ shortName }) => shortName === "startEmulator");
  if (start === undefined) {
    throw new Error("There is no startEmulator.");
  }
  const startComment = commentOf(...start.declarations);
  types.forEach(({ symbol }) => page.types.add(symbol));
  return [
    "# Testing",
    textFor(page, comment.text),
    `\`\`\`typescript\n${comment.tag("example") ?? ""}\n\`\`\``,
    "[Testing your programs](../testing.md) has examples for other test runners, with the CLI and with mocks. [Emulator](../emulator.md) has a complete seed.",
    "## `startEmulator`",
    `${textFor(page, startComment.text)} \`startEmulator(options)\` takes [\`EmulatorOptions\`](#emulatoroptions), and returns a promise of the [\`Emulator\`](#emulator).`,
    `**Throws** ${textFor(page, startComment.tag("throws") ?? "")}.`,
    typesSection(page),
  ].join("\n\n");
}
