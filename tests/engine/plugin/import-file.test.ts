import assert from "node:assert/strict";
import { run } from "../../command-line/binary";
import { canaries, makeWorld, type World } from "./world";
import { projectPlugins } from "../support/adapter";
import { ProgramDirectory } from "../support/program-directory";

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
    project.write("index.ts", "");
  });
  after(async () => {
    project.remove();
    await world.close();
  });

  it("are listed in a file", async () => {
    const command = run(
      ["import-file", "--json", ...world.options],
      world.emulator.environment,
      project.path,
    );
    assert.equal(await command.ended, 0, command.printed.error);
    const { next } = JSON.parse(command.printed.out) as { readonly next: readonly string[] };
    assert.deepEqual(next, ["pulumi import -f imports.json --out imported.ts"]);
  });

  it("are read by the plugin, and no secret was ever shown or stored in clear", async () => {
    const text = await succeed(["import", "-f", "imports.json", "--generate-code=false", "--yes"]);
    assert.match(text, /\b20 imported/);
    await succeed(["refresh", "--yes", "--skip-preview", "--expect-no-changes"]);
    assert.deepEqual([...new Set(world.emulator.journal.requests().map(({ method }) => method))], ["GET"]);
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
