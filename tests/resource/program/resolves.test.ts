import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../../support/packed-library";

describe("assertProviderResolves", () => {
  let project: string;

  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), "pulumi-trivium-resolves-"));
  });
  afterEach(() => rmSync(project, { recursive: true }));

  /** Runs a program in the project that asks twice, as the language host or as plain Node.js does. */
  function run(program: string): string {
    const directory = join(project, program);
    mkdirSync(directory, { recursive: true });
    const subject = join(repository, "sdk", "dist", "resource", "program", "base.js");
    writeFileSync(
      join(directory, "index.js"),
      `const { assertProviderResolves } = require(${JSON.stringify(subject)});
       for (const time of [1, 2]) {
         try { assertProviderResolves(); console.log("fine"); } catch (error) { console.log(error.__pulumiRunError ? error.message : error.stack); }
       }`,
    );
    const { NODE_PATH: _NODE_PATH, ...env } = process.env;
    return execFileSync(process.execPath, [directory], { cwd: project, encoding: "utf8", env });
  }

  const languageHost = "node_modules/@pulumi/pulumi/cmd/run";

  /** Puts the SDK into the project, as far as this matters. */
  function installSdk(): void {
    const directory = join(project, "node_modules/@pulumi/pulumi/cmd/dynamic-provider");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "index.js"), "");
  }

  it("assertProviderResolves accepts a project that has the library itself", () => {
    installSdk();
    symlinkSync(join(repository, "sdk"), join(project, "node_modules", "pulumi-trivium"));
    assert.equal(run(languageHost), "fine\nfine\n");
  });

  it("assertProviderResolves says each time what to install where when only a dependency has it", () => {
    installSdk();
    const [first = "", second] = run(languageHost).trimEnd().split("\n");
    assert.match(first, /^pulumi-trivium cannot be found from .*-resolves-.*`npm install pulumi-trivium`/);
    assert.equal(second, first);
  });

  it("assertProviderResolves names the SDK too, for a plugin's component in a project of another language", () =>
    assert.match(
      run(`${languageHost}-plugin`),
      /^pulumi-trivium and @pulumi\/pulumi cannot be found .* run `npm install pulumi-trivium @pulumi\/pulumi`/,
    ));

  it("assertProviderResolves does not care in a process that no engine has started", () =>
    assert.equal(run("scripts"), "fine\nfine\n"));
});
