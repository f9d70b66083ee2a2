import assert from "node:assert/strict";
import { bottomless, gadgetStub } from "./support/gadget";
import { GadgetContract } from "./support/gadget-contract";
import { projectInputs, projectStub, ProvisioningContract } from "./support/provisioning";
import { failureOf, partialOf } from "./support/values";

describe("a creation that cannot be completed, in the provider process", () => {
  const contract = new ProvisioningContract();

  /** Makes a project whose final read fails. */
  const create = async () => {
    const inputs = projectInputs({ organization: contract.organization(), name: "payments" });
    contract.emulator.faults.add({ method: "GET", path: "/api/v2/projects/:id", status: 500 });
    return { inputs, partial: await partialOf(contract.provider.create(inputs)) };
  };

  it("keeps the object, with all that is known and why it is not all", async () => {
    const { inputs, partial } = await create();
    assert.match(partial.id, /^prj-/);
    assert.deepEqual(partial.properties, {
      ...inputs,
      __at: `*${contract.place}`,
      __provider: projectStub,
    });
    assert.equal(partial.reasons.length, 1);
    assert.match(
      partial.reasons[0] ?? "",
      new RegExp(`${partial.id} was written, but reading it back failed`),
    );
    assert.match(partial.reasons[0] ?? "", /500/);
  });

  it("is completed by an update without any change", async () => {
    const { inputs, partial } = await create();
    const { length } = contract.emulator.journal.requests({ method: ["POST", "PATCH"] });
    const outputs = await contract.provider.update(partial.id, partial.properties, inputs);
    assert.deepEqual(outputs, {
      ...partial.properties,
      permissions: { canUpdate: true, canDestroy: true, canCreateWorkspace: true },
    });
    assert.equal(contract.emulator.journal.count({ method: ["POST", "PATCH"] }), length);
  });

  it("stays incomplete when that update cannot read it either, and is still kept", async () => {
    const { inputs, partial } = await create();
    contract.emulator.faults.add({ method: "GET", path: "/api/v2/projects/:id", status: 500 });
    const again = await partialOf(contract.provider.update(partial.id, partial.properties, inputs));
    assert.deepEqual({ ...again, reasons: [] }, { ...partial, reasons: [] });
  });

  it("can be changed by that update as well", async () => {
    const { inputs, partial } = await create();
    const outputs = await contract.provider.update(partial.id, partial.properties, {
      ...inputs,
      name: "renamed",
    });
    assert.equal(outputs.name, "renamed");
    assert.deepEqual(contract.projectNames(inputs.organization), ["renamed"]);
  });

  it("can be refreshed", async () => {
    const { partial } = await create();
    const { id, outputs } = await contract.provider.refresh(partial.id, partial.properties);
    assert.equal(id, partial.id);
    assert.ok(Object.hasOwn(outputs, "permissions"));
  });

  it("can be deleted", async () => {
    const { inputs, partial } = await create();
    await contract.provider.delete(partial.id, partial.properties);
    assert.deepEqual(contract.projectNames(inputs.organization), []);
  });

  it("says so when the object is gone when read back", async () => {
    const inputs = projectInputs({ organization: contract.organization(), name: "payments" });
    contract.emulator.faults.add({
      method: "GET",
      path: "/api/v2/projects/:id",
      status: 404,
      where: ({ path }) => {
        contract.emulator.provisioning.removeProject(path.slice(path.lastIndexOf("/") + 1));
        return true;
      },
    });
    const { message } = await failureOf(contract.provider.create(inputs));
    assert.match(message, /was written, but no longer exists: another client has deleted it/);
  });
});

describe("a creation whose response cannot be stored, in the provider process", () => {
  const contract = new GadgetContract();

  it("keeps the object as it was asked for, and is completed by the next update", async () => {
    const inputs = { owner: "team-a", label: bottomless, __provider: gadgetStub };
    const { id, properties, reasons } = await partialOf(contract.provider.create(inputs));
    assert.deepEqual([...contract.service.widgets.keys()], [id]);
    assert.deepEqual([properties.owner, properties.label], ["team-a", bottomless]);
    assert.match(reasons[0] ?? "", new RegExp(`${id} was created, but its response cannot be stored`));
    const completed = await contract.provider.update(id, properties, inputs);
    assert.deepEqual(completed.tags, []);
  });
});
