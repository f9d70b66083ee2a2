import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../../support/packed-library";

describe("assertProviderResolves", () => {
  const project = mkdtempSync(join(tmpdir(), "pulumi-trivium-resolves-"));
  after(() => rmSync(project, { recursive: true }));

  function write(path: string, text: string): void {
    mkdirSync(join(project, path), { recursive: true });
    writeFileSync(join(project, path, "index.js"), text);
  }

  /** Runs a program in the project that asks twice, as the language host or as plain Node.js does. */
  function run(program: string): string {
    const subject = join(repository, "sdk", "dist", "resource", "program", "base.js");
    write(
      program,
      `const { assertProviderResolves } = require(${JSON.stringify(subject)});
       for (const time of [1, 2]) {
         try { assertProviderResolves(); console.log("fine"); } catch (error) { console.log(error.__pulumiRunError ? error.message : error.stack); }
       }`,
    );
    const { NODE_PATH: _NODE_PATH, ...env } = process.env;
    return execFileSync(process.execPath, [join(project, program)], { cwd: project, encoding: "utf8", env });
  }

  const languageHost = "node_modules/@pulumi/pulumi/cmd/run";

  it("assertProviderResolves reports each time what a project lacks, and accepts one that lacks nothing", () => {
    assert.equal(run("scripts"), "fine\nfine\n", "no engine has started this");
    // A plugin's component in a project of another language.
    const noSdk =
      /^The engine loads pulumi-trivium and @pulumi\/pulumi from .* Run `npm install pulumi-trivium @pulumi\/pulumi`/;
    assert.match(run(`${languageHost}-plugin`), noSdk);
    write("node_modules/@pulumi/pulumi/cmd/dynamic-provider", "");
    const [first = "", second] = run(languageHost).trimEnd().split("\n");
    assert.match(first, /^The engine loads pulumi-trivium from .*-resolves-.*`npm install pulumi-trivium`/);
    assert.equal(second, first);
    symlinkSync(join(repository, "sdk"), join(project, "node_modules", "pulumi-trivium"));
    assert.equal(run(languageHost), "fine\nfine\n");
  });
});
