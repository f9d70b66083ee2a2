import assert from "node:assert/strict";
import { chmodSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { projectsIn, withOrganization } from "../engine/support/projects";
import { certificates } from "../support/certificates";
import { repository } from "../support/packed-library";
import { cachedPackage, nodeOfMajor, npm, useLayout } from "./support/package";

type Layout = ReturnType<typeof useLayout>;
type Files = Readonly<Record<string, unknown>>;

/** The newest one asks for Node.js 22: this repository, which also runs on 20, has an older one. */
const newestSdk = "3.276.0";

/** The newest versions that this repository knows. */
const { devDependencies: newest } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** A program in TypeScript as it is written for CommonJS. */
const commonjsProgram = `
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const project = new trivium.provisioning.Project("payments", { organization: "acme", name: "payments" });
const args: trivium.provisioning.ListProjectsOutputArgs = { organization: "acme" };
const listed = trivium.provisioning.listProjectsOutput(args, { dependsOn: project });

export const node: string = process.version;
export const id: pulumi.Output<string> = project.id;
export const total: pulumi.Output<number> = listed.statusCounts.apply((counts) => counts?.total ?? 0);
`;

const commonjsProject = (dependencies: Files, compiler: Files, options: Files): Files => ({
  "package.json": {
    name: "program",
    private: true,
    main: "index.ts",
    dependencies,
    devDependencies: { "@types/node": "^20.0.0", ...compiler },
  },
  "tsconfig.json": { compilerOptions: { strict: true, types: ["node"], ...options }, include: ["*.ts"] },
  "Pulumi.yaml": "name: program\nruntime: nodejs\n",
  "index.ts": commonjsProgram,
});

/** A program as an ES module, with all forms of imports, and a component of another package. */
const moduleProgram = `
import * as trivium from "pulumi-trivium";
import { Provider, provisioning, secrets, type ProviderArgs } from "pulumi-trivium";
import { LandingZone } from "landing-zone";

if (trivium.provisioning.Project !== provisioning.Project || secrets.mfa !== trivium.secrets.mfa) {
  throw new Error("The same name means different things.");
}
const args: ProviderArgs = { provisioning: { maxRetries: 2 } };
const provider = new Provider("provisioning", args);
const project = new provisioning.Project("payments", { organization: "acme", name: "payments" }, { provider });
new LandingZone("zone", { dependsOn: project });

export const node: string = process.version;
export const id = project.id;
`;

/** A test of a program, as far as it starts and ends the emulator, and asks it for a QR code. */
const emulatorProgram = `
import * as trivium from "pulumi-trivium";
import { startEmulator, type Emulator, type EmulatorSeed } from "pulumi-trivium/testing";

const seed: EmulatorSeed = { entities: [{ id: "alice" }], totpMethods: [{ id: "method", issuer: "Acme" }] };

startEmulator({ seed }).then(
  async (emulator: Emulator) => {
    console.log(emulator.provisioning.address);
    Object.assign(process.env, emulator.environment);
    const generated = trivium.secrets.mfa.adminGenerateTotpSecret({ methodId: "method", entityId: "alice" });
    console.log(await generated.then(() => "generated", String));
    await emulator.close();
  },
  (error: unknown) => {
    console.log(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
`;

/** A component that is published as a package. */
const componentPackage = (library: string): Files => ({
  "package.json": {
    name: "landing-zone",
    version: "1.0.0",
    main: "index.js",
    types: "index.d.ts",
    dependencies: { "pulumi-trivium": library },
    peerDependencies: { "@pulumi/pulumi": "^3.216.0" },
  },
  "index.js": `
"use strict";
const pulumi = require("@pulumi/pulumi");
const trivium = require("pulumi-trivium");
exports.LandingZone = class LandingZone extends pulumi.ComponentResource {
  constructor(name, options) {
    super("acme:platform:LandingZone", name, {}, options);
    new trivium.provisioning.Project(name, { organization: "acme", name }, { parent: this });
    this.registerOutputs();
  }
};
`,
  "index.d.ts": `
import * as pulumi from "@pulumi/pulumi";
export declare class LandingZone extends pulumi.ComponentResource {
  constructor(name: string, options?: pulumi.ComponentResourceOptions);
}
`,
});

/**
 * The same component as a plugin for programs in all languages. The language host that these tests might have to build
 * cannot run `PulumiPlugin.yaml` yet, so the plugin starts itself as that host would.
 */
const componentPlugin = (library: string): Files => ({
  "package.json": {
    name: "zone-plugin",
    version: "1.0.0",
    main: "index.ts",
    dependencies: { "@pulumi/pulumi": newestSdk, "pulumi-trivium": library },
    devDependencies: { "@types/node": newest["@types/node"], typescript: newest.typescript },
  },
  "PulumiPlugin.yaml": "runtime: nodejs\n",
  "tsconfig.json": {
    compilerOptions: { strict: true, target: "es2022", module: "node16", types: ["node"] },
    files: ["index.ts"],
  },
  "index.ts": `
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

export interface LandingZoneArgs {
  organization: pulumi.Input<string>;
}

export class LandingZone extends pulumi.ComponentResource {
  constructor(name: string, args: LandingZoneArgs, options?: pulumi.ComponentResourceOptions) {
    super("zone-plugin:index:LandingZone", name, args, options);
    new trivium.provisioning.Project(name, { organization: args.organization, name }, { parent: this });
    this.registerOutputs();
  }
}
`,
  "pulumi-resource-zone-plugin": `#!/bin/sh
directory=$(dirname "$0")
exec node "$directory/node_modules/@pulumi/pulumi/cmd/run-plugin" "$directory" "$@"
`,
});

/** A project of ES modules, which the compiler turns into JavaScript before it runs. */
const moduleProject = (name: string, dependencies: Files): Files => ({
  "package.json": {
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
  "tsconfig.json": {
    compilerOptions: { strict: true, target: "es2023", module: "nodenext", types: ["node"], outDir: "bin" },
  },
  "Pulumi.yaml": `name: ${name}\nruntime: nodejs\nmain: bin/index.js\n`,
});

/** A project that uses the component of the plugin, as the SDK that `pulumi package add` writes does. */
const pluginProject = (name: string, dependencies: Files): Files => ({
  "package.json": { name, private: true, dependencies: { "@pulumi/pulumi": newestSdk, ...dependencies } },
  "Pulumi.yaml": JSON.stringify({
    name,
    runtime: "nodejs",
    main: "index.js",
    plugins: { providers: [{ name: "zone-plugin", path: "../zone-plugin" }] },
  }),
  "index.js": `
"use strict";
const pulumi = require("@pulumi/pulumi");
new pulumi.ComponentResource("zone-plugin:index:LandingZone", "zone", { organization: "acme" }, {}, true);
`,
});

const within = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, contents]) => [`${folder}/${name}`, contents]));

