import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../support/packed-library";
import { ProgramDirectory } from "../support/program-directory";

// Other tests load the Automation API when it is used; the SDK loads it with its first module.
const program = `const trivium = require("pulumi-trivium");
require("@pulumi/pulumi/automation");
new trivium.provisioning.Project("payments", { organization: "acme", name: "payments" });
trivium.provisioning.getProject({ id: "prj-1" }).catch((error) => {
  require("fs").writeFileSync("reason", error.message);
});
`;

describe("a project that uses the plugin and does not list it", function () {
  this.timeout(300_000);

  let directory: ProgramDirectory;
  before(async () => {
    const files = {
      "Pulumi.json": { name: "not-named", runtime: "nodejs", main: "infra/" },
      "package.json": { name: "not-named", private: true },
      "infra/index.js": program,
    };
    directory = await ProgramDirectory.ofFiles("not-named", files, {});
  });
  after(() => directory.remove());

  it("a project that does not list the plugin causes a warning before the CLI looks for the plugin elsewhere", async () => {
    await directory.succeed(["config", "set", "trivium:adapter", "plugin"]);
    const { text: output } = await directory.pulumi(["preview", "--non-interactive"]);
    assert.match(output, /Pulumi\.json does not list the plugin.*Run `npx pulumi-trivium use-plugin`\./s);
  });

  it("a project that names the plugin among its packages is not warned, and the CLI finds it there", async () => {
    const project = join(directory.path, "Pulumi.json");
    const plugin = join(repository, "sdk", "plugin");
    const named = { ...(JSON.parse(readFileSync(project, "utf8")) as object), packages: { trivium: plugin } };
    writeFileSync(project, JSON.stringify(named));
    const { text } = await directory.pulumi(["preview", "--non-interactive"]);
    assert.doesNotMatch(text, /does not name the plugin|no resource plugin/);
    assert.match(text, /The provisioning service is not configured/);
  });

  it("a program that the CLI runs does not receive the advice for an inline program", async () => {
    const { succeeded, text } = await directory.run(["cat", "infra/reason"]);
    assert.ok(succeeded, text);
    assert.match(text, /PROVISIONING_ADDR/);
    assert.doesNotMatch(text, /inline/);
  });
});
