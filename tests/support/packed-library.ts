import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const repository = resolve(__dirname, "..", "..");

/** Inside the repository, so that its packages are found from there. */
export function temporaryDirectory(purpose: string): string {
  const parent = join(repository, ".cache", "tests");
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, `${purpose}-`));
}

interface ProjectDirectory {
  readonly path: string;
  readonly library: string;
  remove(): void;
}

/** @throws Error when the library has not been compiled */
function projectWithPackedLibrary(): ProjectDirectory {
  const path = temporaryDirectory("project");
  const library = join(path, "node_modules", "pulumi-trivium");
  packLibrary(path, library, "--ignore-scripts");
  if (!existsSync(join(library, "dist", "dynamic.js"))) {
    throw new Error("The packed library lacks its compiled code: run `npm run build` first.");
  }
  linkDependencies(library);
  return { path, library, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Packs the library into a directory and unpacks it in another one. @returns the tarball */
export function packLibrary(directory: string, library: string, ...options: readonly string[]): string {
  const pack = ["pack", "--workspace", "pulumi-trivium", "--pack-destination", directory, ...options];
  execFileSync("npm", pack, { cwd: repository, stdio: ["ignore", "ignore", "pipe"] });
  const name = readdirSync(directory).find((each) => each.endsWith(".tgz"));
  const tarball = join(directory, name ?? assert.fail(`npm pack left no tarball in ${directory}.`));
  mkdirSync(library, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", library, "--strip-components=1"]);
  return tarball;
}

/** Other packages of the repository use other versions. */
function linkDependencies(library: string): void {
  const { dependencies } = JSON.parse(readFileSync(join(library, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const target = join(library, "node_modules");
  mkdirSync(target);
  for (const name of Object.keys(dependencies)) {
    const installed = require.resolve(`${name}/package.json`, { paths: [join(repository, "sdk")] });
    symlinkSync(dirname(installed), join(target, name), "junction");
  }
}

let shared: ProjectDirectory | undefined;

/** Shared by all tests of a run, since nothing changes in it; removed when the process exits. */
export function sharedProject(): ProjectDirectory {
  if (shared === undefined) {
    const project = projectWithPackedLibrary();
    process.once("exit", () => project.remove());
    shared = project;
  }
  return shared;
}

/** @returns every declaration that is reachable from the entry, with the modules that it imports */
export function reachableDeclarations(entry: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const visit = (file: string): void => {
    if (found.has(file)) {
      return;
    }
    const modules = modulesIn(readFileSync(file, "utf8"));
    found.set(file, modules);
    for (const module of modules.filter((name) => name.startsWith("."))) {
      const target = resolve(dirname(file), module);
      const declaration = [`${target}.d.ts`, join(target, "index.d.ts")].find(existsSync);
      visit(declaration ?? assert.fail(`${file} leads to ${module}, which is not there`));
    }
  };
  visit(entry);
  return found;
}

function modulesIn(declaration: string): string[] {
  const code = declaration.replace(/\/\*[^]*?\*\//g, "");
  const imports = code.matchAll(/\b(?:from|import|require)\s*\(?\s*["']([^"']+)["']/g);
  const references = code.matchAll(/^\/\/\/\s*<reference\s+(?:types|path)=["']([^"']+)["']/gm);
  return [...imports, ...references].map(([, name = ""]) => name);
}
