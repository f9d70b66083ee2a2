import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { repository, temporaryDirectory } from "../support/packed-library";

/** What a build takes from the repository, beside its sources. */
const parts =
  "package.json package-lock.json tsconfig.json README.md CHANGELOG.md LICENSE SECURITY.md docs scripts".split(
    " ",
  );

describe("the packed library", function () {
  this.timeout("5m");

  const places: string[] = [];
  after(() => places.forEach((place) => rmSync(place, { recursive: true, force: true })));

  /** Compiles and packs the sources at a place of their own. @returns the tarball's checksum */
  function build(): string {
    const place = temporaryDirectory("build");
    places.push(place);
    const sdk = join(place, "sdk");
    parts.forEach((part) => cpSync(join(repository, part), join(place, part), { recursive: true }));
    const filter = (path: string): boolean => !["dist", "node_modules"].includes(basename(path));
    cpSync(join(repository, "sdk"), sdk, { recursive: true, filter });
    for (const modules of ["node_modules", "sdk/node_modules"]) {
      if (existsSync(join(repository, modules))) {
        symlinkSync(join(repository, modules), join(place, modules), "junction");
      }
    }
    const run = (command: string, ...args: readonly string[]): void => {
      execFileSync(command, args, { cwd: sdk, stdio: ["ignore", "ignore", "pipe"] });
    };
    run(process.execPath, join(repository, "node_modules/typescript/bin/tsc"), "--project", "tsconfig.json");
    run(process.execPath, join(place, "scripts", "copy-documents.mjs"));
    run("npm", "pack", "--ignore-scripts");
    const tarball = readdirSync(sdk).find((name) => name.endsWith(".tgz")) ?? "nothing was packed";
    return createHash("sha512")
      .update(readFileSync(join(sdk, tarball)))
      .digest("hex");
  }

  it("the packed library is the same file whenever and wherever it is built", () =>
    assert.equal(build(), build()));
});
