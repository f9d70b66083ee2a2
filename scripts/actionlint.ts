/**
 * Obtains actionlint, the linter of GitHub workflows: built with Go once and cached, beside the Pulumi CLI.
 *
 * @module
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { buildProgram } from "./pulumi-cli/build";
import { cacheDirectory, fillCacheEntry } from "./pulumi-cli/cache";
import { fingerprint, pinnedActionlint } from "./pulumi-cli/pins";

/**
 * The path of the pinned version's executable. The first call builds it, which takes about half a minute.
 *
 * @param signal ends the build
 * @throws Error when there is no Go to build it with, a module cannot be downloaded, or the build fails
 */
export async function ensureActionlint(signal = new AbortController().signal): Promise<string> {
  const program = pinnedActionlint();
  const name = `actionlint-${program.version}-${fingerprint([program])}-${process.platform}-${process.arch}`;
  const entry = path.join(cacheDirectory(process.env), name);
  const executable = process.platform === "win32" ? "actionlint.exe" : "actionlint";
  if (!existsSync(path.join(entry, executable))) {
    await fillCacheEntry(entry, (directory) =>
      buildProgram(program, path.join(directory, executable), { environment: process.env, signal }),
    );
  }
  return path.join(entry, executable);
}
