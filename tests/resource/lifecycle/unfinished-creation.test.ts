import assert from "node:assert/strict";
import { adminOrganizationDefinition } from "../../../sdk/provisioning/admin-organization";
import { projectDefinition } from "../../../sdk/provisioning/project";
import { decodeEntry, decodeProgram } from "../../../sdk/resource/state/encoding";
import { lifecycleOn, FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";

const name = "acme";

describe("a creation that failed although its object exists", () => {
  const emulator = useEmulator();
  let managed: FakeEngine;
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name, workspaceLimit: 10 });
    managed = new FakeEngine(adminOrganizationDefinition, emulator);
  });

  /** Its PATCH is never answered. */
  async function create(inputs: Properties, drop: "before" | "after"): Promise<void> {
    emulator.faults.add({ method: "PATCH", drop });
    await assert.rejects(managed.up(inputs));
  }
  /** Left open, so that the engine looks itself: it has the failure in state, and updates. */
  async function assertLeftOpen(inputs: Properties): Promise<void> {
    const { lifecycle } = lifecycleOn(emulator, adminOrganizationDefinition);
    const diff = await lifecycle.diff(name, decodeEntry(managed.outputs), decodeProgram(inputs));
    assert.equal(diff.changes, undefined);
  }
  const limit = (): unknown =>
    emulator.inspect().provisioning.organizations.find((each) => each.name === name)?.workspaceLimit;

  for (const [what, workspaceLimit, after] of [
    ["a value", 20, 20],
    ["the documented default, which clears", null, 0],
  ] as const) {
    it(`an unfinished creation does not count as applied: the run that continues it sends ${what}`, async () => {
      const inputs = { name, workspaceLimit, onDestroy: "restore" };
      await create(inputs, "before");
      assert.equal(managed.outputs.workspaceLimit, 10);
      await assertLeftOpen(inputs);
      assert.equal(await managed.up(inputs), "updated");
      assert.equal(limit(), after);
      assert.equal(await managed.up(inputs), "same");
    });
  }

  it("an unfinished creation is shown as a change after a refresh", async () => {
    const inputs = { name, workspaceLimit: 20 };
    await create(inputs, "before");
    await managed.refresh();
    assert.equal(managed.inputs.workspaceLimit, 10);
    await assertLeftOpen(inputs);
  });

  it("an unfinished creation that was applied after all restores the former values when it is deleted", async () => {
    await create({ name, workspaceLimit: 20, onDestroy: "restore" }, "after");
    assert.equal(limit(), 20);
    await managed.destroy();
    assert.equal(limit(), 10);
  });

  it("an unfinished creation keeps the requested values if its response cannot be stored", async () => {
    let permissions: unknown = [];
    for (let depth = 0; depth < 100_000; depth++) {
      permissions = [permissions];
    }
    const create: typeof projectDefinition.create = async (...parameters) => {
      const { id } = await projectDefinition.create(...parameters);
      return { id, state: { permissions } };
    };
    const project = new FakeEngine({ ...projectDefinition, create }, emulator);
    const inputs = { organization: name, name: "payments" };
    await assert.rejects(project.up(inputs), { message: /was created, but its response cannot be stored/ });
    const { organization, name: kept } = project.outputs;
    assert.deepEqual([organization, kept], [name, "payments"]);
  });
});
