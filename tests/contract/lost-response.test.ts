import assert from "node:assert/strict";
import { projectInputs, ProvisioningContract } from "./support/provisioning";
import { failureOf } from "./support/values";

const list = /\/organizations\/[^/]+\/projects$/;

describe("a response that gets lost, in the provider process", () => {
  const contract = new ProvisioningContract(1);
  const posts = (organization: string): number =>
    contract.emulator.journal.count({
      method: "POST",
      path: `/api/v2/organizations/${organization}/projects`,
    });

  afterEach(() => contract.emulator.faults.clear());

  for (const [what, fault] of [
    ["cut off", { drop: "after" }],
    ["broken off in the middle", { truncate: true }],
    ["replaced by a proxy's error", { status: 502, body: "<html>Bad Gateway</html>", when: "after" }],
    ["replaced by a proxy's page", { status: 200, body: "<html>Welcome</html>", when: "after" }],
  ] as const) {
    it(`adopts what a creation created whose response is ${what}`, async () => {
      const organization = contract.organization();
      contract.emulator.faults.add({ method: "POST", ...fault });
      const { id, outputs } = await contract.provider.create(
        projectInputs({ organization, name: "payments" }),
      );
      assert.equal(outputs.name, "payments");
      assert.equal(outputs.id, undefined);
      assert.deepEqual(contract.projectNames(organization), ["payments"]);
      assert.equal(posts(organization), 1);
      const made = contract.emulator.inspect().provisioning.projects.find((project) => project.id === id);
      assert.equal(made?.organization, organization);
      const { severity } = await contract.provider.engine.line(
        new RegExp(`Exactly one object has its name, ${id}: this resource manages it from now on\\.`),
      );
      assert.equal(severity, "warning");
    });
  }

  it("reports a creation that was cut off before it was made, and never makes two", async () => {
    const organization = contract.organization();
    const inputs = projectInputs({ organization, name: "payments" });
    contract.emulator.faults.add({ method: "POST", drop: "before" });
    const { message, partial } = await failureOf(contract.provider.create(inputs));
    assert.match(message, /Could not create the project "payments"/);
    assert.equal(partial, undefined);
    assert.deepEqual(contract.projectNames(organization), []);
    assert.equal(posts(organization), 1);
    await contract.provider.create(inputs);
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("says how to adopt it when it is unknown whether it was created", async () => {
    const organization = contract.organization();
    const inputs = projectInputs({ organization, name: "payments" });
    contract.emulator.faults.add({ method: "POST", drop: "after" });
    contract.emulator.faults.add({ method: "GET", path: list, times: 2, status: 500 });
    const { message } = await failureOf(contract.provider.create(inputs));
    assert.match(message, /may nevertheless have been created.*`adopt: true`/);

    const again = await failureOf(contract.provider.create(inputs));
    assert.match(again.message, /already exists \(id prj-/);
    const { outputs } = await contract.provider.create({ ...inputs, adopt: true });
    assert.equal(outputs.name, "payments");
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
    assert.equal(posts(organization), 2);
  });

  it("makes it after all when it was turned away before it could be made", async () => {
    const organization = contract.organization();
    const wait = { "Retry-After": "0.05" };
    contract.emulator.faults.add({ method: "POST", status: 429, headers: wait });
    await contract.provider.create(projectInputs({ organization, name: "payments" }));
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
    assert.equal(posts(organization), 2);
  });

  it("applies an update once more when its response is lost", async () => {
    const { id, inputs, outputs } = await contract.project();
    contract.emulator.faults.add({ method: "PATCH", drop: "after" });
    const updated = await contract.provider.update(id, outputs, { ...inputs, name: "renamed" });
    assert.equal(updated.name, "renamed");
    assert.deepEqual(contract.projectNames(inputs.organization), ["renamed"]);
  });

  it("counts a deletion as done when its response is lost", async () => {
    const { id, inputs, outputs } = await contract.project();
    contract.emulator.faults.add({ method: "DELETE", drop: "after" });
    await contract.provider.delete(id, outputs);
    assert.deepEqual(contract.projectNames(inputs.organization), []);
  });
});
