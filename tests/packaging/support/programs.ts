/** Files as they are in a folder. */
export function within(
  folder: string,
  files: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(files).map(([name, contents]) => [`${folder}/${name}`, contents]));
}

/** A program in TypeScript as it is written for CommonJS. */
export const commonjsProgram = `
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const project = new trivium.provisioning.Project("payments", { organization: "acme", name: "payments" });
const args: trivium.provisioning.ListProjectsOutputArgs = { organization: "acme" };
const listed = trivium.provisioning.listProjectsOutput(args, { dependsOn: project });

export const node: string = process.version;
export const id: pulumi.Output<string> = project.id;
export const total: pulumi.Output<number> = listed.statusCounts.apply((counts) => counts?.total ?? 0);
`;

/** A program as an ES module, with all forms of imports, and a component of another package. */
export const moduleProgram = `
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

/** A program that uses the library only through a component of another package. */
export const componentProgram = `
import { LandingZone } from "landing-zone";

new LandingZone("zone");
`;

/** The files of that other package, as it is published. */
export function componentPackage(library: string): Readonly<Record<string, unknown>> {
  return {
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
  };
}

/** A program that uses that component from a plugin, as the SDK that `pulumi package add` writes does. */
export const pluginConsumerProgram = `
"use strict";
const pulumi = require("@pulumi/pulumi");
new pulumi.ComponentResource("landing-zone:index:LandingZone", "zone", { organization: "acme" }, {}, true);
`;

/**
 * The files of a component as a plugin for programs in all languages. The language host that these tests may have to
 * build cannot run `PulumiPlugin.yaml` yet, so the plugin starts itself as that host would.
 */
export function componentPlugin(library: string): Readonly<Record<string, unknown>> {
  return {
    "package.json": {
      name: "landing-zone",
      version: "1.0.0",
      main: "index.ts",
      dependencies: { "@pulumi/pulumi": "^3.216.0", "pulumi-trivium": library },
      devDependencies: { "@types/node": "^20.0.0", typescript: "~6.0.3" },
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
    super("landing-zone:index:LandingZone", name, args, options);
    new trivium.provisioning.Project(name, { organization: args.organization, name }, { parent: this });
    this.registerOutputs();
  }
}
`,
    "pulumi-resource-landing-zone": `#!/bin/sh
directory=$(dirname "$0")
exec node "$directory/node_modules/@pulumi/pulumi/cmd/run-plugin" "$directory" "$@"
`,
  };
}

/** A test of a program, as far as it starts and ends the emulator, and asks it for a QR code. */
export const emulatorProgram = `
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
