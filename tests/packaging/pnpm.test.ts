import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../support/packed-library";
import { assertLives, projectNames, refusalOf, useLayout } from "./support/lifecycle";
import { nodeOfMajor, pnpm } from "./support/package";
import {
  componentPackage,
  componentProgram,
  emulatorProgram,
  moduleProgram,
  within,
} from "./support/programs";

/** The newest one asks for Node.js 22: this repository, which also runs on 20, has an older one. */
const newestSdk = "3.276.0";

/** The newest compiler that this repository knows. */
const { devDependencies: newest } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** The description of a project of ES modules, which the compiler turns into JavaScript before it runs. */
function project(name: string, dependencies: Readonly<Record<string, string>>): Record<string, unknown> {
  return {
    [`${name}/package.json`]: {
      name,
      private: true,
      type: "module",
      dependencies: { "@pulumi/pulumi": newestSdk, ...dependencies },
      devDependencies: {
        "@types/node": newest["@types/node"],
        "find-my-way": newest["find-my-way"],
        typescript: newest.typescript,
      },
    },
    [`${name}/tsconfig.json`]: {
      compilerOptions: { strict: true, target: "es2023", module: "nodenext", types: ["node"], outDir: "bin" },
    },
    [`${name}/Pulumi.yaml`]: `name: ${name}\nruntime: nodejs\nmain: bin/index.js\n`,
  };
}

describe("installed by pnpm beside the newest SDK, for programs of ES modules", function () {
  this.timeout("5m");
  const installed = useLayout(
    (library) => ({
      "package.json": { name: "programs", private: true },
      "pnpm-workspace.yaml": "packages: [direct, transitive]\n",
      ...within("landing-zone", componentPackage(library)),
      ...project("direct", { "pulumi-trivium": library, "landing-zone": "file:../landing-zone" }),
      "direct/index.ts": moduleProgram,
      "direct/emulator.ts": emulatorProgram,
      ...project("transitive", { "landing-zone": "file:../landing-zone" }),
      "transitive/index.ts": componentProgram,
    }),
    pnpm,
  );
  afterEach(() => assert.deepEqual(projectNames(installed().emulator), []));

  for (const folder of ["direct", "transitive"]) {
    it(`the library installed by pnpm compiles the ${folder} program, every declaration of the library checked`, async () => {
      assert.equal((await installed().layout.run(["tsc"], { folder })).text, "");
    });
  }

  for (const major of [22, 24]) {
    it(`the library installed by pnpm makes, keeps and destroys on Node.js ${major} what a program and a component in it describe`, async () => {
      const node = await nodeOfMajor(major);
      const text = await assertLives(installed(), { folder: "direct", node }, ["payments", "zone"]);
      assert.match(text, new RegExp(`node *: "v${major}\\.`));
    });
  }

  it("the library installed by pnpm says what to install when only a component depends on it, before it makes anything", async () => {
    assert.match(
      await refusalOf(installed(), "transitive"),
      /pulumi-trivium cannot be found from .*transitive.* where the engine looks .*`pnpm add pulumi-trivium`/,
    );
  });

  it("the library installed by pnpm brings its command, and the emulator, which says what QR codes need", async () => {
    const folder = "direct";
    assert.equal(installed().layout.versionOf("@pulumi/pulumi", folder), newestSdk);
    const help = await installed().layout.run(["pulumi-trivium", "--help"], { folder });
    assert.ok(help.succeeded, help.text);
    const { succeeded, text } = await installed().layout.run(["node", "bin/emulator.js"], { folder });
    assert.ok(succeeded, text);
    assert.match(
      text,
      /^http:\/\/127\.0\.0\.1:\d+[^]*returned 400: The emulator needs the package "qrcode" to draw QR codes: npm install --save-dev qrcode@1, or set qrSize to 0\.\n$/,
    );
  });
});
