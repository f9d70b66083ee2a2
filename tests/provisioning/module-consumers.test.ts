import assert from "node:assert/strict";
import { moduleConsumersDefinition } from "../../sdk/provisioning/module-consumers";
import { Managed } from "../support/managed";
import { useEmulator } from "../support/use-emulator";

describe("provisioning.ModuleConsumers", () => {
  const emulator = useEmulator();
  const writes = { method: "PATCH" };

  beforeEach(() => {
    for (const name of ["platform", "payments", "search"]) {
      emulator.provisioning.addOrganization({ name });
    }
  });

  const manage = async (consumers: readonly string[], more: object = {}): Promise<Managed> => {
    const managed = new Managed(moduleConsumersDefinition, emulator);
    await managed.up({ organization: "platform", consumers: [...consumers], ...more });
    return managed;
  };
  const platform = () =>
    emulator.inspect().provisioning.organizations.find(({ name }) => name === "platform") ?? assert.fail();

  it("sets the whole list, each once, whatever its order", async () => {
    const managed = await manage(["search", "payments", "search"]);
    const [request] = emulator.journal.requests(writes);
    assert.deepEqual(request?.body, {
      data: [
        { type: "organizations", id: "search" },
        { type: "organizations", id: "payments" },
      ],
    });
    assert.equal(await managed.up({ organization: "platform", consumers: ["payments", "search"] }), "same");
    await managed.up({ organization: "platform", consumers: ["payments"] });
    assert.deepEqual(platform().moduleConsumers, ["payments"]);
  });

  it("writes nothing when it adopts the same list", async () => {
    emulator.provisioning.changeOrganization("platform", { moduleConsumers: ["search", "payments"] });
    await manage(["payments", "search"], { adopt: true });
    assert.equal(emulator.journal.count(writes), 0);
  });

  it("repeats the service's words about a consumer that does not exist, and changes nothing", async () => {
    await assert.rejects(manage(["payments", "nobody"]), {
      message: /returned 422: .*Organization nobody not found/,
    });
    assert.deepEqual(platform().moduleConsumers, []);
    const managed = await manage(["payments"]);
    await assert.rejects(managed.up({ organization: "platform", consumers: ["payments", "nobody"] }), {
      message: /Organization nobody not found/,
    });
    assert.deepEqual(platform().moduleConsumers, ["payments"]);
  });

  it("sends nothing when it is deleted and the list is empty: that could end sharing with everybody", async () => {
    const managed = await manage(["payments"]);
    emulator.provisioning.changeOrganization("platform", { globalModuleSharing: true });
    emulator.journal.clear();
    await managed.destroy();
    assert.equal(emulator.journal.count(writes), 0);
    assert.equal(platform().globalModuleSharing, true);
  });

  it("ends sharing with everybody when the program gives an empty list", async () => {
    emulator.provisioning.changeOrganization("platform", { globalModuleSharing: true });
    await manage([]);
    assert.equal(platform().globalModuleSharing, false);
  });

  it("is gone already when its organization is", async () => {
    const managed = await manage(["payments"]);
    emulator.provisioning.removeOrganization("platform");
    assert.equal(await managed.refresh(), false);
    managed.id = "platform";
    await managed.destroy();
  });

  it("is not treated as gone with a token that is not a site administrator's", async () => {
    const managed = await manage(["payments"]);
    const token = emulator.provisioning.addToken({ siteAdministrator: false });
    const unprivileged = new Managed(moduleConsumersDefinition, emulator, {
      "trivium:provisioningToken": token,
    });
    Object.assign(unprivileged, { id: managed.id, inputs: managed.inputs, outputs: managed.outputs });
    for (const call of [() => unprivileged.refresh(), () => unprivileged.destroy()]) {
      await assert.rejects(call, { message: /State is unchanged/ });
    }
    assert.deepEqual(platform().moduleConsumers, ["payments"]);
  });

  it("reads more consumers than a page holds", async () => {
    const names = Array.from({ length: 130 }, (_, index) => `consumer-${index}`);
    names.forEach((name) => emulator.provisioning.addOrganization({ name }));
    const managed = await manage(names);
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up({ organization: "platform", consumers: names }), "same");
  });
});
