import assert from "node:assert/strict";
import { ProgramDirectory } from "../support/program-directory";

const program = `const trivium = require("pulumi-trivium");
new trivium.provisioning.Project("payments", { organization: "acme", name: "payments" });
`;

describe("a project that uses the plugin and does not name it", function () {
  this.timeout(300_000);

  let directory: ProgramDirectory;
  before(async () => {
    directory = await ProgramDirectory.ofJavaScript("not-named", program, {});
  });
  after(() => directory.remove());

  it("a project that does not name the plugin is warned before the CLI looks for it elsewhere", async () => {
    await directory.succeed(["config", "set", "trivium:adapter", "plugin"]);
    const { text: output } = await directory.pulumi(["preview", "--non-interactive"]);
    assert.match(output, /Pulumi\.yaml does not name the plugin.*Run `npx pulumi-trivium use-plugin`\./s);
  });
});
