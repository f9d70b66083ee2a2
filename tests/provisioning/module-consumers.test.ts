import assert from "node:assert/strict";
import type { JsonValue } from "../../sdk/base/json";
import { OwnNotes } from "../../sdk/engine/shared-notes";
import { adminOrganizationDefinition } from "../../sdk/provisioning/admin-organization";
import { moduleConsumersDefinition } from "../../sdk/provisioning/module-consumers";
import { providerConsumersDefinition } from "../../sdk/provisioning/provider-consumers";
import { shortName } from "../../sdk/resource/definition";
import { Ownership } from "../../sdk/resource/lifecycle/ownership";
import { unknown } from "../../sdk/resource/state/entry";
import { FakeEngine } from "../support/fake-engine";
import { useEmulator } from "../support/use-emulator";

describe("provisioning.ModuleConsumers", () => {
  const emulator = useEmulator();
  const writes = { method: "PATCH" };

  beforeEach(() => {
    for (const name of ["platform", "payments", "search"]) {
      emulator.provisioning.addOrganization({ name });
    }
  });

  const manage = (consumers: readonly string[], more: object = {}) =>
    FakeEngine.create(moduleConsumersDefinition, emulator, {
      organization: "platform",
      consumers: [...consumers],
      ...more,
    });
  const platform = () =>
    emulator.inspect().provisioning.organizations.find(({ name }) => name === "platform") ?? assert.fail();

  it("ModuleConsumers sets the whole list, each once, whatever its order", async () => {
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

  it("ModuleConsumers writes nothing when it adopts the same list", async () => {
    emulator.provisioning.changeOrganization("platform", { moduleConsumers: ["search", "payments"] });
    await manage(["payments", "search"], { adopt: true });
    assert.equal(emulator.journal.count(writes), 0);
  });

  it("ModuleConsumers repeats the service's message for a consumer that does not exist, and changes nothing", async () => {
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

  it("ModuleConsumers sends nothing when it is deleted and the list is empty: that could end sharing with everybody", async () => {
    const managed = await manage(["payments"]);
    emulator.provisioning.changeOrganization("platform", { globalModuleSharing: true });
    emulator.journal.clear();
    await managed.destroy();
    assert.equal(emulator.journal.count(writes), 0);
    assert.equal(platform().globalModuleSharing, true);
  });

  it("ModuleConsumers ends sharing with everybody when the program gives an empty list", async () => {
    emulator.provisioning.changeOrganization("platform", { globalModuleSharing: true });
    await manage([]);
    assert.equal(platform().globalModuleSharing, false);
  });

  it("ModuleConsumers is gone already when its organization is", async () => {
    const managed = await manage(["payments"]);
    emulator.provisioning.removeOrganization("platform");
    assert.equal(await managed.refresh(), false);
    managed.id = "platform";
    await managed.destroy();
  });
});

for (const { shared, setting, definition: consumersDefinition } of [
  { shared: "modules", setting: "globalModuleSharing", definition: moduleConsumersDefinition },
  { shared: "providers", setting: "globalProviderSharing", definition: providerConsumersDefinition },
] as const) {
  describe(`sharing ${shared} with everybody and with some`, () => {
    const all = (name: string, isGlobal?: JsonValue) =>
      [
        adminOrganizationDefinition,
        { name, ...(isGlobal === undefined ? {} : { [setting]: isGlobal }) },
      ] as const;
    const some = (organization: JsonValue) =>
      [consumersDefinition, { organization, consumers: ["payments"] }] as const;
    let notes: OwnNotes;
    beforeEach(() => {
      notes = new OwnNotes();
    });
    /** What check says of a resource of the program. */
    const problem = ([definition, args]: ReturnType<typeof all | typeof some>, service = "here") =>
      new Ownership(definition, "documented", service, notes).claim({ urn: `dev::${definition.type}`, args });
    const [yes, acme] = [all("acme", true), some("acme")];

    it("the second of two resources that share modules with everybody and with some is refused when it is created", () => {
      for (const [first, second] of [
        [yes, acme],
        [acme, yes],
      ] as const) {
        notes = new OwnNotes();
        assert.deepEqual([problem(first), problem(second, "there")], [undefined, undefined]);
        assert.equal(
          problem(second),
          `How the organization acme shares its ${shared} is also managed by the resource "${first[0].type}" of this program. ` +
            `AdminOrganization with ${setting}: true and ${shortName(consumersDefinition)} would undo each other. Remove one of them.`,
        );
      }
    });

    for (const [what, first, second] of [
      ["of two organizations", yes, some("platform")],
      ["that is off", acme, all("acme", false)],
      ["that is cleared", acme, all("acme", null)],
      ["that is not managed", acme, all("acme")],
      ["that is not known yet", acme, all("acme", unknown)],
      ["of an organization that is not known yet", yes, some(unknown)],
    ] as const) {
      it(`the other sharing is left alone: sharing ${what}`, () =>
        assert.deepEqual([problem(first), problem(second)], [undefined, undefined]));
    }
  });
}
