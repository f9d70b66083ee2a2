import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sampleOf } from "../../scripts/docs/command-line-page";
import { ensurePulumiCli } from "../../scripts/pulumi-cli";
import { commands } from "../../sdk/command-line/run";
import { run, stopCommands } from "../command-line/binary";
import { temporaryDirectory } from "../support/packed-library";
import { useEmulator } from "../support/use-emulator";

describe("the samples of the command line's page", function () {
  this.timeout(60_000);
  const directory = temporaryDirectory("samples");
  const emulator = useEmulator({ resets: false });
  let workspace: string;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    // `use-dynamic` asks the CLI for the project's stacks.
    const cli = await ensurePulumiCli();
    environment = {
      ...emulator.environment,
      ...cli.environment({
        PULUMI_HOME: join(directory, "home"),
        PULUMI_BACKEND_URL: `file://${directory}`,
        PULUMI_CONFIG_PASSPHRASE: "samples",
      }),
    };
    mkdirSync(join(directory, "node_modules", "pulumi-trivium", "plugin"), { recursive: true });
    writeFileSync(join(directory, "Pulumi.yaml"), "name: samples\nruntime: nodejs\n");
    emulator.provisioning.addOrganization({ name: "acme" });
    emulator.provisioning.addProject({ organization: "acme", name: "payments" });
    workspace = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
    emulator.provisioning.addNotificationConfiguration({
      workspace,
      name: "runs",
      url: "https://hooks.example.com/runs",
      token: "signing-key-of-the-samples",
    });
    const worker = { Node: { Name: "worker-1", Status: "ready" } };
    emulator.events.emit({ topic: "Node", type: "NodeRegistration", key: "n1", payload: worker });
    emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "web" });
    const deployment = { Deployment: { JobID: "web", Status: "successful" } };
    emulator.events.emit({
      topic: "Deployment",
      type: "DeploymentStatusUpdate",
      key: "d1",
      filterKeys: ["web"],
      payload: deployment,
    });
  });

  afterEach(stopCommands);
  after(() => rmSync(directory, { recursive: true, force: true }));

  for (const { name } of commands) {
    it(`the samples of the command line's page are what ${name} prints`, async () => {
      const { command: written, output } = sampleOf(name);
      const [, , , ...words] = written.split(" ");
      const files = name === "import-file" ? ["--out", join(directory, "imports.json")] : [];
      const given = words.map((word) => (word.startsWith("ws-") ? workspace : word));
      const command = run([name, ...given, ...files], environment, directory);
      const expected = output.split("\n");
      const lines = await command.lines(expected.length);
      assert.deepEqual(
        lines.map((line) => comparable(line.replaceAll(`${directory}/`, ""))),
        expected.map(comparable),
        command.printed.error,
      );
    });
  }
});

/** A line without what is another at each run. */
function comparable(line: string): string {
  return line.replace(/(127\.0\.0\.1):\d+/, "$1").replace(/(_TOKEN)=.*/, "$1");
}
