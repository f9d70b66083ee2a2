import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { schemaFile } from "../../scripts/plugin-schema/schema";
import { inClear, secret } from "../support/values";
import { repository } from "../support/packed-library";
import { type Properties, ProviderProcess } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";

/** By name. */
type Named<Value> = Readonly<Record<string, Value>>;

interface YamlProgram {
  readonly resources: Named<{ readonly type: string; readonly properties: Properties }>;
  readonly variables: Named<{ "fn::invoke": { readonly function: string; readonly arguments: Properties } }>;
}

interface Schema {
  readonly resources: Named<{ inputProperties: Properties; requiredInputs: readonly string[] }>;
  readonly functions: Named<{ inputs: { readonly properties: Properties } }>;
}

// The parser that the engine's SDK reads YAML with.
const { load } = createRequire(require.resolve("@pulumi/pulumi"))("js-yaml") as {
  readonly load: (text: string) => unknown;
};
const signingKey = "canary-yaml-key-3d07";

/** The program of docs/other-languages.md, by the calls that a YAML language host and the engine make for it. */
describe("the documentation's program in YAML", function () {
  this.timeout(60_000);
  const emulator = useEmulator({ resets: false });
  const document = readFileSync(join(repository, "docs", "other-languages.md"), "utf8");
  const program = load(/```yaml\n(name: .*?)```/s.exec(document)?.[1] ?? "") as YamlProgram;
  const schema = JSON.parse(readFileSync(schemaFile, "utf8")) as Schema;
  const made = new Map<string, { type: string; id: string; inputs: Properties; outputs: Properties }>();
  const urnOf = (type: string, name: string) => `urn:pulumi:test::platform::${type}::${name}`;
  let plugin: ProviderProcess;
  let workspaceId: string;

  /** What the program says, with the values that it names. */
  const resolved = (properties: Properties): Properties =>
    Object.fromEntries(
      Object.entries(properties).map(([name, value]) => {
        const [, resource] = typeof value === "string" ? (/^\$\{(\w+)\.id\}$/.exec(value) ?? []) : [];
        // The workspace of the example is another one here.
        const known = name === "workspaceId" ? workspaceId : value;
        const given = known === "${signingKey}" ? secret(signingKey) : known;
        return [name, resource === undefined ? given : (made.get(resource)?.id ?? assert.fail(resource))];
      }),
    );

  before(async () => {
    emulator.provisioning.addOrganization({ name: "acme" });
    workspaceId = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
    const { provisioning, secrets } = emulator;
    const ofProvisioning = {
      provisioningAddress: provisioning.address,
      provisioningToken: provisioning.token,
    };
    const ofSecrets = { secretsAddress: secrets.address, secretsToken: secrets.token };
    plugin = await ProviderProcess.startPlugin({ ...ofProvisioning, ...ofSecrets });
  });
  after(() => plugin.stop());

  it("a program in YAML uses what the schema contains", () => {
    for (const { type, properties } of Object.values(program.resources)) {
      const { inputProperties, requiredInputs } = schema.resources[type] ?? assert.fail(type);
      const unknown = Object.keys(properties).filter((name) => !(name in inputProperties));
      const missing = requiredInputs.filter((name) => !(name in properties));
      assert.deepEqual([unknown, missing], [[], []]);
    }
  });

  for (const [name, { type, properties }] of Object.entries(program.resources)) {
    it(`a program in YAML creates ${name}, finds it unchanged, and reads it`, async () => {
      const urn = urnOf(type, name);
      plugin.about = { urn };
      const { inputs, failures } = await plugin.check({}, resolved(properties));
      assert.deepEqual(failures, []);
      const { id, outputs } = await plugin.create(inputs);
      made.set(name, { type, id, inputs, outputs });
      plugin.about = { urn, oldInputs: inputs };
      assert.equal((await plugin.diff(id, outputs, inputs)).changes, "none");
      const read = await plugin.refresh(id, outputs);
      assert.deepEqual([read.id, inClear(read.outputs)], [id, inClear(outputs)]);
    });
  }

  it("a program in YAML keeps values secret that the schema marks so, and calls a function", async () => {
    const { token, url } = made.get("alerts")?.outputs ?? {};
    assert.deepEqual([token, url], [secret(signingKey), secret("https://hooks.example.com/runs")]);
    for (const { "fn::invoke": call } of Object.values(program.variables)) {
      const { inputs } = schema.functions[call.function] ?? assert.fail(call.function);
      const unknown = Object.keys(call.arguments).filter((name) => !(name in inputs.properties));
      assert.deepEqual(unknown, []);
      const { name } = await plugin.invoke(call.function, resolved(call.arguments));
      assert.equal(name, "payments");
    }
  });

  it("a program in YAML is destroyed", async () => {
    for (const [name, { type, id, inputs, outputs }] of made) {
      plugin.about = { urn: urnOf(type, name), oldInputs: inputs };
      await plugin.delete(id, outputs);
    }
    const { provisioning, secrets } = emulator.inspect();
    assert.deepEqual([provisioning.notificationConfigurations, secrets.totpMethods], [[], []]);
    assert.ok(!plugin.takeShown().join("").includes(signingKey));
  });
});
