import assert from "node:assert/strict";
import { adminOrganizationDefinition } from "../../../sdk/provisioning/admin-organization";
import { projectDefinition } from "../../../sdk/provisioning/project";
import type { Lifecycle } from "../../../sdk/resource/lifecycle/lifecycle";
import type { OrganizationRecord } from "../../../sdk/testing";
import { inClear } from "../../support/values";
import { lifecycleOn } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";

const name = "acme";

/** A list in a list in a list, deeper than a program can follow. */
function bottomlessList(): unknown {
  let list: unknown = [];
  for (let depth = 0; depth < 100_000; depth++) {
    list = [list];
  }
  return list;
}

describe("a creation that failed although its object exists", () => {
  const emulator = useEmulator();
  let hooks: Lifecycle;
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name, workspaceLimit: 10 });
    hooks = lifecycleOn(emulator, adminOrganizationDefinition);
  });

  /** What the engine keeps of a creation whose PATCH is never answered. */
  async function create(inputs: Properties, drop: "before" | "after"): Promise<Properties> {
    emulator.faults.add({ method: "PATCH", drop });
    const failed = await hooks.create(inputs).then(
      () => assert.fail("it succeeded"),
      (error: unknown) => error as { readonly properties: Properties },
    );
    return inClear(failed.properties);
  }

  function organization(): OrganizationRecord | undefined {
    return emulator.inspect().provisioning.organizations.find((each) => each.name === name);
  }

  const wanted: readonly [string, number | null, number | null][] = [
    ["a value", 20, 20],
    ["the documented default, which clears", null, 0],
  ];
  for (const [what, workspaceLimit, after] of wanted) {
    it(`does not pass for applied: the run that continues it sends ${what}`, async () => {
      const inputs = { name, workspaceLimit, onDestroy: "restore" };
      const state = await create(inputs, "before");
      assert.equal(state.workspaceLimit, 10);
      const { changes } = await hooks.diff(name, state, inputs);
      // Left open, so that the engine looks itself: it has the failure in state, and updates.
      assert.equal(changes, undefined);

      const updated: { outs?: unknown } = await hooks.update(name, state, inputs);
      assert.equal(organization()?.workspaceLimit, after);
      const { changes: none } = await hooks.diff(name, inClear(updated.outs as Properties), inputs);
      assert.equal(none, false);
    });
  }

  it("is shown as a change after a refresh", async () => {
    const inputs = { name, workspaceLimit: 20 };
    const found = await hooks.read(name, await create(inputs, "before"));
    assert.equal(found.inputs?.workspaceLimit, 10);
    const { changes } = await hooks.diff(name, inClear(found.props ?? {}), inputs);
    assert.equal(changes, undefined);
  });

  it("gets its former values back when it is deleted and had been applied all the same", async () => {
    const state = await create({ name, workspaceLimit: 20, onDestroy: "restore" }, "after");
    assert.equal(organization()?.workspaceLimit, 20);
    await hooks.delete(name, state);
    assert.equal(organization()?.workspaceLimit, 10);
  });

  it("is kept as it was asked for if its response cannot be stored", async () => {
    const definition = {
      ...projectDefinition,
      create: async (...parameters: Parameters<typeof projectDefinition.create>) => {
        const { id } = await projectDefinition.create(...parameters);
        return { id, state: { permissions: bottomlessList() } };
      },
    };
    const inputs = { organization: name, name: "payments" };
    const failed = await lifecycleOn(emulator, definition)
      .create(inputs)
      .then(
        () => assert.fail("it succeeded"),
        (error: unknown) => error as { readonly message: string; readonly properties: Properties },
      );
    assert.match(failed.message, /was created, but its response cannot be stored/);
    assert.deepEqual([failed.properties.organization, failed.properties.name], [name, "payments"]);
  });
});
