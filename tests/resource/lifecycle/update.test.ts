import assert from "node:assert/strict";
import type { OrganizationRecord } from "../../../sdk/testing";
import { totpMethodDefinition } from "../../../sdk/secrets/mfa/totp-method";
import { FakeEngine } from "../../support/fake-engine";
import { useEmulator } from "../../support/use-emulator";
import { adminOrganizationDefinition } from "../../../sdk/provisioning/admin-organization";

const name = "acme";

describe("an update", () => {
  const emulator = useEmulator();

  it("an update that could not be read back is read by the update that continues it, so that state has the service's values", async () => {
    const inputs = { issuer: "Acme", period: "30s", digits: 6 };
    const method = await FakeEngine.create(totpMethodDefinition, emulator, inputs);
    const { outputs } = method;
    emulator.faults.add({ method: "GET", skip: 1, status: 502 });
    await assert.rejects(method.up({ ...inputs, digits: 8 }));
    await method.up({ ...inputs, digits: 8 });
    const __managed = { issuer: true, digits: true, period: { as: "30s" } };
    assert.deepEqual(method.outputs, { ...outputs, digits: 8, __managed });
  });

  /** As most services update: what a request leaves out stays as it is. */
  const inParts: typeof adminOrganizationDefinition = {
    ...adminOrganizationDefinition,
    updatesWholeObject: false,
    update(step, id, desired, changed: ReadonlySet<string>) {
      const parts = Object.entries(desired).filter(([each]) => changed.has(each));
      const sent = { ...Object.fromEntries(parts), name } as typeof desired;
      return adminOrganizationDefinition.update?.(step, id, sent, changed, { name }) ?? assert.fail();
    },
  };
  const args = { name, workspaceLimit: 20, isDisabled: false, onDestroy: "retain" };
  let managed: FakeEngine;

  beforeEach(async () => {
    emulator.provisioning.addOrganization({ name, workspaceLimit: 10 });
    managed = new FakeEngine(inParts, emulator);
    await managed.up(args);
    emulator.journal.clear();
  });

  const organization = (): OrganizationRecord =>
    emulator.inspect().provisioning.organizations.find((each) => each.name === name) ?? assert.fail();
  /** The attributes of each request that changed it. */
  const sent = (): unknown[] =>
    emulator.journal
      .requests({ method: "PATCH" })
      .map(({ body }) => (body as { data: { attributes: unknown } }).data.attributes);

  it("an update of a drifted object restores the program's values, in a second request", async () => {
    emulator.provisioning.changeOrganization(name, { workspaceLimit: 5 });
    await managed.up({ ...args, isDisabled: true });
    assert.deepEqual(sent(), [{ "is-disabled": true }, { "is-disabled": true, "workspace-limit": 20 }]);
    const { isDisabled, workspaceLimit } = organization();
    assert.deepEqual([isDisabled, workspaceLimit, managed.outputs.workspaceLimit], [true, 20, 20]);
    assert.equal(await managed.up({ ...args, isDisabled: true }), "same");
  });

  it("an update of a drifted object does not change ignored arguments, and only a refresh writes the drift to state", async () => {
    emulator.provisioning.changeOrganization(name, { workspaceLimit: 5 });
    const __run = { ignored: ["workspaceLimit"] };
    await managed.up({ ...args, isDisabled: true, __run });
    assert.deepEqual(sent(), [{ "is-disabled": true }]);
    assert.deepEqual([organization().workspaceLimit, managed.outputs.workspaceLimit], [5, 20]);
    await managed.refresh();
    assert.equal(managed.inputs.workspaceLimit, 5);
  });

  it("an update of a drifted object restores it in one request if requests contain the whole object, except ignored arguments", async () => {
    const whole = Object.assign(new FakeEngine(adminOrganizationDefinition, emulator), {
      resource: managed.resource,
    });
    emulator.provisioning.changeOrganization(name, { workspaceLimit: 5 });
    await whole.up({ ...args, isDisabled: true, __run: { ignored: ["workspaceLimit"] } });
    assert.deepEqual([organization().workspaceLimit, whole.outputs.workspaceLimit], [5, 20]);
    await whole.up(args);
    const found = [organization().workspaceLimit, whole.outputs.workspaceLimit, sent().length];
    assert.deepEqual(found, [20, 20, 2]);
  });

  it("an update of a drifted object does not change values that the program does not manage", async () => {
    emulator.provisioning.changeOrganization(name, { accessBetaTools: true });
    await managed.up({ ...args, isDisabled: true });
    assert.deepEqual(sent(), [{ "is-disabled": true }]);
    assert.equal(organization().accessBetaTools, true);
  });

  it("an update of a drifted object keeps its changes in state if the restoration fails, and the next run continues", async () => {
    emulator.provisioning.changeOrganization(name, { workspaceLimit: 5 });
    emulator.faults.add({ method: "PATCH", skip: 1, times: 1, status: 500, body: { errors: ["no"] } });
    await assert.rejects(managed.up({ ...args, isDisabled: true }));
    const { id, outputs } = managed;
    assert.deepEqual([id, outputs.isDisabled, outputs.workspaceLimit], [name, true, 5]);
    assert.equal(await managed.up({ ...args, isDisabled: true }), "updated");
    assert.deepEqual([organization().isDisabled, organization().workspaceLimit], [true, 20]);
  });

  it("an update of a drifted object keeps the read value of a cleared argument if only the library is concerned", async () => {
    await managed.up({ ...args, workspaceLimit: null });
    const { outputs } = managed;
    assert.equal(await managed.up({ ...args, workspaceLimit: null, onDestroy: "restore" }), "updated");
    assert.deepEqual(managed.outputs, { ...outputs, onDestroy: "restore" });
  });
});
