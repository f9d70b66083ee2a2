import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensurePython } from "../../../scripts/python";
import { installPackage } from "../../support/machine";
import { repository, temporaryDirectory } from "../../support/packed-library";
import { stepByStep } from "../../support/step-by-step";
import { textsIn } from "../../support/texts";
import { useEmulator } from "../../support/use-emulator";
import { projectPlugins } from "../support/adapter";
import { configSet, ProgramDirectory } from "../support/program-directory";
import { projectsIn, withOrganization } from "../support/projects";

/** Debian's Python, for which its packages are. */
const python = "/usr/bin/python3";
const packages = ["grpcio", "protobuf", "dill", "semver", "yaml", "packaging", "pip"];
const imports = "import grpc, google.protobuf, dill, semver, yaml, packaging, pip";
/** What of them is still missing. */
const support = join(__dirname, "..", "support", "python");

const canaries = {
  url: "https://hooks.example.com/canary-python-url-5d",
  key: "canary-python-key-99ad",
};

const programOf = (name: string, trigger: string): string => `
import os
import pulumi
import pulumi_trivium as trivium

config = pulumi.Config()
project = trivium.provisioning.Project("payments", organization="acme", name="${name}")
trivium.provisioning.NotificationConfiguration(
    "alerts",
    workspace_id=config.require("workspace"),
    name="alerts",
    destination_type=trivium.provisioning.DestinationType.GENERIC,
    # No secret in the program: the schema says that it is one.
    url=os.environ["HOOK"],
    token=config.require_secret("key"),
    triggers=["${trigger}", trivium.provisioning.NotificationTrigger.RUN_COMPLETED],
)
trivium.secrets.mfa.TotpMethod("codes", issuer="Acme", period="1m", digits=8)
# A provider of its own says where the service is.
other = trivium.Provider(
    "other",
    provisioning_address=config.require("address"),
    provisioning_token=config.require_secret("token"),
)
billing = trivium.provisioning.Project(
    "billing", organization="acme", name="billing", opts=pulumi.ResourceOptions(provider=other)
)
found = trivium.provisioning.get_project_output(id=project.id)
pulumi.export("found", found.name)
pulumi.export("billing", billing.id)
`;

describe("a program in Python with the plugin and an SDK generated from the schema", function () {
  this.timeout(300_000);
  stepByStep();

  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    it.skip("the program in Python is left out: only root on Debian can install Python's packages");
    return;
  }

  const emulator = useEmulator({ resets: false, ...withOrganization });
  let project: ProgramDirectory;
  const sdk = temporaryDirectory("python-sdk");

  before(async function () {
    this.timeout(900_000);
    try {
      execFileSync(python, ["-c", imports], { stdio: "ignore" });
    } catch {
      installPackage(...packages.map((name) => `python3-${name}`));
    }
    const { generator, library, programs } = await ensurePython();
    execFileSync(generator, [join(repository, "sdk", "plugin", "schema.json"), "python", sdk]);
    // The SDK is to look like an installed package.
    const information = join(sdk, "pulumi_trivium-1.0.0.dist-info");
    mkdirSync(information);
    const metadata = "Metadata-Version: 2.1\nName: pulumi_trivium\nVersion: 1.0.0\n";
    writeFileSync(join(information, "METADATA"), metadata);
    const settings = { name: "python", runtime: "python", ...projectPlugins("plugin") };
    const program = programOf("payments", "run:errored");
    project = await ProgramDirectory.ofFiles(
      "python",
      { "Pulumi.yaml": JSON.stringify(settings), "__main__.py": program },
      {
        ...emulator.environment,
        PATH: `${programs}:${process.env.PATH ?? ""}`,
        PULUMI_PYTHON_CMD: python,
        PYTHONPATH: [support, library, sdk].join(":"),
        PYTHONDONTWRITEBYTECODE: "1",
        HOOK: canaries.url,
      },
    );
    const { address, token } = emulator.provisioning;
    const workspace = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
    await project.succeed(configSet({ workspace, address }, { token, key: canaries.key }));
  });
  after(() => {
    project.remove();
    rmSync(sdk, { recursive: true });
  });

  it("the program in Python creates resources; then preview and refresh show no change", async () => {
    await project.succeed(["up", "--yes", "--skip-preview"]);
    const names = projectsIn(emulator).map(({ name }) => name);
    assert.deepEqual(names.sort(), ["billing", "payments"]);
    assert.equal(await project.outputOf("found"), "payments");
    assert.match(await project.outputOf("billing"), /^prj-/);
    await project.succeed(["preview", "--diff", "--expect-no-changes"]);
    await project.succeed(["refresh", "--yes", "--skip-preview", "--expect-no-changes"]);
  });

  it("an update of the program in Python makes the program's changes, and no others", async () => {
    project.write("__main__.py", programOf("invoices", "run:planning"));
    emulator.journal.clear();
    assert.match(await project.succeed(["up", "--yes", "--skip-preview", "--diff"]), /triggers/);
    const writes = emulator.journal.requests().filter(({ method }) => method !== "GET");
    assert.deepEqual(
      writes.map(({ method }) => method),
      ["PATCH", "PATCH"],
    );
  });

  it("the program in Python is destroyed; no secret was ever shown or stored in plain text", async () => {
    await project.succeed(["destroy", "--yes", "--skip-preview"]);
    assert.deepEqual(projectsIn(emulator), []);
    const everything = project.output + (await textsIn(project.path));
    for (const canary of [canaries.url, canaries.key, emulator.provisioning.token]) {
      assert.ok(!everything.includes(canary), canary);
    }
  });
});
