import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { repository } from "./library";

export interface CodeBlock {
  /** Relative to the root of the repository. */
  readonly document: string;
  /** The line of its first line of code, counted from 1. */
  readonly line: number;
  readonly code: string;
}

export function documents(): readonly string[] {
  const below = readdirSync(join(repository, "docs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes(".vitepress") && !path.includes("node_modules"));
  return ["README.md", ...below.toSorted()];
}

export function codeBlocksOf(document: string): readonly CodeBlock[] {
  const lines = readFileSync(join(repository, document), "utf8").split("\n");
  const blocks: CodeBlock[] = [];
  for (let index = 0; index < lines.length; index++) {
    const opening = /^( *)(`{3,})\s*(\S*)/.exec(lines[index] ?? "");
    if (opening === null) {
      continue;
    }
    const [, indentation = "", fence = "", language = ""] = opening;
    const end = lines.indexOf(`${indentation}${fence}`, index + 1);
    if (end === -1) {
      throw new Error(`${document}:${index + 1}: this block of code has no end.`);
    }
    if (/^(?:ts|typescript|tsx|mts|cts)\b/i.test(language)) {
      const code = lines.slice(index + 1, end).map((line) => line.slice(indentation.length));
      blocks.push({ document, line: index + 2, code: code.join("\n") });
    }
    index = end;
  }
  return blocks;
}

/** Wraps a fragment, which has no imports, in an async function with the library. Line numbers stay the same. */
export function moduleOf({ code }: CodeBlock): string {
  return /^import /m.test(code)
    ? `${code}\nexport {};\n`
    : `import * as trivium from "pulumi-trivium"; export async function fragment() { ${code}\n}\n`;
}
