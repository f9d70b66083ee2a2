import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { assertLives, refusalOf, useLayout } from "./support/lifecycle";
import { pnpm } from "./support/package";
import { componentPlugin, pluginConsumerProgram, within } from "./support/programs";

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
  const installed = useLayout(
    (library) => ({
      "package.json": { name: "programs", private: true },
      "pnpm-workspace.yaml": "packages: [landing-zone, with, without]\n",
      ...within("landing-zone", componentPlugin(library)),
      ...project("with", { "pulumi-trivium": library }),
      ...project("without", {}),
    }),
    pnpm,
  );
  before(() =>
    chmodSync(join(installed().layout.path, "landing-zone", "pulumi-resource-landing-zone"), 0o755),
  );

  it("a component that is a plugin makes, keeps and destroys what it describes, in a project that has the library", () =>
    assertLives(installed(), { folder: "with" }, ["zone"]));

  it("a component that is a plugin says what to install in a project that has not", async () => {
    assert.match(
      await refusalOf(installed(), "without"),
      /pulumi-trivium cannot be found from \S*without, where the engine looks .* the deployed project must depend on it itself: run `npm install pulumi-trivium`/,
    );
  });
});
