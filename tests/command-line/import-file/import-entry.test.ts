import assert from "node:assert/strict";
import { Services } from "../../../sdk/command-line/import-file/find";
import { type ImportedObject, ResourceNaming } from "../../../sdk/command-line/import-file/import-entry";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import type { JsonObject } from "../../../sdk/base/json";
import { adminOrganizationDefinition } from "../../../sdk/provisioning/admin-organization";
import { notificationConfigurationDefinition } from "../../../sdk/provisioning/notification-configuration";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { canaries, makeWorld, type World } from "../../engine/import/world";
import { rememberEnvironment } from "../../connection/environment";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";

describe("the state of an imported object", () => {
  let world: World;
  let services: Services;
  const restore = rememberEnvironment();
  before(async () => {
    world = await makeWorld();
    Object.assign(process.env, world.emulator.environment);
    services = new Services({
      signal: new AbortController().signal,
      progress: () => undefined,
      announce: () => undefined,
    });
  });
  after(async () => {
    restore();
    await world.close();
  });

  const imported = async (definition: AnyResourceDefinition, id: string): Promise<ImportedObject> => {
    const found = await services.read({ definition, id, known: {}, option: "--resource", named: true });
    assert.ok(found !== undefined && "values" in found);
    const object = new ResourceNaming().resourceOf(found);
    assert.ok("entry" in object);
    return object;
  };

  /** The object as the engine has it after the import, with this configuration of the stack. */
  const managed = (
    { definition, entry }: ImportedObject,
    configuration: Readonly<Record<string, string>> = {},
  ) => {
    const resource = new Managed(definition, world.emulator, configuration);
    resource.id = entry.id;
    resource.inputs = withoutProvider(entry.inputs);
    resource.outputs = withoutProvider(entry.outputs);
    return resource;
  };
  const notificationId = (): string =>
    world.emulator.inspect().provisioning.notificationConfigurations[0]?.id ?? "";
  const writes = (): { readonly method: string; readonly body: unknown }[] =>
    world.emulator.journal.requests().filter(({ method }) => method !== "GET");

  it("is complete without a refresh where there are no secrets", async () => {
    const object = await imported(adminOrganizationDefinition, "acme");
    const resource = managed(object);
    world.emulator.journal.clear();
    assert.equal(await resource.up({ ...object.plain }), "same");
    assert.equal(world.emulator.journal.count(), 0);
  });

  it("can be restored: what deletion brings back is remembered", async () => {
    const object = await imported(adminOrganizationDefinition, "acme");
    const resource = managed(object);
    await resource.up({ ...object.plain, workspaceLimit: 7, onDestroy: "restore" });
    await resource.destroy();
    const { workspaceLimit } = (await imported(adminOrganizationDefinition, "acme")).plain;
    assert.equal(workspaceLimit, 200);
  });

  it("has its secrets after a refresh: those of the service, and else those of the configuration", async () => {
    const object = await imported(notificationConfigurationDefinition, notificationId());
    const resource = managed(object, {
      deploymentsUrl: "https://elsewhere.example.com",
      deploymentsToken: canaries.signingKey,
    });
    assert.ok(await resource.refresh());
    assert.equal(resource.outputs.url, canaries.url);
    assert.equal(resource.outputs.token, canaries.signingKey);
    const args = { ...object.plain, url: canaries.url, token: canaries.signingKey };
    assert.equal(await resource.up(args), "same");
    world.emulator.journal.clear();
    assert.equal(await resource.up({ ...args, token: "canary-new-signing-key" }), "updated");
    assert.equal(writes().length, 1);
  });

  it("does not count on a secret that there is not", async () => {
    const object = await imported(notificationConfigurationDefinition, notificationId());
    const resource = managed(object);
    assert.equal(
      await resource.up({ ...object.plain, url: canaries.url }),
      "updated",
      "the url, which is recorded",
    );
    const other = managed(object);
    await other.refresh();
    assert.equal(await other.up({ ...object.plain, url: canaries.url }), "same");
    world.emulator.journal.clear();
    assert.equal(
      await other.up({ ...object.plain, url: canaries.url, token: "canary-first-key" }),
      "updated",
    );
    assert.match(JSON.stringify(writes()[0]?.body), /canary-first-key/);
  });

  it("takes a password to be what the program says, without sending it", async () => {
    const object = await imported(configDefinition, "ldap");
    const resource = managed(object);
    const args = { ...object.plain, bindpass: canaries.bindPassword };
    world.emulator.journal.clear();
    assert.equal(await resource.up(args), "updated");
    assert.deepEqual(writes(), []);
    assert.equal(await resource.up(args), "same");
    assert.equal(await resource.up({ ...args, bindpass: "canary-new-password" }), "updated");
    assert.match(JSON.stringify(writes()[0]?.body), /canary-new-password/);
  });

  it("holds no secret", async () => {
    for (const object of [
      await imported(notificationConfigurationDefinition, notificationId()),
      await imported(configDefinition, "ldap"),
    ]) {
      const text = JSON.stringify(object);
      assert.ok(Object.values(canaries).every((canary) => !text.includes(canary)));
    }
  });
});

function withoutProvider(values: JsonObject): Properties {
  const { __provider: _stub, ...others } = values;
  return others;
}
