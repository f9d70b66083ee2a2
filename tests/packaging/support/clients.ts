import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { cacheDirectory, fillCacheEntry } from "../../../scripts/cache";
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

/** The directory of the program of a Node.js of that major version, to be put first on PATH. */
export async function nodeOfMajor(major: number): Promise<string> {
  const system = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const directory = join(await cachedPackage(`node-${system}`, String(major)), "bin");
  const { text } = await runProgram([join(directory, "node"), "--version"], directory);
  assert.match(text, new RegExp(`^v${major}\\.`), `the Node.js in ${directory}`);
  return directory;
}

/** The program of Bun. */
export async function bun(): Promise<string> {
  const system = `${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`;
  return join(await cachedPackage(`@oven/bun-${system}`, "1"), "bin", "bun");
}

/** The program of Deno. */
export async function deno(): Promise<string> {
  const system = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`;
  return join(await cachedPackage(`@deno/${system}`, "2"), "deno");
}

/** Yarn, which keeps packages in their archives and puts a resolution of its own before that of Node.js. */
export async function yarn(): Promise<Install> {
  const program = join(await cachedPackage("@yarnpkg/cli-dist", "4"), "bin", "yarn.js");
  return [process.execPath, program, "install"];
}

/**
 * A package of the registry, without its scripts. It is installed once and stays in the cache, beside the Pulumi CLI.
 *
 * @returns its directory
 */
async function cachedPackage(name: string, version: string): Promise<string> {
  const entry = join(cacheDirectory(process.env), `${name.replace(/\W+/g, "-")}-${version}`);
  const directory = join(entry, "node_modules", name);
  if (!existsSync(directory)) {
    await fillCacheEntry(entry, async (place) => {
      const dependencies = { [name]: version };
      writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, dependencies }));
      const { succeeded, text } = await runProgram(npm, place);
      assert.ok(succeeded, text);
    });
  }
  return directory;
}
