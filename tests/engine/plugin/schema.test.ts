import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { ensurePulumiCli } from "../../../scripts/pulumi-cli";
import { testCli } from "../support/cli";
import { temporaryDirectory } from "../../support/packed-library";

const directory = join(__dirname, "..", "..", "..", "sdk", "plugin");

describe("the plugin's schema, with the real CLI", function () {
  this.timeout(120_000);

  for (const source of [directory, join(directory, "pulumi-resource-trivium")]) {
    it(`the schema is what pulumi package get-schema shows of ${basename(source)}, which refuses what is no schema`, async () => {
      const { stdout } = await pulumi(["package", "get-schema", source]);
      const shown = JSON.parse(stdout) as Record<string, object>;
      const committed = JSON.parse(await readFile(join(directory, "schema.json"), "utf8")) as typeof shown;
      for (const part of ["resources", "functions"]) {
        assert.deepEqual(Object.keys(shown[part] ?? {}), Object.keys(committed[part] ?? {}));
      }
      for (const part of ["version", "license", "publisher", "repository"]) {
        assert.deepEqual(shown[part], committed[part], part);
      }
    });
  }

  it("the schema is taken from the directory by pulumi package add, up to what the language host has to write", async () => {
    const project = temporaryDirectory("package-add");
    await writeFile(join(project, "Pulumi.yaml"), "name: add\nruntime: nodejs\n");
    await writeFile(join(project, "package.json"), "{}");
    const text = await pulumi(["package", "add", directory], project).then(
      ({ stdout, stderr }) => stdout + stderr,
      (error: unknown) => String(error),
    );
    await rm(project, { recursive: true });
    // The language host that is built here writes no SDKs; the CLI has found, started and understood the plugin before.
    const { source } = await ensurePulumiCli();
    assert.match(
      text,
      source === "built" ? /method GeneratePackage not implemented/ : /Successfully generated/,
    );
    assert.doesNotMatch(text, /unable to install|to have an executable|unable to run/);
  });
});

async function pulumi(
  command: readonly string[],
  cwd = directory,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const cli = await testCli();
  const env = { ...process.env, ...cli.environment({}) };
  return promisify(execFile)(cli.command.command, [...command], { cwd, env, maxBuffer: 1 << 24 });
}
