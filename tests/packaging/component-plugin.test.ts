import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../sdk/testing";
import { packedPackage, pnpm } from "./support/package";
import { Layout } from "./support/layout";
import { assertLives, startServices } from "./support/lifecycle";
import { componentPlugin, pluginConsumerProgram } from "./support/programs";

/** A project that uses the component of a plugin. */
function project(name: string, dependencies: Readonly<Record<string, string>>): Record<string, unknown> {
  const plugins = { providers: [{ name: "landing-zone", path: "../landing-zone" }] };
  return {
    [`${name}/package.json`]: {
      name,
      private: true,
      dependencies: { "@pulumi/pulumi": "^3.216.0", ...dependencies },
    },
    [`${name}/Pulumi.yaml`]: JSON.stringify({ name, runtime: "nodejs", main: "index.js", plugins }),
    [`${name}/index.js`]: pluginConsumerProgram,
  };
}

describe("used by a component that is a plugin", function () {
  this.timeout("5m");
  let layout: Layout;
  let emulator: Emulator;

  before(async () => {
    emulator = await startServices();
    const library = `file:${packedPackage().tarball}`;
    layout = new Layout({
      "package.json": { name: "programs", private: true },
      "pnpm-workspace.yaml": "packages: [landing-zone, with, without]\n",
      ...Object.fromEntries(
        Object.entries(componentPlugin(library)).map(([name, contents]) => [
          `landing-zone/${name}`,
          contents,
        ]),
      ),
      ...project("with", { "pulumi-trivium": library }),
      ...project("without", {}),
    });
    chmodSync(join(layout.path, "landing-zone", "pulumi-resource-landing-zone"), 0o755);
    await layout.install(pnpm());
  });
  after(async () => {
    layout.remove();
    await emulator.close();
  });

  it("makes, keeps and destroys what it describes, in a project that has the library", async () => {
    await assertLives(layout, emulator, { folder: "with" }, ["zone"]);
  });

  it("says what to install in a project that has not", async () => {
    const where = { folder: "without", environment: emulator.environment };
    const { succeeded: begun, text: reason } = await layout.pulumi(["stack", "init", "test"], where);
    assert.ok(begun, reason);
    const { succeeded, text } = await layout.pulumi(["up", "--yes", "--skip-preview"], where);
    assert.equal(succeeded, false, text);
    assert.match(
      text.replace(/\s+/g, " "),
      /pulumi-trivium cannot be found from \S*without, where the engine looks .* the deployed project must depend on it itself: run `npm install pulumi-trivium`/,
    );
  });
});
