import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { ensurePulumiCli } from "../../../scripts/pulumi-cli";
import { repository } from "../../support/packed-library";
import { ProgramDirectory } from "../support/program-directory";

const directory = join(repository, "sdk", "plugin");

describe("the plugin's schema, with the real CLI", function () {
  this.timeout(120_000);

  let project: ProgramDirectory;
  before(async () => {
    const files = { "Pulumi.yaml": "name: add\nruntime: nodejs\n", "package.json": "{}" };
    project = await ProgramDirectory.ofFiles("package-add", files, {});
  });
  after(() => project.remove());

  for (const source of [directory, join(directory, "pulumi-resource-trivium")]) {
    it(`the schema is shown by pulumi package get-schema for ${basename(source)}, which rejects anything that is not a schema`, async () => {
      const text = await project.succeed(["package", "get-schema", source]);
      const shown = JSON.parse(text) as Record<string, object>;
      const committed = JSON.parse(await readFile(join(directory, "schema.json"), "utf8")) as typeof shown;
      for (const part of ["resources", "functions"]) {
        assert.deepEqual(Object.keys(shown[part] ?? {}), Object.keys(committed[part] ?? {}));
      }
      for (const part of ["version", "license", "publisher", "repository"]) {
        assert.deepEqual(shown[part], committed[part], part);
      }
    });
  }

  it("the schema is read from the directory by pulumi package add, up to what the language host must write", async () => {
    const { text } = await project.pulumi(["package", "add", directory]);
    // The language host that is built here writes no SDKs; the CLI has found, started and understood the plugin before.
    const { source } = await ensurePulumiCli();
    const expected = source === "built" ? /method GeneratePackage not implemented/ : /Successfully generated/;
    assert.match(text, expected);
    assert.doesNotMatch(text, /unable to install|to have an executable|unable to run/);
  });
});
