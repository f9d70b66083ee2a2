import { existsSync } from "node:fs";
import path from "node:path";
import { cacheDirectory, fillCacheEntry } from "./cache";
import { buildName, buildProgram, pinnedProgram } from "./go-program";

/** Built with Go and cached; the first call takes about half a minute. @throws Error if the build fails */
export async function ensureActionlint(): Promise<string> {
  const program = pinnedProgram("actionlint", "github.com/rhysd/actionlint", "cmd/actionlint");
  const entry = path.join(cacheDirectory(process.env), buildName("actionlint", [program]));
  const executable = process.platform === "win32" ? "actionlint.exe" : "actionlint";
  if (!existsSync(path.join(entry, executable))) {
    await fillCacheEntry(entry, (directory) => buildProgram(program, path.join(directory, executable)));
  }
  return path.join(entry, executable);
}
