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
  const organization = "acme";
  const workspace = "ws-4jYzgpqCuGAG3mCt";
  const emulator = useEmulator({
    resets: false,
    seed: {
      organizations: [{ name: organization }],
      projects: [{ organization, name: "payments" }],
      workspaces: [{ id: workspace, organization }],
    },
  });
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
    const url = "https://hooks.example.com/runs";
    emulator.provisioning.addNotificationConfiguration({ workspace, name: "runs", url });
    const worker = { Node: { Name: "worker-1", Status: "ready" } };
    emulator.events.emit({ topic: "Node", type: "NodeRegistration", key: "n1", payload: worker });
    emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "web" });
    const payload = { Deployment: { JobID: "web", Status: "successful" } };
    const deployment = { topic: "Deployment", type: "DeploymentStatusUpdate", key: "d1", payload };
    emulator.events.emit({ ...deployment, filterKeys: ["web"] });
  });

  afterEach(stopCommands);
  after(() => rmSync(directory, { recursive: true, force: true }));

  // That of `policy` needs a stack: tests/engine/policy.test.ts.
  for (const { name } of commands.filter((each) => each.name !== "policy")) {
    it(`the samples on the command line's page are what ${name} prints`, async () => {
      const { command: written, output } = sampleOf(name);
      const [, , , ...words] = written.split(" ");
      const files = name === "import-file" ? ["--out", join(directory, "imports.json")] : [];
      const command = run([name, ...words, ...files], environment, directory);
      const expected = output.split("\n");
      const lines = await command.lines(expected.length);
      const found = lines.map((line) => comparable(line.replaceAll(`${directory}/`, "")));
      assert.deepEqual(found, expected.map(comparable), command.printed.error);
    });
  }
});

/** A line without what is another at each run. */
function comparable(line: string): string {
  return line.replace(/(127\.0\.0\.1):\d+/, "$1").replace(/(_TOKEN)=.*/, "$1");
}
