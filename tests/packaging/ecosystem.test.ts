import assert from "node:assert/strict";
import { npm } from "./support/clients";
import { Layout } from "./support/layout";
import { packedPackage } from "./support/package";
import { besideOthers, everyClass } from "./support/typed-programs";

const versions = ["5.6.3", "5.9.3", "6.0.3"];

// The strictest settings under which people compile, and the packages that programs feed with these outputs.
describe("the types of the package beside those of other packages", function () {
  this.timeout("10m");
  let layout: Layout;

  before(async () => {
    const compilers = versions.map((version): [string, string] => [
      `typescript-${version}`,
      `npm:typescript@${version}`,
    ]);
    layout = new Layout({
      "package.json": {
        name: "program",
        private: true,
        dependencies: {
          "@pulumi/pulumi": "3.216.0",
          "@pulumi/random": "4.21.2",
          "@pulumi/vault": "7.8.0",
          "pulumi-trivium": `file:${packedPackage().tarball}`,
        },
        devDependencies: { "@types/node": "^20.0.0", ...Object.fromEntries(compilers) },
      },
      "tsconfig.json": {
        compilerOptions: {
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          target: "es2022",
          module: "nodenext",
          moduleResolution: "nodenext",
          types: ["node"],
          noEmit: true,
        },
        files: ["every-class.ts", "beside-others.ts"],
      },
      "every-class.ts": everyClass,
      "beside-others.ts": besideOthers,
    });
    await layout.install(npm);
  });
  after(() => layout.remove());

  for (const version of versions) {
    it(`compile with TypeScript ${version}`, async () => {
      const { text } = await layout.run([
        "node",
        `node_modules/typescript-${version}/bin/tsc`,
        "--skipLibCheck",
        String(version !== versions.at(-1)),
      ]);
      assert.equal(text, "");
    });
  }
});
