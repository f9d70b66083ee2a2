import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

/** The root of the repository. */
export const repository = resolve(__dirname, "..", "..");

/** A new empty directory inside the repository, so that what is installed there is found from it. */
export function temporaryDirectory(purpose: string): string {
  const parent = join(repository, ".cache", "tests");
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, `${purpose}-`));
}

/** A directory of a user's project with the packed library in its `node_modules`. */
export interface ProjectDirectory {
  readonly path: string;
  remove(): void;
}

/** Packs the library as it would be published and unpacks it where a package manager would. */
export function projectWithPackedLibrary(): ProjectDirectory {
  const path = temporaryDirectory("project");
  const target = join(path, "node_modules", "pulumi-trivium");
  mkdirSync(target, { recursive: true });
  const packed = execFileSync(
    "npm",
    ["pack", "--workspace", "pulumi-trivium", "--ignore-scripts", "--json", "--pack-destination", path],
    { cwd: repository, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  execFileSync("tar", ["-xzf", join(path, filename), "-C", target, "--strip-components=1"]);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
