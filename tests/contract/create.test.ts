import assert from "node:assert/strict";
import { projectInputs, projectStub, ProvisioningContract } from "./support/provisioning";
import { failureOf } from "./support/values";

describe("creation in the provider process", () => {
  const contract = new ProvisioningContract();

  it("answers the id and all outputs, with what the library remembers", async () => {
    const organization = contract.organization();
    const { id, outputs } = await contract.provider.create(projectInputs({ organization, name: "payments" }));
    assert.match(id, /^prj-/);
    assert.deepEqual(outputs, {
      organization,
      name: "payments",
      permissions: { canUpdate: true, canDestroy: true, canCreateWorkspace: true },
      __at: `*${contract.place}`,
      __provider: projectStub,
    });
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("refuses to create what exists, and says how to adopt it", async () => {
    const { id, inputs } = await contract.project();
    const { message, partial } = await failureOf(contract.provider.create(inputs));
    assert.match(message, new RegExp(`already exists \\(id ${id}\\).*adopt`));
    assert.equal(partial, undefined);
    assert.deepEqual(contract.projectNames(inputs.organization), ["payments"]);
  });

  it("adopts an existing object with `adopt`", async () => {
    const organization = contract.organization();
    const existing = contract.emulator.provisioning.addProject({ organization, name: "payments" });
    const { id, outputs } = await contract.provider.create(
      projectInputs({ organization, name: "payments", adopt: true }),
    );
    assert.equal(id, existing.id);
    assert.deepEqual(outputs.__managed, ["*", { adopt: { as: true } }]);
    assert.equal(Object.hasOwn(outputs, "adopt"), false);
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("makes a project of its own beside one whose name differs in case", async () => {
    const organization = contract.organization();
    const other = contract.emulator.provisioning.addProject({ organization, name: "Payments" });
    const { id } = await contract.provider.create(
      projectInputs({ organization, name: "payments", adopt: true }),
    );
    assert.notEqual(id, other.id);
  });

  it("says in one error everything that is missing to reach the service, and where to set it", async () => {
    const provider = await contract.start({
      "trivium:provisioningAddress": "",
      "trivium:provisioningToken": "",
    });
    const { message } = await failureOf(
      provider.create(projectInputs({ organization: "acme", name: "payments" })),
    );
    for (const name of [
      "trivium:provisioningAddress",
      "PROVISIONING_ADDR",
      "trivium:provisioningToken",
      "PROVISIONING_TOKEN",
    ]) {
      assert.equal(message.split(new RegExp(`${name}\\b`)).length, 2, `${name} once in: ${message}`);
    }
  });

  it("finds the service in the environment too", async () => {
    const { address, token } = contract.emulator.provisioning;
    const provider = await contract.start(
      { "trivium:provisioningAddress": "", "trivium:provisioningToken": "" },
      { PROVISIONING_ADDR: address, PROVISIONING_TOKEN: token },
    );
    const organization = contract.organization();
    await provider.create(projectInputs({ organization, name: "payments" }));
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });
});
