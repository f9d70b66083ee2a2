import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repository, temporaryDirectory } from "../../support/packed-library";

/** The package as it would be published. */
export interface Package {
  /** The file that a package manager installs. */
  readonly tarball: string;
  /** What it holds, unpacked. */
  readonly directory: string;
  readonly manifest: Manifest;
}

/** The part of the package's own description that these tests need. */
export interface Manifest {
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
  execFileSync("npm", ["pack", "--workspace", "pulumi-trivium", "--pack-destination", parent], {
    cwd: repository,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [name = ""] = readdirSync(parent);
  const tarball = join(parent, name);
  const directory = join(parent, "unpacked");
  mkdirSync(directory);
  execFileSync("tar", ["-xzf", tarball, "-C", directory, "--strip-components=1"]);
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
