import assert from "node:assert/strict";
import { assertLives, useLayout } from "./support/lifecycle";
import { npm } from "./support/package";
import { commonjsProgram, emulatorProgram } from "./support/programs";

// The oldest of everything that is supported, and a project as `pulumi new` sets it up.
describe("installed by npm beside the oldest SDK, for a program in CommonJS", function () {
  this.timeout("5m");
  const installed = useLayout(
    (library) => ({
      "package.json": {
        name: "program",
        private: true,
        main: "index.ts",
        dependencies: { "@pulumi/pulumi": "3.216.0", "pulumi-trivium": library },
        devDependencies: { "@types/node": "^20.0.0", typescript: "5.6.3" },
      },
      "tsconfig.json": {
        compilerOptions: {
          strict: true,
          target: "es2020",
          module: "commonjs",
          moduleResolution: "node",
          types: ["node"],
          outDir: "bin",
        },
        files: ["index.ts", "emulator.ts"],
      },
      "Pulumi.yaml": "name: program\nruntime: nodejs\n",
      "index.ts": commonjsProgram,
      "emulator.ts": emulatorProgram,
    }),
    () => npm,
  );

  it("the library installed by npm compiles beside that SDK, every declaration of the library checked", async () => {
    assert.equal(installed().layout.versionOf("@pulumi/pulumi"), "3.216.0");
    assert.equal((await installed().layout.run(["tsc"])).text, "");
  });

  it("the library installed by npm makes, keeps and destroys what the program describes", async () => {
    const text = await assertLives(installed(), {}, ["payments"]);
    assert.match(text, new RegExp(`node *: "${process.version}"`));
  });

  it("the library installed by npm brings its command, and says what the emulator needs that is not installed", async () => {
    const help = await installed().layout.run(["pulumi-trivium", "--help"]);
    assert.ok(help.succeeded, help.text);
    assert.match(help.text, /emulator/);
    const { succeeded, text } = await installed().layout.run(["node", "bin/emulator.js"]);
    assert.equal(succeeded, false, text);
    assert.match(text, /find-my-way[^]*npm install/);
  });
});
