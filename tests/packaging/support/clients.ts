import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { cacheDirectory, fillCacheEntry } from "../../../scripts/pulumi-cli/cache";
import { runProgram } from "./run";

/** How a person installs a project, called in its directory. */
export type Install = readonly string[];

/** npm as it is on PATH: a flat `node_modules`, where a project also reaches what it does not depend on itself. */
export const npm: Install = [
  "npm",
  "install",
  "--prefer-offline",
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
];

/** pnpm as this repository has it: each package reaches what it depends on itself, and nothing else. */
export function pnpm(): Install {
  // What the package exports is its own description.
  const manifest = createRequire(__filename).resolve("pnpm");
  const program = join(dirname(manifest), "bin", "pnpm.cjs");
  return [process.execPath, program, "install", "--prefer-offline", "--ignore-scripts"];
}

/**
 * The directory of the program of a Node.js of that major version, to be put first on PATH. The registry has it as a
 * package, which is installed once: it stays in the cache, beside the Pulumi CLI.
 */
export async function nodeOfMajor(major: number): Promise<string> {
  const system = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const entry = join(cacheDirectory(process.env), `node-${major}-${system}`);
  const directory = join(entry, "node_modules", `node-${system}`, "bin");
  if (!existsSync(directory)) {
    await fillCacheEntry(entry, async (place) => {
      const dependencies = { [`node-${system}`]: String(major) };
      writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, dependencies }));
      const { succeeded, text } = await runProgram(npm, place);
      assert.ok(succeeded, text);
    });
  }
  const { text } = await runProgram([join(directory, "node"), "--version"], entry);
  assert.match(text, new RegExp(`^v${major}\\.`), `the Node.js in ${directory}`);
  return directory;
}
