import assert from "node:assert/strict";
import { delimiter } from "node:path";
import { nodeOfMajor } from "../packaging/support/package";
import { ProgramDirectory } from "./support/program-directory";

const program = `import * as trivium from "pulumi-trivium";
export const kind: string = await Promise.resolve(typeof trivium.provisioning.Project);
export const major: string = process.version.split(".")[0] ?? "";
`;
const files = {
  "Pulumi.yaml": "name: es-module\nruntime: nodejs\n",
  "package.json": { private: true, type: "module", main: "index.ts" },
  "tsconfig.json": { compilerOptions: { module: "node16", target: "es2022", strict: true } },
  "index.ts": program,
};

describe("a program that is an ES module in TypeScript, with top-level await", function () {
  this.timeout(300_000);

  let directory: ProgramDirectory;
  before(async () => (directory = await ProgramDirectory.ofFiles("es-module", files, {})));
  after(() => directory.remove());

  for (const major of [20, 22, 24]) {
    it(`a program in ES modules runs unchanged with Node.js ${major}`, async () => {
      const PATH = [await nodeOfMajor(major), process.env.PATH].join(delimiter);
      await directory.succeed(["up", "--yes", "--skip-preview"], { environment: { PATH } });
      const outputs = [await directory.outputOf("kind"), await directory.outputOf("major")];
      assert.deepEqual(outputs, ["function", `v${major}`]);
    });
  }
});
