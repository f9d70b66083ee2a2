import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { codeBlocksOf } from "../../scripts/docs/code-blocks";
import { CopiedExample } from "../examples/copied-example";

describe("the first program of README.md", function () {
  this.timeout(180_000);

  let emulator: Emulator;
  let project: CopiedExample;

  before(async () => {
    emulator = await startEmulator();
    emulator.provisioning.addOrganization({ name: "acme" });
    project = new CopiedExample("quickstart");
    const [first] = codeBlocksOf("README.md");
    assert.ok(first);
    writeFileSync(join(project.path, "index.ts"), first.code);
  });

  after(async () => {
    project.remove();
    await emulator.close();
  });

  const pulumi = async (...command: readonly string[]): Promise<string> => {
    const { succeeded, text } = await project.pulumi(".", command);
    assert.ok(succeeded, text);
    return text;
  };

  it("makes the project that it describes, and deletes it again", async () => {
    const { address, token } = emulator.provisioning;
    await pulumi("stack", "init", "first");
    await pulumi("config", "set", "trivium:provisioningAddress", address);
    await pulumi("config", "set", "--secret", "trivium:provisioningToken", token);
    await pulumi("up", "--yes", "--skip-preview");
    const made = emulator.inspect().provisioning.projects.find(({ name }) => name === "payments-production");
    assert.ok(made);
    assert.equal((await pulumi("stack", "output", "projectId")).trim(), made.id);
    await pulumi("destroy", "--yes", "--skip-preview");
    assert.ok(!emulator.inspect().provisioning.projects.some(({ id }) => id === made.id));
  });

  it("is that of the site's front page", () => {
    const [readme] = codeBlocksOf("README.md");
    const [site] = codeBlocksOf(join("docs", "index.md"));
    assert.equal(site?.code, readme?.code);
  });
});
