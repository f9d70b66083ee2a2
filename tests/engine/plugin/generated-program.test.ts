import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { ensureProgramGenerator } from "../../../scripts/go-tools";
import { version } from "../../../sdk/package.json";
import { casesIn } from "../../cases";
import { allDialects } from "../../cases/support/case";
import { repository, temporaryDirectory } from "../../support/packed-library";
import { useEmulator } from "../../support/use-emulator";
import { productConfigurationFor, organization, withOrganization } from "../support/projects";
import { type SharedStack, useSharedStack } from "../support/shared-stack";
import {
  configurationIn,
  project,
  type Recording,
  recordings,
  stateFile,
} from "../../upgrade/support/recording";

const run = promisify(execFile);
const schemaFile = join(repository, "sdk", "plugin", "schema.json");
const secretUrl = "https://hooks.example.com/canary-secret-path-17";

interface Schema {
  readonly types: Readonly<Record<string, { readonly enum?: readonly { readonly value: string }[] }>>;
}

/** The generator of the CLI's version; its importer writes the program of `pulumi import` and `import -f --out`. */
describe("a program that the Pulumi CLI generates", function () {
  this.timeout(600_000);

  const emulator = useEmulator({ resets: false, dialect: "hashicorp", ...withOrganization });
  const configuration = () => productConfigurationFor(emulator, "provisioning", "secrets");
  const stack = useSharedStack("generated-program", configuration, { adapter: "plugin" });
  const directory = temporaryDirectory("generated-program");
  after(() => rmSync(directory, { recursive: true, force: true }));

  const compile = (text: string): Promise<string> => {
    writeFileSync(join(directory, "index.ts"), text);
    const options = { strict: true, noEmit: true, target: "es2022", module: "node16", skipLibCheck: true };
    writeFileSync(
      join(directory, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, files: ["index.ts"] }),
    );
    const compiler = require.resolve("typescript/bin/tsc");
    return run(process.execPath, [compiler, "--project", directory]).then(
      () => "",
      (error: unknown) => String((error as { readonly stdout?: unknown }).stdout),
    );
  };

  /** What the import of everything in a stack would write. */
  const programFor = async (from: SharedStack): Promise<string> => {
    const exported = JSON.parse(
      await from.command("stack", "export", "--show-secrets", "--stack", "test"),
    ) as { readonly deployment: Readonly<Record<string, unknown>> };
    const { secrets_providers: _, ...deployment } = exported.deployment;
    const exportedFile = join(directory, "state.json");
    writeFileSync(exportedFile, JSON.stringify({ ...exported, deployment }));
    const { stdout } = await run(await ensureProgramGenerator(), [schemaFile, exportedFile]);
    return stdout;
  };

  it("every value of each enumeration in the schema is a value in the package, under the name that the generator uses", () => {
    const { types } = JSON.parse(readFileSync(schemaFile, "utf8")) as Schema;
    const enumerations = Object.entries(types).flatMap(([token, type]) =>
      type.enum === undefined ? [] : [{ path: token.split(/[:/]/).slice(1), values: type.enum }],
    );
    assert.equal(enumerations.length, 11);
    for (const { path, values } of enumerations) {
      const found = path.reduce<unknown>(
        (place, name) => Reflect.get(Object(place) as object, name),
        trivium,
      );
      // As makeSafeEnumName of codegen/nodejs/utilities.go in pkg/v3 3.276.0.
      const names = values.map(({ value }) =>
        (value.charAt(0).toUpperCase() + value.slice(1)).replace(/\W/g, "_").replace(/_+/g, "_"),
      );
      assert.deepEqual(found, Object.fromEntries(names.map((name, at) => [name, values[at]?.value])));
    }
  });

  it("the program of an import compiles, and marks what is secret", async () => {
    const workspaceId = emulator.provisioning.addWorkspace({ organization }).id;
    await stack.up(() => {
      new trivium.provisioning.Project("payments", {
        organization,
        name: "payments",
        defaultExecutionMode: "remote",
      });
      new trivium.provisioning.NotificationConfiguration("runs", {
        workspaceId,
        name: "runs",
        destinationType: "chat-a",
        url: pulumi.secret(secretUrl),
        triggers: ["run:created", "assessment:check_failure"],
      });
      new trivium.secrets.mfa.TotpMethod("totp", { issuer: "acme", algorithm: "SHA512", digits: 8 });
      new trivium.secrets.scheduler.Role("readers", {
        name: "readers",
        type: "client",
        policies: ["readers"],
      });
    });
    const text = await programFor(stack);
    assert.match(text, /destinationType: trivium\.provisioning\.DestinationType\.Chat_a/);
    assert.equal(await compile(text), "");
    // The importer writes secret values in plain text, whatever the schema says: importer/hcl2.go of pkg/v3 3.276.0.
    assert.ok(text.includes(`url: pulumi.secret("${secretUrl}")`), text);
    const page = readFileSync(join(repository, "docs", "import.md"), "utf8");
    assert.match(page, /the generated program contains .* in plain text/s);
  });

  for (const dialect of allDialects) {
    const recorded = useSharedStack(project, () => configurationIn(dialect), { adapter: "plugin" });

    it(`the program of an import of every class compiles (${dialect})`, async () => {
      const file = join(recordings, version, `plugin-${dialect}.json`);
      const recording = JSON.parse(readFileSync(file, "utf8")) as Recording;
      writeFileSync(recorded.statePath, stateFile(recording));
      const text = await programFor(recorded);
      const missing = [...casesIn(dialect).keys()].filter(
        (type) => !text.includes(`new trivium.${type.replace(/[/:]/g, ".")}(`),
      );
      assert.deepEqual(missing, []);
      assert.equal(await compile(text), "");
    });
  }
});
