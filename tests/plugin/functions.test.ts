import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { schemaFile } from "../../scripts/plugin-schema/schema";
import { inClear, secret } from "../support/values";
import { canaries, makeWorld, type World } from "../engine/plugin/world";
import { type Properties, ProviderProcess } from "../support/provider-process";

interface ObjectSpec {
  readonly properties: Properties;
  readonly required?: readonly string[];
}

/** Functions whose answers are secrets as a whole. */
const confidential = [
  "provisioning:getNotificationConfiguration",
  "provisioning:listNotificationConfigurations",
  "secrets/directory:getStaticCredentials",
  "secrets/mfa:getPushMethod",
];

describe("the plugin's functions, as the schema names them", function () {
  this.timeout(60_000);
  const { functions } = JSON.parse(readFileSync(schemaFile, "utf8")) as {
    readonly functions: Readonly<
      Record<string, { readonly inputs: ObjectSpec; readonly outputs: ObjectSpec }>
    >;
  };
  let world: World;
  let plugin: ProviderProcess;
  let args: Readonly<Record<string, Properties>>;

  before(async () => {
    world = await makeWorld();
    const { provisioning, secrets } = world.emulator;
    plugin = await ProviderProcess.startPlugin({
      provisioningAddress: provisioning.address,
      provisioningToken: secret(provisioning.token),
      secretsAddress: secrets.address,
      secretsToken: secret(secrets.token),
    });
    const found = world.emulator.inspect();
    const [first] = found.provisioning.notificationConfigurations;
    const acme = { organization: "acme" };
    const role = { roleName: "payments" };
    const set = { name: "night-shift" };
    args = {
      getAdminOrganization: { name: "acme" },
      getNotificationConfiguration: { id: first?.id ?? "" },
      getProject: { ...acme, name: "payments production" },
      listModuleConsumers: acme,
      listNotificationConfigurations: { workspaceId: world.workspaceId },
      listProjects: acme,
      listProviderConsumers: acme,
      getDynamicRole: { roleName: "operators" },
      getLibrarySet: set,
      getLibraryStatus: set,
      getStaticCredentials: role,
      getStaticRole: role,
      getEntityAlias: { id: found.secrets.entityAliases[0]?.id ?? "" },
      getPushMethod: { name: "phone" },
      getTotpMethod: { id: found.secrets.totpMethods[0]?.id ?? "" },
      getRole: { name: "deploy" },
    };
  });
  after(async () => {
    await plugin.stop();
    await world.close();
  });

  for (const [token, { inputs, outputs }] of Object.entries(functions)) {
    it(token, async () => {
      const name = token.slice(token.lastIndexOf(":") + 1);
      const given = args[name] ?? {};
      assert.deepEqual(
        Object.keys(given).filter((each) => !(each in inputs.properties)),
        [],
      );
      const response = await plugin.invoke(token, given);
      const required = outputs.required ?? [];
      assert.deepEqual(
        required.filter((each) => !(each in response)),
        [],
      );
      assert.deepEqual(
        Object.keys(response).filter((each) => !(each in outputs.properties)),
        [],
      );
      const isSecret = confidential.some((each) => token === `trivium:${each}`);
      for (const value of Object.values(response)) {
        assert.equal(JSON.stringify(inClear({ value })) !== JSON.stringify({ value }), isSecret);
      }
      const shown = plugin.takeShown().join("");
      for (const canary of Object.values(canaries)) {
        assert.ok(!shown.includes(canary), canary);
      }
    });
  }
});
