import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../support/packed-library";

/** What a reader does at one place of a document. */
export type Step =
  | {
      readonly kind: "file";
      readonly name: string;
      /** Whether it is added to what the file holds. */
      readonly added: boolean;
      readonly text: string;
    }
  | {
      readonly kind: "commands";
      readonly text: string;
      /** The lines that the document shows of what they print. */
      readonly shown: readonly string[];
    };

/**
 * The steps of a document, in order. A block of commands is one; a block of another language is the content of the file
 * that the line before it names last; a block of text shows what the commands before it print. What stands below
 * `<!-- not run -->` is left out.
 *
 * @throws Error when a block belongs to nothing
 */
export function stepsOf(document: string): readonly Step[] {
  const [text = ""] = readFileSync(join(repository, document), "utf8").split("<!-- not run -->");
  const steps: Step[] = [];
  for (const block of text.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    const [, language = "", content = ""] = block;
    const line = text.slice(0, block.index).trimEnd().split("\n").at(-1) ?? "";
    if (language === "sh") {
      steps.push({ kind: "commands", text: content, shown: [] });
    } else if (language === "text") {
      const last = steps.pop();
      if (last?.kind !== "commands") {
        throw new Error(`${document}: nothing prints this:\n${content}`);
      }
      steps.push({ ...last, shown: content.trimEnd().split("\n") });
    } else {
      const name = /`([\w.-]+)`[^`]*:$/.exec(line)?.[1];
      if (name === undefined) {
        throw new Error(`${document}: no file is named for this, only: ${line}`);
      }
      steps.push({ kind: "file", name, added: /\bAdd to `[\w.]+`:$/.test(line), text: content });
    }
  }
  return steps;
}
