import assert from "node:assert/strict";
import { secret, unknownValues } from "../support/values";
import { type Properties, ProviderProcess } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";

/** Where stack configuration says that the provisioning service is. */
const stackAddress = "https://provisioning.example.com";
const noFunction = "The installed pulumi-trivium has no function";

describe("the plugin, called as by the engine", function () {
  this.timeout(60_000);
  const emulator = useEmulator({ resets: false });
  let plugin: ProviderProcess;

  /** As stack configuration names them in the plugin's own namespace. */
  const settings = (): Properties => {
    const { address, token } = emulator.provisioning;
    return { provisioningAddress: address, provisioningToken: token };
  };

  before(async () => {
    const ofStack = { provisioningAddress: stackAddress, provisioningAdress: "of the stack" };
    plugin = await ProviderProcess.startPlugin(settings(), { PULUMI_CONFIG: JSON.stringify(ofStack) });
  });
  after(() => plugin.stop());

  it("the plugin accepts secrets, and supports previews", async () => {
    const { acceptsecrets, supportspreview } = await plugin.configure(settings());
    assert.deepEqual([acceptsecrets, supportspreview], [true, true]);
  });

  for (const token of [
    "trivium:provisioning:moveWorkspaces",
    "trivium:provisioning:getProjectOutput",
    "trivium:provisioning:getNothing",
    // Each call issues a credential: for scripts only.
    "trivium:secrets/directory:getDynamicCredentials",
    "trivium:secrets/scheduler:getCredentials",
    "other:provisioning:getProject",
  ]) {
    it(`the plugin has no function ${token}`, () =>
      assert.rejects(plugin.invoke(token, {}), /has no function/));
  }

  const inLowerCase = "provisioning/notificationConfiguration:NotificationConfiguration";
  for (const [type, meant] of [
    ["secrets:scheduler:Role", "secrets/scheduler:Role"],
    ["scheduler:Token", "secrets/scheduler:Token"],
    ["provisioning:Projects", "provisioning:Project"],
    [inLowerCase, "provisioning:NotificationConfiguration"],
  ] as const) {
    it(`the plugin names the nearest type if there is no ${type}`, () => {
      plugin.about = { urn: `urn:pulumi:t::t::trivium:${type}::it` };
      return assert.rejects(plugin.get("x", {}), {
        message: `The installed pulumi-trivium has no resource type trivium:${type}; did you mean trivium:${meant}? If a newer version wrote the state, upgrade pulumi-trivium in this project.`,
      });
    });
  }

  it("the plugin names the nearest function if there is none with that name", () =>
    assert.rejects(plugin.invoke("trivium:secrets:scheduler:getRole", {}), {
      message: `${noFunction} trivium:secrets:scheduler:getRole; did you mean trivium:secrets/scheduler:getRole?`,
    }));

  it("the plugin names the part of an argument that has changed", async () => {
    const former = { workspaceId: "ws-1", name: "runs", destinationType: "email" };
    const oldInputs = { ...former, triggers: ["run:created", "run:errored"] };
    const urn = "urn:pulumi:test::test::trivium:provisioning:NotificationConfiguration::runs";
    plugin.about = { urn, oldInputs };
    const news = { ...former, triggers: ["run:created", "run:completed"] };
    const { changes, details } = await plugin.diff("nc-1", { ...oldInputs, enabled: false }, news);
    assert.deepEqual([changes, details], ["some", ["triggers[1]"]]);
  });

  const canary = "canary-of-a-setting-11b7";
  const near = "is not a valid setting; did you mean";
  for (const [news, reason] of [
    [{ provisioningTokn: canary }, `provisioningTokn ${near} provisioningToken?`],
    [{ "trivium:secretsTokn": secret(canary) }, `trivium:secretsTokn ${near} secretsToken?`],
    [{ secrets: { token: canary } }, "secrets is not a valid setting."],
    [{ secretsToken: { v: canary } }, "secretsToken must be text, not an object"],
    [{ secretsToken: secret([canary]) }, "secretsToken must be text, not a list"],
  ] as const) {
    it(`the plugin rejects a setting without repeating its value: ${reason}`, async () =>
      assert.deepEqual((await plugin.checkConfig("eu", news)).failures, [{ property: "", reason }]));
  }

  it("the plugin encrypts secret settings, and leaves a misspelled one of the stack to the stack", async () => {
    const address = "https://eu.example.com";
    const open = { provisioningAddress: address, version: "0.1.0", secretsDialect: "hashicorp" };
    const { inputs, failures } = await plugin.checkConfig("eu", {
      ...open,
      provisioningToken: canary,
      secretsHeaders: { a: secret(canary) },
      "trivium:schedulerClientKey": canary,
      secretsToken: secret(canary),
    });
    assert.deepEqual(failures, []);
    assert.deepEqual(inputs, {
      ...open,
      provisioningOwnAddress: "true",
      provisioningToken: secret(canary),
      secretsHeaders: secret({ a: canary }),
      "trivium:schedulerClientKey": secret(canary),
      secretsToken: secret(canary),
    });
    const ofStack = await plugin.checkConfig("default", { provisioningAdress: "of the stack" });
    assert.deepEqual(ofStack.failures, []);
  });

  const own = async (name: string, address?: Properties[string]) => {
    const given: Properties = address === undefined ? {} : { provisioningAddress: address };
    return (await plugin.checkConfig(name, given)).inputs.provisioningOwnAddress;
  };
  const other = "https://eu.example.com";

  for (const name of ["eu", "default_eu", "default_1_2", "defaults", "default_1_2_3", "default"]) {
    it(`a provider named ${name} has its own trust settings, even at the stack's address, unless it has the engine's name for its own`, async () => {
      for (const address of [other, secret(other), unknownValues.string]) {
        assert.equal(await own(name, address), "true");
      }
      const isEngines = /^default(?:_1_2_3)?$/.test(name);
      assert.equal(await own(name, stackAddress), isEngines ? undefined : "true");
    });
  }

  for (const name of ["default", "default_0_1_0", "default_1_2_3_beta_1", "default_https_/example.com"]) {
    it(`the engine's own provider ${name} has the trust settings of the stack`, async () => {
      for (const address of [stackAddress, secret(stackAddress), undefined]) {
        assert.equal(await own(name, address), undefined);
      }
    });
  }
});
