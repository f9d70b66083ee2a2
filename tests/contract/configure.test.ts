import assert from "node:assert/strict";
import { projectInputs, ProvisioningContract } from "./support/provisioning";

describe("configuration of the provider process", () => {
  const contract = new ProvisioningContract();

  it("is there for every one of 30 creations that are the first calls of the process", async () => {
    const organization = contract.organization();
    const names = Array.from({ length: 30 }, (_, index) => `project-${String(index).padStart(2, "0")}`);
    const created = await Promise.all(
      names.map((name) => contract.provider.create(projectInputs({ organization, name }))),
    );
    assert.equal(new Set(created.map(({ id }) => id)).size, 30);
    assert.deepEqual(contract.projectNames(organization).sort(), names);
  });
});
