import assert from "node:assert/strict";
import { ProgramDirectory } from "./support/program-directory";

describe("a program that is an ES module in TypeScript, with top-level await", function () {
  this.timeout(120_000);

  it("runs as it is", async () => {
    const directory = await ProgramDirectory.ofFiles(
      "es-module",
      {
        "Pulumi.yaml": "name: es-module\nruntime: nodejs\n",
        "package.json": JSON.stringify({ private: true, type: "module", main: "index.ts" }),
        "tsconfig.json": JSON.stringify({
          compilerOptions: { module: "node16", target: "es2022", strict: true },
        }),
        "index.ts": `import * as trivium from "pulumi-trivium";
export const kind: string = await Promise.resolve(typeof trivium.provisioning.Project);
`,
      },
      {},
    );
    try {
      await directory.succeed(["up", "--yes", "--skip-preview", "--stack", "test"]);
      assert.equal(await directory.outputOf("kind"), "function");
    } finally {
      directory.remove();
    }
  });
});
