import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../support/packed-library";
import type { Properties } from "../support/provider-process";
import { type ManagedProject, ProvisioningContract } from "./support/provisioning";

const fixtures = join(repository, "tests", "fixtures", "state");

describe("projects in the state of earlier versions", () => {
  const contract = new ProvisioningContract();

  /** The project of a state that was written by an earlier version, and that exists in the emulator. */
  const restore = (fixture: string): ManagedProject => {
    const organization = contract.organization();
    const { id } = contract.emulator.provisioning.addProject({ organization, name: "payments" });
    const { address } = contract.emulator.provisioning;
    const text = readFileSync(join(fixtures, fixture), "utf8")
      .replaceAll("{{id}}", id)
      .replaceAll("{{organization}}", organization)
      .replaceAll("{{address}}", address);
    return JSON.parse(text) as ManagedProject;
  };

  for (const fixture of readdirSync(fixtures).filter((name) => name.startsWith("project-"))) {
    describe(fixture, () => {
      it("show no change, and no request is needed to know", async () => {
        const { id, inputs, outputs } = restore(fixture);
        const requests = await contract.requestsOf(async () => {
          const checked = await contract.provider.check(inputs, inputs);
          assert.deepEqual(checked, { inputs: withoutUrn(inputs), failures: [] });
          const { changes, replaces } = await contract.provider.diff(id, outputs, checked.inputs);
          assert.deepEqual([changes, replaces], ["none", []]);
        });
        assert.equal(requests, 0);
      });

      it("are read, and show no change then either", async () => {
        const { id, inputs, outputs } = restore(fixture);
        const read = await contract.provider.refresh(id, outputs);
        assert.equal(read.id, id);
        assert.deepEqual(read.inputs, "__urn" in outputs ? inputs : withoutUrn(inputs));
        assert.equal((await contract.provider.diff(id, read.outputs, inputs)).changes, "none");
      });

      it("are updated in place", async () => {
        const { id, inputs, outputs } = restore(fixture);
        const news = { ...inputs, name: "renamed" };
        const diff = await contract.provider.diff(id, outputs, news);
        assert.deepEqual(diff, { changes: "unknown", replaces: [], deleteBeforeReplace: true });
        const updated = await contract.provider.update(id, outputs, withoutUrn(news));
        assert.equal(updated.name, "renamed");
        // What an earlier version wrote at length is written in short.
        assert.deepEqual(updated.__managed, ["*", { adopt: { as: true } }]);
        assert.equal(updated.__at, contract.place);
        assert.ok(!("__urn" in updated));
        assert.deepEqual(contract.projectNames(inputs.organization), ["renamed"]);
      });

      it("are deleted", async () => {
        const { id, inputs, outputs } = restore(fixture);
        await contract.provider.delete(id, outputs);
        assert.deepEqual(contract.projectNames(inputs.organization), []);
      });
    });
  }
});

function withoutUrn({ __urn, ...others }: Properties): Properties {
  return others;
}