/**
 * Makes what a program describes with the real CLI, sees that a second plan is empty, and destroys it.
 *
 * @param expected the names of the projects that the program describes
 * @returns what the CLI printed for the first of these
 */
async function assertLives(
  { directory, emulator }: Layout,
  expected: readonly string[],
  where: NonNullable<Parameters<Layout["directory"]["succeed"]>[1]> = {},
): Promise<string> {
  const names = () => projectsIn(emulator).map(({ name }) => name);
  await directory.succeed(["stack", "init", "test"], where);
  const text = await directory.succeed(["up", "--yes", "--skip-preview"], where);
  assert.deepEqual(names(), expected, text);
  await directory.succeed(["preview", "--expect-no-changes"], where);
  await directory.succeed(["destroy", "--yes", "--skip-preview", "--remove"], where);
  assert.deepEqual(names(), []);
  return text;
}

/** The error of a program that cannot run, before it makes anything. */
async function refusalOf({ directory, emulator }: Layout, folder: string): Promise<string> {
  await directory.succeed(["stack", "init", "test"], { folder });
  const { succeeded, text } = await directory.pulumi(["up", "--yes", "--skip-preview"], { folder });
  assert.equal(succeeded, false, text);
  assert.deepEqual(projectsIn(emulator), []);
  return text.replace(/\s+/g, " ");
}

/** pnpm as this repository has it: each package reaches what it depends on itself, and nothing else. */
function pnpm(): readonly string[] {
  // What the package exports is its own description.
  const program = join(dirname(require.resolve("pnpm")), "bin", "pnpm.cjs");
  return [process.execPath, program, "install", "--prefer-offline", "--ignore-scripts"];
}

