import assert from "node:assert/strict";
import { projectInputs, projectStub, ProvisioningContract, token } from "./support/provisioning";
import { failureOf } from "./support/values";

const single = "/api/v2/projects/:id";
const list = /\/organizations\/[^/]+\/projects$/;

describe("read in the provider process", () => {
  const contract = new ProvisioningContract();

  afterEach(() => contract.emulator.faults.clear());

  it("finds what has not moved as it was, inputs and outputs", async () => {
    const { id, inputs, outputs } = await contract.project();
    assert.deepEqual(await contract.provider.refresh(id, outputs), { id, inputs, outputs });
  });

  it("shows drift in the inputs as well, where the next plan sees it", async () => {
    const { id, inputs, outputs } = await contract.project();
    contract.emulator.provisioning.changeProject(id, { name: "by hand" });
    const read = await contract.provider.refresh(id, outputs);
    assert.deepEqual(read, {
      id,
      inputs: { ...inputs, name: "by hand" },
      outputs: { ...outputs, name: "by hand" },
    });
    const { changes } = await contract.provider.diff(id, read.outputs, inputs);
    assert.equal(changes, "unknown");
  });

  it("gives back the inputs that nobody sees, lest they show as removed", async () => {
    const organization = contract.organization();
    const hidden = { __secrets: [] };
    const inputs = projectInputs({ organization, name: "payments", ...hidden });
    const { id, outputs } = await contract.provider.create(inputs);
    assert.deepEqual((await contract.provider.refresh(id, outputs)).inputs, inputs);
  });

  it("keeps arguments of creation among the inputs", async () => {
    const inputs = projectInputs({ organization: contract.organization(), name: "payments", adopt: true });
    const { id, outputs } = await contract.provider.create(inputs);
    assert.deepEqual((await contract.provider.refresh(id, outputs)).inputs, inputs);
  });

  it("of a get answers outputs alone: nothing is managed, no input is invented", async () => {
    const organization = contract.organization();
    const { id } = contract.emulator.provisioning.addProject({ organization, name: "payments" });
    assert.deepEqual(await contract.provider.get(id, projectInputs({})), {
      id,
      inputs: undefined,
      outputs: {
        organization,
        name: "payments",
        permissions: { canUpdate: true, canDestroy: true, canCreateWorkspace: true },
        __provider: projectStub,
      },
    });
  });

  it("of a get of what does not exist says that a token may be the reason", async () => {
    const { message } = await failureOf(contract.provider.get("prj-nowhere", projectInputs({})));
    assert.match(
      message,
      /returned 404 for project prj-nowhere: it does not exist, or the token has no access to it/,
    );
  });

  it("says that an object is gone only when its list lacks it", async () => {
    const { id, outputs } = await contract.project();
    contract.emulator.provisioning.removeProject(id);
    assert.deepEqual(await contract.provider.refresh(id, outputs), {
      id: "",
      inputs: undefined,
      outputs: { __provider: projectStub },
    });
    assert.ok(contract.emulator.journal.count({ method: "GET", path: list }) > 0);
  });

  it("keeps an object that answers 404 while its list shows it", async () => {
    const { id, outputs } = await contract.project();
    contract.emulator.faults.add({ method: "GET", path: single, status: 404 });
    const { message } = await failureOf(contract.provider.refresh(id, outputs));
    assert.match(message, new RegExp(`404 for project ${id}, although it exists`));
  });

  for (const status of [401, 403, 404, 500]) {
    it(`keeps an object that answers 404 while its list answers ${status}, and names the ways out`, async () => {
      const { id, outputs } = await contract.project();
      contract.emulator.faults.add({ method: "GET", path: single, status: 404 });
      contract.emulator.faults.add({ method: "GET", path: list, status });
      const { message } = await failureOf(contract.provider.refresh(id, outputs));
      assert.match(message, new RegExp(`TRIVIUM_ASSUME_GONE=${id}\\b`));
      assert.match(message, /`pulumi state delete`/);
      assert.match(message, new RegExp(`\\b${status}\\b`));
    });
  }

  it("trusts the user that an object is gone, unless it exists", async () => {
    const gone = await contract.project();
    const there = await contract.project();
    const provider = await contract.start({}, { TRIVIUM_ASSUME_GONE: `${there.id}, ${gone.id}` });
    contract.emulator.faults.add({ method: "GET", path: `/api/v2/projects/${gone.id}`, status: 404 });
    contract.emulator.faults.add({ method: "GET", path: list, status: 403 });
    assert.equal((await provider.refresh(gone.id, gone.outputs)).id, "");
    assert.deepEqual(await provider.refresh(there.id, there.outputs), {
      id: there.id,
      inputs: there.inputs,
      outputs: there.outputs,
    });
  });

  for (const status of [401, 403, 500]) {
    it(`never treats ${status} as gone`, async () => {
      const { id, outputs } = await contract.project();
      contract.emulator.faults.add({ method: "GET", path: single, status });
      const { message } = await failureOf(contract.provider.refresh(id, outputs));
      assert.match(message, new RegExp(`Could not read the project ${id}.*returned ${status}`));
    });
  }

  it("never treats a wrong token as gone, and says where the token came from", async () => {
    const { id, outputs } = await contract.project();
    const provider = await contract.start({ "trivium:provisioningToken": `${token}-wrong` });
    const { message } = await failureOf(provider.refresh(id, outputs));
    assert.match(message, /401.*trivium:provisioningToken/);
  });

  it("never treats a token that may not see the organization as gone", async () => {
    const { id, outputs } = await contract.project();
    const blind = contract.emulator.provisioning.addToken({ access: "none" });
    const provider = await contract.start({ "trivium:provisioningToken": blind });
    const { message } = await failureOf(provider.refresh(id, outputs));
    assert.match(message, /could not find out which/);
  });
});
