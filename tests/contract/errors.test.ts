import assert from "node:assert/strict";
import {
  type ManagedProject,
  projectInputs,
  projectStub,
  ProvisioningContract,
  token,
} from "./support/provisioning";
import { failureOf, partialOf } from "./support/values";

const unknownStub = projectStub.replace("Project", "Nothing");

describe("errors of the provider process", () => {
  const contract = new ProvisioningContract();
  let project: ManagedProject;
  before(async () => {
    project = await contract.project();
  });

  afterEach(() => {
    assert.equal(contract.provider.output, "", "an error is answered, and nothing is printed beside");
    contract.emulator.faults.clear();
  });

  /** Something that says the token, as careless services do. */
  const talkative = {
    status: 422,
    body: { errors: [{ status: "422", title: "invalid", detail: `not with Bearer ${token} and ${token}` }] },
  };
  const failures: Readonly<Record<string, () => Promise<unknown>>> = {
    check: () => contract.provider.check({}, { __provider: unknownStub }),
    diff: () => contract.provider.diff(project.id, project.outputs, { __provider: unknownStub }),
    create: () => contract.provider.create({ ...project.inputs, name: "other" }),
    read: () => contract.provider.refresh(project.id, project.outputs),
    update: () => contract.provider.update(project.id, project.outputs, { ...project.inputs, name: "other" }),
    delete: () => contract.provider.delete(project.id, project.outputs),
  };
  for (const [call, fail] of Object.entries(failures)) {
    it(`of ${call} are one message`, async () => {
      contract.emulator.faults.add({ ...talkative, times: 100 });
      const { message, partial } = await failureOf(fail());
      assert.match(message, /^[A-Z][^\n]*[.)]$/);
      assert.equal(partial, undefined);
    });
  }

  it("say what was tried, what the service said without what it may not say, and where the token came from", async () => {
    contract.emulator.faults.add({ ...talkative, status: 403 });
    const { message } = await failureOf(contract.provider.refresh(project.id, project.outputs));
    assert.ok(message.startsWith(`Could not read the project ${project.id}: GET http://127.0.0.1:`), message);
    assert.match(message, /returned 403: .*not with Bearer \[secret\] and \[secret\]/);
    assert.match(message, /The token comes from the configuration value trivium:provisioningToken/);
  });

  it("hide what the program marked as secret", async () => {
    const name = "canary-marked-name";
    contract.emulator.faults.add({
      method: "POST",
      status: 422,
      body: { errors: [{ detail: `${name} is bad` }] },
    });
    const { message } = await failureOf(
      contract.provider.create(projectInputs({ ...project.inputs, name, __secrets: ["name"] })),
    );
    assert.ok(!message.includes("canary"), message);
    assert.match(message, /\[secret\] is bad/);
  });

  it("of a creation that is half done have the same message as its reason", async () => {
    contract.emulator.faults.add({ ...talkative, method: "GET", path: "/api/v2/projects/:id" });
    const creation = contract.provider.create({ ...project.inputs, name: "half done" });
    const { reasons } = await partialOf(creation);
    const { message } = await failureOf(creation);
    assert.deepEqual(reasons, [message]);
  });

  it("of a type that the installed version does not know say to upgrade it", async () => {
    const inputs = { __provider: unknownStub };
    for (const call of [
      contract.provider.check({}, inputs),
      contract.provider.create(inputs),
      contract.provider.refresh("prj-1", inputs),
      contract.provider.delete("prj-1", inputs),
    ]) {
      const { message } = await failureOf(call);
      assert.match(message, /has no resource type provisioning:Nothing.*Upgrade pulumi-trivium/);
    }
  });

  it("of a newer version's state come alone also as the first call of a process", async () => {
    const provider = await contract.start();
    await failureOf(provider.refresh("prj-1", { __provider: unknownStub }));
    assert.equal(provider.output, "");
  });
});
