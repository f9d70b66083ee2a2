import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as trivium from "pulumi-trivium";
import { repository } from "../support/packed-library";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { configurationFor, organization, withOrganization } from "./support/projects";
import { useSharedStack } from "./support/shared-stack";

describe("a file that `preview --import-file` has written", function () {
  this.timeout(240_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, ...withOrganization });
  const stack = useSharedStack("import-file", () => configurationFor(emulator, "provisioning"));
  const program = () => new trivium.provisioning.Project("payments", { organization, name: "payments" });

  /** The type in the file, and what the import has printed. */
  const importWhatIsMissing = async (): Promise<readonly string[]> => {
    const file = join(stack.directory, "imports.json");
    await stack.preview(program, { importFile: file });
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("<PLACEHOLDER>", id));
    const printed = await stack
      .command(
        "import",
        "--file",
        file,
        "--stack",
        "test",
        "--yes",
        "--protect=false",
        "--generate-code=false",
      )
      .catch((error: unknown) => String((error as { readonly stdout?: unknown }).stdout));
    const { resources } = JSON.parse(text) as { readonly resources: readonly { readonly type: string }[] };
    return [...resources.map(({ type }) => type), printed];
  };

  let id = "";
  before(() => {
    id = emulator.provisioning.addProject({ organization, name: "payments" }).id;
  });

  it("the engine cannot import dynamic resources from a file, and Troubleshooting contains its message", async () => {
    const [type, printed = ""] = await importWhatIsMissing();
    assert.equal(type, "pulumi-nodejs:dynamic/trivium/provisioning:Project");
    const page = readFileSync(join(repository, "docs", "troubleshooting.md"), "utf8");
    const [, heading = "", section = ""] = /^## `(code must be .*?)`\n(.*?)^## /ms.exec(page) ?? [];
    assert.ok(printed.includes(heading), printed);
    assert.match(section, /`pulumi import`.*`pulumi preview --import-file`/s);
    assert.deepEqual(await stack.resources("pulumi-nodejs:dynamic/trivium/provisioning:Project"), []);
  });

  it("with the plugin, the same program's file imports the object, as the page says", async () => {
    await stack.useAdapter("plugin");
    const [type, printed] = await importWhatIsMissing();
    assert.equal(type, "trivium:provisioning:Project", printed);
    await stack.previewWithoutChanges(program);
  });

  it("the imported object stays when the project moves back to dynamic resources", async () => {
    await stack.useAdapter("dynamic");
    await stack.up(program);
    await stack.previewWithoutChanges(program);
    assert.equal(emulator.journal.count({ method: "POST" }), 0);
  });
});
