import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { schemaFile } from "../../scripts/plugin-schema/schema";
import { inClear, secret } from "../support/values";
import {
  canaries,
  confidentialFunctions,
  functionCases,
  newFixtures,
  otherFunctions,
  type Fixtures,
} from "../cases/functions";
import { emulatedTokens } from "../cases/support/emulated-services";
import { useEmulator } from "../support/use-emulator";
import { type Properties, ProviderProcess } from "../support/provider-process";

interface ObjectSpec {
  readonly properties: Properties;
  readonly required?: readonly string[];
}

describe("the plugin's functions, as the schema names them", function () {
  this.timeout(60_000);
  const { functions } = JSON.parse(readFileSync(schemaFile, "utf8")) as {
    readonly functions: Readonly<
      Record<string, { readonly inputs: ObjectSpec; readonly outputs: ObjectSpec }>
    >;
  };
  const emulator = useEmulator({ resets: false, tokens: emulatedTokens });
  let plugin: ProviderProcess;
  let fixtures: Fixtures;

  before(async () => {
    const usual = await newFixtures(emulator, ["directory"]);
    const { provisioning, secrets } = emulator;
    const notification = provisioning.addNotificationConfiguration({
      workspace: usual.workspace,
      name: "second",
      url: "https://hooks.example.com/canary-url-3f1a",
      token: "canary-signing-key-9c40",
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
    it(`the plugin has the function ${token}`, async () => {
      const name = token.slice("trivium:".length).replace(/[/:]/g, ".");
      if (otherFunctions.includes(name)) {
        const failed = plugin.invoke(token, {});
        await assert.rejects(failed, /The documented service has no list of/);
        return;
      }
      const { valid } = functionCases[name] ?? assert.fail(`there is no case for ${name}`);
      const given = valid(fixtures) as Properties;
      const found = Object.keys(given).filter((each) => !(each in inputs.properties));
      assert.deepEqual(found, []);
      const response = await plugin.invoke(token, given);
      const required = outputs.required ?? [];
      const actual = required.filter((each) => !(each in response));
      assert.deepEqual(actual, []);
      assert.deepEqual(
        Object.keys(response).filter((each) => !(each in outputs.properties)),
        [],
      );
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
