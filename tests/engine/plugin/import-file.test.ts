import assert from "node:assert/strict";
import { run } from "../../command-line/binary";
import { canaries, makeWorld, type World } from "../import/world";
import { projectPlugins } from "../support/adapter";
import { ProgramDirectory } from "../support/program-directory";

/** Secrets that the command asks for, by configuration key. */
const secrets: Readonly<Record<string, string>> = {
  deploymentsUrl: canaries.url,
  deploymentsToken: canaries.signingKey,
  deployments2Url: canaries.url,
  ldapBindpass: canaries.bindPassword,
  teamsEuLdapBindpass: canaries.bindPassword,
  schedulerToken: canaries.managementToken,
  phoneSecretKey: canaries.secretKey,
  phoneIntegrationKey: canaries.integrationKey,
};

describe("objects of every class, imported with import-file and the plugin", function () {
  this.timeout(240_000);

  let world: World;
  let project: ProgramDirectory;

  before(async function () {
    this.timeout(900_000);
    world = await makeWorld();
    project = await ProgramDirectory.ofTypeScript("plugin-importing", { ...world.emulator.environment });
    const settings = {
      name: "plugin-importing",
      runtime: "nodejs",
      main: "index.ts",
      ...projectPlugins("plugin"),
      config: { "trivium:adapter": "plugin" },
    };
    // JSON is YAML; the setting has a line of its own, as `use-plugin` writes it.
    project.write("Pulumi.yaml", JSON.stringify(settings, null, 2));
    project.write("index.ts", 'import "./imported";\n');
  });
  after(async () => {
    project.remove();
    await world.close();
  });

  it("are written by type, name and id", async () => {
    const command = run(
      ["import-file", "--json", ...world.options],
      world.emulator.environment,
      project.path,
    );
    assert.equal(await command.ended, 0, command.printed.error);
    const { next } = JSON.parse(command.printed.out) as { readonly next: readonly string[] };
    assert.deepEqual(next, ["pulumi import -f imports.json --generate-code=false"]);
    const { resources } = JSON.parse(project.read("imports.json")) as {
      readonly resources: readonly Readonly<Record<string, string>>[];
    };
    assert.equal(resources.length, 20);
    for (const resource of resources) {
      assert.deepEqual(Object.keys(resource), ["type", "name", "id"]);
      assert.match(resource.type ?? "", /^trivium:/);
    }
  });

  it("are read by the plugin, and the program's plan is empty", async () => {
    const given = Object.entries(secrets).flatMap(([key, value]) => ["--secret", `${key}=${value}`]);
    await succeed(["config", "set-all", ...given]);
    const text = await succeed(["import", "-f", "imports.json", "--generate-code=false", "--yes"]);
    assert.match(text, /\b20 imported/);
    await succeed(["preview", "--diff", "--expect-no-changes"]);
    await succeed(["up", "--yes", "--skip-preview", "--expect-no-changes"]);
    await succeed(["refresh", "--yes", "--skip-preview", "--expect-no-changes"]);
    assert.deepEqual([...new Set(world.emulator.journal.requests().map(({ method }) => method))], ["GET"]);
  });

  it("are changed where the program changes, and no secret was ever shown or stored in clear", async () => {
    project.replace("imported.ts", 'name: "payments production"', 'name: "payments"');
    project.replace("imported.ts", "digits: 8,", "");
    world.emulator.journal.clear();
    const text = await succeed(["up", "--yes", "--skip-preview"]);
    assert.match(text, /~ 2 updated/);
    const written = world.emulator.journal.requests().filter(({ method }) => method !== "GET");
    assert.equal(written.length, 2);
    const everything = project.output + (await project.files());
    for (const canary of Object.values(canaries)) {
      assert.ok(!everything.includes(canary), canary);
    }
  });

  async function succeed(command: readonly string[]): Promise<string> {
    const { succeeded, text } = await project.pulumi(command);
    assert.ok(succeeded, `pulumi ${command.join(" ")}: ${text}`);
    return text;
  }
});
