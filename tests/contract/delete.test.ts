import assert from "node:assert/strict";
import { ProvisioningContract } from "./support/provisioning";
import { failureOf } from "./support/values";

const list = /\/organizations\/[^/]+\/projects$/;

describe("delete in the provider process", () => {
  const contract = new ProvisioningContract();

  afterEach(() => contract.emulator.faults.clear());

  it("deletes", async () => {
    const { id, inputs, outputs } = await contract.project();
    await contract.provider.delete(id, outputs);
    assert.deepEqual(contract.projectNames(inputs.organization), []);
  });

  it("counts an object as deleted that is proven to be gone", async () => {
    const { id, outputs } = await contract.project();
    contract.emulator.provisioning.removeProject(id);
    await contract.provider.delete(id, outputs);
    assert.equal(contract.emulator.journal.count({ method: "DELETE", path: `/api/v2/projects/${id}` }), 1);
  });

  it("fails when the service denies an object that its list shows", async () => {
    const { id, inputs, outputs } = await contract.project();
    const reader = contract.emulator.provisioning.addToken({ access: "read" });
    const provider = await contract.start({ "trivium:provisioningToken": reader });
    const { message } = await failureOf(provider.delete(id, outputs));
    assert.match(
      message,
      new RegExp(`404 for project ${id}, although it exists: the token lacks the permission`),
    );
    assert.deepEqual(contract.projectNames(inputs.organization), ["payments"]);
  });

  it("fails when it cannot be found out, and names the ways out", async () => {
    const { id, outputs } = await contract.project();
    contract.emulator.faults.add({ method: "DELETE", status: 404 });
    contract.emulator.faults.add({ method: "GET", path: list, status: 403 });
    const { message } = await failureOf(contract.provider.delete(id, outputs));
    assert.match(message, new RegExp(`TRIVIUM_ASSUME_GONE=${id}\\b.*\`pulumi state delete\``));
  });

  it("explains what to do about workspaces inside", async () => {
    const { organization, id, outputs } = await contract.project();
    contract.emulator.provisioning.addWorkspace({ organization, project: id });
    const { message } = await failureOf(contract.provider.delete(id, outputs));
    assert.match(message, /403.*1 workspace.*fallbackProjectId/);
    assert.doesNotMatch(message, /token/);
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });
});
