import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { cacheDirectory, fillCacheEntry } from "../../../scripts/cache";
import { packLibrary, temporaryDirectory } from "../../support/packed-library";

/** The package as it would be published. */
export interface Package {
  /** The file that a package manager installs. */
  readonly tarball: string;
  /** What it holds, unpacked. */
  readonly directory: string;
  readonly manifest: Manifest;
}

/** The part of the package's own description that these tests need. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

let shared: Package | undefined;

/** Packs the library once a process, with all that packing it sets off; nothing of it may be changed. */
export function packedPackage(): Package {
  if (shared === undefined) {
    const directory = temporaryDirectory("package");
    process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
    shared = pack(directory);
  }
  return shared;
}

function pack(parent: string): Package {
  const directory = join(parent, "unpacked");
  const tarball = packLibrary(parent, directory);
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
  return { tarball, directory, manifest };
}

/** What programs import the entries of the package as, each with the file of its types. */
export function typedEntries({ directory, manifest }: Package): Map<string, string> {
  return new Map(
    Object.entries(manifest.exports).flatMap(([entry, target]) =>
      typeof target === "string"
        ? []
        : [[join(manifest.name, entry), join(directory, target.types)] as const],
    ),
  );
}

/** What a program has printed to both streams, as it came, and whether it went well. */
export interface Finished {
  readonly succeeded: boolean;
  readonly text: string;
}

/** What `npm run` and mocha hand down that would change what other projects install or resolve. */
const ours =
  /^(?:NODE_PATH|INIT_CWD|npm_(?:package|lifecycle)_.*|npm_config_(?:workspaces?|include_workspace_root|local_prefix|prefix|omit|dry_run|global|location|package_lock_only))$/i;

/** The environment of this process as a person's shell has it. */
export function personsEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}

/** Runs a program without a terminal until it ends. @param interrupted sends SIGINT to its process group */
export async function runProgram(
  command: readonly string[],
  directory: string,
  environment: NodeJS.ProcessEnv = personsEnvironment(),
  interrupted?: AbortSignal,
): Promise<Finished> {
  const [program = "", ...parameters] = command;
  const child = spawn(program, parameters, {
    cwd: directory,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, because Ctrl-C reaches the whole group.
    detached: interrupted !== undefined,
  });
  interrupted?.addEventListener("abort", () => process.kill(-(child.pid ?? Number.NaN), "SIGINT"));
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { succeeded: code === 0, text };
}

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
