import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory, fillCacheEntry } from "../../../scripts/cache";
import { type EmulatorOptions, startEmulator } from "../../../sdk/testing";
import { ProgramDirectory } from "../../engine/support/program-directory";
import { runProgram } from "../../engine/support/run-program";
import { packLibrary, temporaryDirectory } from "../../support/packed-library";
import { useRunning } from "../../support/use-running";

/** The part of the package's own description that these tests need. */
interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

let shared: ReturnType<typeof pack> | undefined;

/** Packs the library once per process, with all the scripts that packing runs. The result must not be changed. */
export function packedPackage(): ReturnType<typeof pack> {
  return (shared ??= pack());
}

function pack() {
  const parent = temporaryDirectory("package");
  process.once("exit", () => rmSync(parent, { recursive: true, force: true }));
  const directory = join(parent, "unpacked");
  /** The file that a package manager installs. */
  const tarball = packLibrary(parent, directory);
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
  return { tarball, directory, manifest };
}

/** Installs projects before the tests of the calling suite. @param files with the library as a dependency */
export function useLayout(
  files: (library: string) => Readonly<Record<string, unknown>>,
  install: () => readonly string[] | Promise<readonly string[]>,
  options: EmulatorOptions,
) {
  return useRunning(
    "a layout of projects",
    async () => {
      const emulator = await startEmulator(options);
      const directory = ProgramDirectory.outside(
        files(`file:${packedPackage().tarball}`),
        emulator.environment,
      );
      const { succeeded, text } = await directory.run(await install());
      assert.ok(succeeded, text);
      return { directory, emulator };
    },
    ({ directory, emulator }) => {
      directory.remove();
      return emulator.close();
    },
  );
}

/** npm as it is on PATH: a flat `node_modules`, where a project also reaches what it does not depend on itself. */
export const npm = ["npm", "install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];

/** The directory of the program of a Node.js of that major version, to be put first on PATH. */
export async function nodeOfMajor(major: number): Promise<string> {
  const system = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const directory = join(await cachedPackage(`node-${system}`, String(major)), "bin");
  const { text } = await runProgram([join(directory, "node"), "--version"], directory);
  assert.match(text, new RegExp(`^v${major}\\.`), `the Node.js in ${directory}`);
  return directory;
}

/**
 * A package of the registry, without its scripts. It is installed once and stays in the cache, beside the Pulumi CLI.
 *
 * @returns its directory
 */
export async function cachedPackage(name: string, version: string): Promise<string> {
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
