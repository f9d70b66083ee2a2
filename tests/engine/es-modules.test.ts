import assert from "node:assert/strict";
import { delimiter } from "node:path";
import { nodeOfMajor } from "../packaging/support/package";
import { ProgramDirectory } from "./support/program-directory";

describe("a program that is an ES module in TypeScript, with top-level await", function () {
  this.timeout(300_000);

  it("a program of ES modules runs as it is with Node.js 20, 22 and 24", async () => {
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
export const major: string = process.version.split(".")[0] ?? "";
`,
      },
      {},
    );
    try {
      for (const major of [20, 22, 24]) {
        const PATH = [await nodeOfMajor(major), process.env.PATH].join(delimiter);
        const up = ["up", "--yes", "--skip-preview", "--stack", "test"];
        await directory.succeed(up, { environment: { PATH } });
        assert.deepEqual(
          [await directory.outputOf("kind"), await directory.outputOf("major")],
          ["function", `v${major}`],
        );
      }
    } finally {
      directory.remove();
    }
  });
});
