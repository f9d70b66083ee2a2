import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The root of the repository. */
export const repository = resolve(__dirname, "..", "..");

/** A new empty directory inside the repository, so that what is installed there is found from it. */
export function temporaryDirectory(purpose: string): string {
  const parent = join(repository, ".cache", "tests");
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, `${purpose}-`));
}

/** A directory of a user's project with the packed library in its `node_modules`. */
interface ProjectDirectory {
  readonly path: string;
  /** Where the library is. */
  readonly library: string;
  remove(): void;
}

/**
 * Packs the library as it would be published and unpacks it where a package manager would.
 *
 * @throws Error when the library has not been compiled
 */
function projectWithPackedLibrary(): ProjectDirectory {
  const path = temporaryDirectory("project");
  const library = join(path, "node_modules", "pulumi-trivium");
  mkdirSync(library, { recursive: true });
  execFileSync(
    "npm",
    ["pack", "--workspace", "pulumi-trivium", "--ignore-scripts", "--pack-destination", path],
    { cwd: repository, stdio: ["ignore", "ignore", "pipe"] },
  );
  const tarball = readdirSync(path).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) {
    throw new Error(`npm pack left no tarball in ${path}.`);
  }
  execFileSync("tar", ["-xzf", join(path, tarball), "-C", library, "--strip-components=1"]);
  if (!existsSync(join(library, "dist", "dynamic.js"))) {
    throw new Error("The packed library lacks its compiled code: run `npm run build` first.");
  }
  linkDependencies(library);
  return { path, library, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Gives the library its own dependencies: other packages here use other versions of them. */
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

/** One such directory for all tests of a run: nothing in it changes. It goes away with the process. */
export function sharedProject(): ProjectDirectory {
  if (shared === undefined) {
    const project = projectWithPackedLibrary();
    process.once("exit", () => project.remove());
    shared = project;
  }
  return shared;
}

/** The type declarations that one of them leads to, itself first, each with the modules that it names. */
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
