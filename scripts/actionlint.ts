/**
 * Obtains actionlint, the linter of GitHub workflows: built with Go once and cached, beside the Pulumi CLI.
 *
 * @module
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { cacheDirectory, fillCacheEntry } from "./cache";
import { buildName, buildProgram, pinnedProgram } from "./go-program";

/**
 * The path of the pinned version's executable. The first call builds it, which takes about half a minute.
 *
 * @throws Error when there is no Go to build it with, a module cannot be downloaded, or the build fails
 */
export async function ensureActionlint(): Promise<string> {
  const program = pinnedProgram("actionlint", "github.com/rhysd/actionlint", "cmd/actionlint");
  const entry = path.join(cacheDirectory(process.env), buildName("actionlint", [program]));
  const executable = process.platform === "win32" ? "actionlint.exe" : "actionlint";
  if (!existsSync(path.join(entry, executable))) {
    await fillCacheEntry(entry, (directory) => buildProgram(program, path.join(directory, executable)));
  }
  return path.join(entry, executable);
}
