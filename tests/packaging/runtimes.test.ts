import assert from "node:assert/strict";
import { join } from "node:path";
import { certificates } from "../support/certificates";
import { assertLives, useLayout } from "./support/lifecycle";
import { bun, deno, npm, yarn } from "./support/package";
import { commonjsProgram } from "./support/programs";

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
  const installed = useLayout(
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
      const { layout, emulator } = installed();
      const { certificate } = authority;
      const { succeeded, text } = await layout.run([...(await command()), "script.ts"], {
        environment: {
          ...emulator.environment,
          PROVISIONING_CACERT: certificate,
          SECRETS_CACERT: certificate,
          SCHEDULER_CACERT: certificate,
          NO_COLOR: "1",
        },
      });
      assert.ok(succeeded, text);
      for (const words of [
        '"Default Project"',
        '"method-acme"',
        '"web-1"',
        "The project prj-none does not exist",
      ]) {
        assert.ok(text.includes(words), text);
      }
    });
  }
});

describe("installed by Yarn without node_modules", function () {
  this.timeout("5m");
  const installed = useLayout(
    (library) => ({
      ".yarnrc.yml":
        "nodeLinker: pnp\nenableScripts: false\nenableTelemetry: false\nenableImmutableInstalls: false\n",
      "yarn.lock": "",
      "package.json": {
        name: "program",
        private: true,
        main: "index.ts",
        dependencies: { "@pulumi/pulumi": "^3.216.0", "pulumi-trivium": library },
        devDependencies: { "@types/node": "^20.0.0", "ts-node": "^10.9.2", typescript: "~6.0.3" },
      },
      "tsconfig.json": {
        compilerOptions: { strict: true, target: "es2022", module: "node16", types: ["node"] },
        files: ["index.ts"],
      },
      "Pulumi.yaml": "name: program\nruntime: nodejs\n",
      "index.ts": commonjsProgram,
    }),
    yarn,
  );

  // `yarn exec pulumi up` sets the same variable.
  it("the library installed by Yarn makes, keeps and destroys what the program describes, where Yarn's resolution is loaded", async () => {
    const environment = { NODE_OPTIONS: `--require=${join(installed().layout.path, ".pnp.cjs")}` };
    await assertLives(installed(), { environment }, ["payments"]);
  });
});
