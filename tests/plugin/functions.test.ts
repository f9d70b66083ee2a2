import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { schemaFile } from "../../scripts/plugin-schema/schema";
import { inClear, secret } from "../support/values";
import * as cases from "../cases/functions";
import { emulatedTokens } from "../cases/support/emulated-services";
import { useEmulator } from "../support/use-emulator";
import { type Properties, ProviderProcess } from "../support/provider-process";

const { canaries, confidentialFunctions, functionCases, newFixtures, otherFunctions } = cases;

type ObjectSpec = { readonly properties: Properties; readonly required?: readonly string[] };

/** Every name is one of a member. */
function assertWithin(names: readonly string[], all: Properties): void {
  names.forEach((name) => assert.ok(name in all, name));
}

describe("the plugin's functions, as the schema names them", function () {
  this.timeout(60_000);
  type FunctionSpec = Readonly<Record<"inputs" | "outputs", ObjectSpec>>;
  const { functions } = JSON.parse(readFileSync(schemaFile, "utf8")) as {
    readonly functions: Readonly<Record<string, FunctionSpec>>;
  };
  const emulator = useEmulator({ resets: false, tokens: emulatedTokens });
  let plugin: ProviderProcess;
  let fixtures: cases.Fixtures;

  before(async () => {
    const usual = await newFixtures(emulator, ["directory"]);
    const { provisioning, secrets } = emulator;
    const secretOnes = { url: "https://hooks.example.com/canary-url-3f1a", token: "canary-signing-key-9c40" };
    const { workspace } = usual;
    const notification = provisioning.addNotificationConfiguration({
      workspace,
      name: "second",
      ...secretOnes,
    });
    fixtures = { ...usual, notification: notification.id };
    plugin = await ProviderProcess.startPlugin({
      provisioningAddress: provisioning.address,
      provisioningToken: secret(provisioning.token),
      secretsAddress: secrets.address,
      secretsToken: secret(secrets.token),
    });
  });
  after(() => plugin.stop());

  for (const [token, { inputs, outputs }] of Object.entries(functions)) {
    it(`the plugin has the function ${token}, and does not show secrets in its result`, async () => {
      const name = token.slice("trivium:".length).replace(/[/:]/g, ".");
      if (otherFunctions.includes(name)) {
        return assert.rejects(plugin.invoke(token, {}), /The documented service has no list of/);
      }
      const { valid } = functionCases[name] ?? assert.fail(`there is no case for ${name}`);
      const given = valid(fixtures) as Properties;
      const response = await plugin.invoke(token, given);
      assertWithin(Object.keys(given), inputs.properties);
      assertWithin(Object.keys(response), outputs.properties);
      assertWithin(outputs.required ?? [], response);
      const isSecret = confidentialFunctions.includes(name);
      for (const value of Object.values(response)) {
        assert.equal(JSON.stringify(inClear({ value })) !== JSON.stringify({ value }), isSecret);
      }
      const shown = plugin.takeShown().join("");
      for (const canary of [...canaries, "canary-url", "canary-signing-key"]) {
        assert.ok(!shown.includes(canary), canary);
      }
    });
  }
});
