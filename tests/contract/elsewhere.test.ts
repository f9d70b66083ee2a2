import assert from "node:assert/strict";
import type { ProviderProcess } from "../support/provider-process";
import { type ManagedProject, ProvisioningContract } from "./support/provisioning";
import { failureOf } from "./support/values";

const old = "https://old.example/api/v2";

describe("an object that was made at another service, in the provider process", () => {
  const contract = new ProvisioningContract();
  let project: ManagedProject;
  let here: string;
  let place: string;

  beforeEach(async () => {
    const made = await contract.project();
    project = { ...made, outputs: { ...made.outputs, __at: old, __managed: "*" } };
    here = `${contract.emulator.provisioning.address}/api/v2`;
    place = contract.place;
  });

  const calls: Readonly<Record<string, (provider: ProviderProcess) => Promise<unknown>>> = {
    read: (provider) => provider.refresh(project.id, project.outputs),
    update: (provider) =>
      provider.update(project.id, project.outputs, { ...project.inputs, name: "renamed" }),
    "update without a change": (provider) => provider.update(project.id, project.outputs, project.inputs),
    delete: (provider) => provider.delete(project.id, project.outputs),
  };
  for (const [what, call] of Object.entries(calls)) {
    it(`is not touched by ${what}, whose error names both services and the way on`, async () => {
      const requests = await contract.requestsOf(async () => {
        const { message, partial } = await failureOf(call(contract.provider));
        assert.ok(message.includes(`created at ${old}`), message);
        assert.ok(message.includes(`configured as ${here}`), message);
        assert.match(message, /pulumi config set trivium:provisioningMovedFrom/);
        assert.equal(partial, undefined);
      });
      assert.equal(requests, 0);
    });
  }

  describe("that has moved here", () => {
    let moved: ProviderProcess;
    before(async () => {
      moved = await contract.start({
        "trivium:provisioningMovedFrom": "https://other.example, https://old.example",
      });
    });

    it("belongs here once it is refreshed", async () => {
      const { id, inputs, outputs } = project;
      const { __managed, ...others } = outputs;
      const rebound = { ...others, __at: `*${place}` };
      assert.deepEqual(await moved.refresh(id, outputs), { id, inputs, outputs: rebound });
    });

    it("belongs here once it is updated, with a change or without", async () => {
      const { id, inputs, outputs } = project;
      assert.equal((await moved.update(id, outputs, inputs)).__at, `*${place}`);
      assert.equal((await moved.update(id, outputs, { ...inputs, name: "renamed" })).__at, `*${place}`);
    });

    it("is deleted", async () => {
      await moved.delete(project.id, project.outputs);
      assert.deepEqual(contract.projectNames(project.inputs.organization), []);
    });

    it("is still not touched when it came from a third place", async () => {
      const outputs = { ...project.outputs, __at: "https://old.example.org/api/v2" };
      assert.match((await failureOf(moved.delete(project.id, outputs))).message, /old\.example\.org/);
    });
  });
});
