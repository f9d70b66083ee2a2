import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../command-line/binary";
import { useEmulator } from "../../support/use-emulator";
import { testCli } from "../support/cli";
import { ProgramDirectory } from "../support/program-directory";

const program = `
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
// imports

const config = new pulumi.Config();
const europe = new trivium.Provider("europe", {
  provisioning: { address: config.require("address"), token: config.requireSecret("token") },
});

class Platform extends pulumi.ComponentResource {
  constructor(name: string, options: pulumi.ComponentResourceOptions) {
    super("example:index:Platform", name, {}, options);
    // body
  }
}

new Platform("platform", { providers: [europe] });
`;

describe("objects under an explicit provider, in a component, imported", function () {
  this.timeout(300_000);

  const emulator = useEmulator({ resets: false });
  let project: ProgramDirectory;
  let environment: Record<string, string>;

  before(async function () {
    this.timeout(900_000);
    emulator.provisioning.addOrganization({ name: "acme" });
    emulator.provisioning.addProject({ organization: "acme", name: "payments" });
    // Only the provider knows the service.
    project = await ProgramDirectory.ofTypeScript("placed", {});
    project.write("index.ts", program);
    environment = (await testCli()).environment({
      PULUMI_HOME: join(project.path, "home"),
      PULUMI_BACKEND_URL: `file://${project.path}`,
      PULUMI_CONFIG_PASSPHRASE: "correct horse",
      ...emulator.environment,
    });
    await succeed(["config", "set", "address", emulator.provisioning.address]);
    await succeed(["config", "set", "--secret", "token"], emulator.provisioning.token);
    await succeed(["up", "--yes", "--skip-preview"]);
  });
  after(() => {
    project.remove();
  });

  it("are written with both, found by their names in the selected stack", async () => {
    const { status, error } = await importFile("--provider", "europe", "--parent", "platform");
    assert.deepEqual([status, error], [0, ""]);
    const { nameTable, resources } = JSON.parse(project.read("imports.json")) as {
      readonly nameTable: unknown;
      readonly resources: readonly { readonly provider: string; readonly parent: string }[];
    };
    assert.deepEqual(nameTable, {
      "provider:europe": "urn:pulumi:test::placed::pulumi:providers:pulumi-nodejs::europe",
      "parent:platform": "urn:pulumi:test::placed::example:index:Platform::platform",
    });
    assert.deepEqual(
      resources.map(({ provider, parent }) => [provider, parent]),
      Array(2).fill(["provider:europe", "parent:platform"]),
    );
  });

  it("come into state under both, and the program's plan is empty", async () => {
    await succeed(["import", "-f", "imports.json", "--generate-code=false", "--yes"]);
    project.replace("index.ts", "// imports", 'import { declareImported } from "./imported";');
    project.replace("index.ts", "// body", "declareImported({ provider: europe, parent: this });");
    emulator.journal.clear();
    await succeed(["preview", "--diff", "--expect-no-changes"]);
    assert.equal(emulator.journal.count(), 0);
    await succeed(["refresh", "--yes", "--skip-preview", "--expect-no-changes"]);
    await succeed(["up", "--yes", "--skip-preview", "--expect-no-changes"]);
    assert.ok(emulator.journal.requests().every(({ method }) => method === "GET"));
  });

  const mistakes: readonly [readonly string[], RegExp][] = [
    [["--provider", "asia"], /^--provider: the selected stack has no trivium\.Provider "asia"\./],
    [["--parent", "nobody"], /^--parent: the selected stack has no resource "nobody"\./],
    [["--provider", "platform"], /^--provider: the selected stack has no trivium\.Provider "platform"\./],
    [
      ["--provider", "urn:pulumi:test::placed::example:index:Platform::platform"],
      /^--provider: .* is not a provider\./,
    ],
    [
      ["--provider", "urn:pulumi:test::placed::pulumi:providers:aws::eu"],
      /^--provider: .* is not a trivium\.Provider/,
    ],
    [["--parent", "urn:pulumi:test"], /^--parent: "urn:pulumi:test" is not a URN\./],
  ];
  for (const [args, message] of mistakes) {
    it(`are not written with ${args.join(" ")}`, async () => {
      const { status, error } = await importFile(...args, "--overwrite");
      assert.equal(status, 2);
      assert.match(error, message);
    });
  }

  async function importFile(...args: readonly string[]): Promise<{ status: unknown; error: string }> {
    const before = process.cwd();
    process.chdir(project.path);
    const command = run(["import-file", "--organization", "acme", ...args], environment);
    process.chdir(before);
    return { status: await command.ended, error: command.printed.error };
  }

  async function succeed(command: readonly string[], input = ""): Promise<string> {
    const { succeeded, text } = await project.pulumi(command, { input });
    assert.ok(succeeded, `pulumi ${command.join(" ")}: ${text}`);
    return text;
  }
});