/** Yarn keeps packages in their archives and puts a resolution of its own before that of Node.js. */
async function yarn(): Promise<readonly string[]> {
  const program = join(await cachedPackage("@yarnpkg/cli-dist", "4"), "bin", "yarn.js");
  return [process.execPath, program, "install"];
}

async function bun(): Promise<string> {
  const system = `${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`;
  return join(await cachedPackage(`@oven/bun-${system}`, "1"), "bin", "bun");
}

async function deno(): Promise<string> {
  const system = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`;
  return join(await cachedPackage(`@deno/${system}`, "2"), "deno");
}

// The oldest of everything that is supported, and a project as `pulumi new` sets it up.
describe("installed by npm with the oldest SDK, for a program in CommonJS", function () {
  this.timeout("5m");
  const compiler = { typescript: "5.6.3" };
  const options = { target: "es2020", module: "commonjs", moduleResolution: "node", outDir: "bin" };
  const layout = useLayout(
    (library) => ({
      ...commonjsProject({ "@pulumi/pulumi": "3.216.0", "pulumi-trivium": library }, compiler, options),
      "emulator.ts": emulatorProgram,
    }),
    () => npm,
    withOrganization,
  );

  it("the library installed by npm compiles with that SDK, and all its declarations are checked", async () => {
    assert.equal((await layout.directory.run(["node_modules/.bin/tsc"])).text, "");
  });

  it("the library installed by npm creates, keeps and destroys the resources of the program", async () => {
    assert.match(await assertLives(layout, ["payments"]), new RegExp(`node *: "${process.version}"`));
  });

  it("the library installed by npm includes its command, and reports what the emulator needs", async () => {
    const help = await layout.directory.run(["node_modules/.bin/pulumi-trivium", "--help"]);
    assert.match(help.text, /emulator/);
    const { succeeded, text } = await layout.directory.run(["node", "bin/emulator.js"]);
    assert.equal(succeeded, false, text);
    assert.match(text, /find-my-way[^]*npm install/);
  });
});

describe("installed by pnpm with the newest SDK, for programs in ES modules and for a component plugin", function () {
  this.timeout("5m");
  const layout = useLayout(
    (library) => ({
      "package.json": { name: "programs", private: true },
      "pnpm-workspace.yaml": "packages: [direct, transitive, zone-plugin, with, without]\n",
      ...within("landing-zone", componentPackage(library)),
      ...within(
        "direct",
        moduleProject("direct", { "pulumi-trivium": library, "landing-zone": "file:../landing-zone" }),
      ),
      "direct/index.ts": moduleProgram,
      "direct/emulator.ts": emulatorProgram,
      ...within("transitive", moduleProject("transitive", { "landing-zone": "file:../landing-zone" })),
      "transitive/index.ts": 'import { LandingZone } from "landing-zone";\n\nnew LandingZone("zone");\n',
      ...within("zone-plugin", componentPlugin(library)),
      ...within("with", pluginProject("with", { "pulumi-trivium": library })),
      ...within("without", pluginProject("without", {})),
    }),
    pnpm,
    withOrganization,
  );
  before(() => chmodSync(join(layout.directory.path, "zone-plugin", "pulumi-resource-zone-plugin"), 0o755));

  for (const folder of ["direct", "transitive"]) {
    it(`the library installed by pnpm compiles the ${folder} program, and all its declarations are checked`, async () => {
      assert.equal((await layout.directory.run(["node_modules/.bin/tsc"], { folder })).text, "");
    });
  }

  for (const major of [22, 24]) {
    it(`the library installed by pnpm creates, keeps and destroys the resources of a program and its component on Node.js ${major}`, async () => {
      const PATH = [await nodeOfMajor(major), process.env.PATH].join(delimiter);
      const where = { folder: "direct", environment: { PATH } };
      const text = await assertLives(layout, ["payments", "zone"], where);
      assert.match(text, new RegExp(`node *: "v${major}\\.`));
    });
  }

  it("the library installed by pnpm says what to install if only a component depends on it, before it creates anything", async () => {
    assert.match(
      await refusalOf(layout, "transitive"),
      /The engine loads pulumi-trivium from .*transitive.* but cannot find it there.*`pnpm add pulumi-trivium`/,
    );
  });

  it("the library installed by pnpm includes its command and the emulator, which reports what QR codes need", async () => {
    const folder = "direct";
    const help = await layout.directory.run(["node_modules/.bin/pulumi-trivium", "--help"], { folder });
    assert.ok(help.succeeded, help.text);
    const { text } = await layout.directory.run(["node", "bin/emulator.js"], { folder });
    assert.match(
      text,
      /^http:\/\/127\.0\.0\.1:\d+[^]*returned 400: The emulator needs the package "qrcode" to draw QR codes: npm install --save-dev qrcode@1, or set qrSize to 0\.\n$/,
    );
  });

  it("a component plugin creates, keeps and destroys its resources in a project that has the library", () =>
    assertLives(layout, ["zone"], { folder: "with" }));

  it("a component plugin says what to install in a project without the library", async () => {
    assert.match(
      await refusalOf(layout, "without"),
      /The engine loads pulumi-trivium from \S*without but cannot find it there.* the deployed project must depend on it directly\. Run `npm install pulumi-trivium`/,
    );
  });
});

/** A script with functions of all services: no engine is involved. */
const script = `
import * as trivium from "pulumi-trivium";

async function main(): Promise<void> {
  const { projects } = await trivium.provisioning.listProjects({ organization: "acme" });
  console.log(projects.map(({ name }) => name));
  console.log(await trivium.secrets.mfa.listTotpMethods({}));
  const until = { count: 1, timeout: "30s" };
  const events = await trivium.scheduler.readEvents({ topics: ["Deployment"], until });
  console.log(events.map(({ key }) => key));
  await trivium.provisioning.getProject({ id: "prj-none" }).catch((error: unknown) => console.log(String(error)));
}

main().catch((error: unknown) => {
  console.log(error);
  process.exitCode = 1;
});
`;

describe("a script with functions", function () {
  this.timeout("5m");
  const { authority, server } = certificates();
  const layout = useLayout(
    (library) => ({
      "package.json": {
        name: "script",
        private: true,
        dependencies: { "@pulumi/pulumi": "^3.216.0", "pulumi-trivium": library },
      },
      "script.ts": script,
    }),
    () => npm,
    {
      tls: server,
      seed: {
        organizations: [{ name: "acme" }],
        totpMethods: [{ id: "method-acme", issuer: "Acme" }],
        events: [{ topic: "Deployment", type: "DeploymentStatusUpdate", key: "web-1" }],
      },
    },
  );

  for (const [runtime, command] of [
    ["Bun", async () => [await bun(), "run"]],
    ["Deno", async () => [await deno(), "run", "--allow-all", "--node-modules-dir=manual"]],
  ] as const) {
    it(`a script with functions runs with ${runtime}`, async () => {
      const authorities = ["PROVISIONING_CACERT", "SECRETS_CACERT", "SCHEDULER_CACERT"].map(
        (name) => [name, authority.certificate] as const,
      );
      const environment = { ...Object.fromEntries(authorities), NO_COLOR: "1" };
      const { succeeded, text } = await layout.directory.run([...(await command()), "script.ts"], {
        environment,
      });
      assert.ok(succeeded, text);
      for (const shown of [
        '"Default Project"',
        '"method-acme"',
        '"web-1"',
        "The project prj-none does not exist",
      ]) {
        assert.ok(text.includes(shown), text);
      }
    });
  }
});

describe("installed by Yarn without node_modules", function () {
  this.timeout("5m");
  const compiler = { "ts-node": "^10.9.2", typescript: "~6.0.3" };
  const options = { target: "es2022", module: "node16" };
  const layout = useLayout(
    (library) => ({
      ".yarnrc.yml":
        "nodeLinker: pnp\nenableScripts: false\nenableTelemetry: false\nenableImmutableInstalls: false\n",
      "yarn.lock": "",
      ...commonjsProject({ "@pulumi/pulumi": "^3.216.0", "pulumi-trivium": library }, compiler, options),
    }),
    yarn,
    withOrganization,
  );

  // `yarn exec pulumi up` sets the same variable.
  it("the library installed by Yarn creates, keeps and destroys the resources of the program if Yarn's resolution is loaded", async () => {
    const environment = { NODE_OPTIONS: `--require=${join(layout.directory.path, ".pnp.cjs")}` };
    await assertLives(layout, ["payments"], { environment });
  });
});
