import assert from "node:assert/strict";
import { inClear } from "../../support/values";
import type { OrganizationRecord } from "../../../sdk/testing";
import type { Properties } from "../../support/provider-process";
import { totpMethodDefinition } from "../../../sdk/secrets/mfa/totp-method";
import { lifecycleOn, Managed } from "../../support/managed";
import { useEmulator } from "../../support/use-emulator";
import { adminOrganizationDefinition } from "../../../sdk/provisioning/admin-organization";

describe("an update that was written and could not be read back", () => {
  const emulator = useEmulator();

  it("is read by the update that continues it, so that state has what the service says", async () => {
    const lifecycle = lifecycleOn(emulator, totpMethodDefinition);
    const inputs = { issuer: "Acme", period: "30s", digits: 6 };
    const made = await lifecycle.create(inputs);
    const news = { ...inputs, digits: 8 };

    emulator.faults.add({ method: "GET", skip: 1, status: 502 });
    const outputs = inClear(made.outs);
    const partial = await lifecycle.update(made.id, outputs, news).then(
      () => assert.fail("it succeeded"),
      (error: unknown) => error as { readonly properties: Properties },
    );
    const continued = await lifecycle.update(made.id, inClear(partial.properties), news);
    assert.deepEqual(inClear(continued.outs), {
      ...outputs,
      digits: 8,
      __managed: ["issuer,digits", { period: { as: "30s" } }],
    });
  });
});

const name = "acme";
const __urn = "dev::shop::::acme";

describe("an update of an object that somebody has changed", () => {
  const emulator = useEmulator();
  const args = { name, workspaceLimit: 20, isDisabled: false, onDestroy: "retain", __urn };
  let managed: Managed;

  beforeEach(async () => {
    emulator.provisioning.addOrganization({ name, workspaceLimit: 10 });
    managed = new Managed(adminOrganizationDefinition, emulator);
    await managed.up(args);
  });

  /** Somebody else changes the organization. */
  async function changeByHand(attributes: Properties): Promise<void> {
    const { address, token } = emulator.provisioning;
    const response = await fetch(`${address}/api/v2/admin/organizations/${name}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/vnd.api+json" },
      body: JSON.stringify({ data: { type: "organizations", attributes } }),
    });
    assert.equal(response.status, 200);
    emulator.journal.clear();
  }

  function organization(): OrganizationRecord {
    return emulator.inspect().provisioning.organizations.find((each) => each.name === name) ?? assert.fail();
  }

  /** The attributes of each request that changed it. */
  function sent(): unknown[] {
    return emulator.journal
      .requests({ method: "PATCH" })
      .map(({ body }) => (body as { data: { attributes: unknown } }).data.attributes);
  }

  it("restores what the program says, in a second request", async () => {
    await changeByHand({ "workspace-limit": 5 });
    await managed.up({ ...args, isDisabled: true });
    assert.deepEqual(sent(), [{ "is-disabled": true }, { "is-disabled": true, "workspace-limit": 20 }]);
    const { isDisabled, workspaceLimit } = organization();
    assert.deepEqual([isDisabled, workspaceLimit], [true, 20]);
    assert.equal(managed.outputs.workspaceLimit, 20);
    assert.equal(await managed.up({ ...args, isDisabled: true }), "same");
  });

  it("leaves what the program ignores, and state shows the drift in a refresh only", async () => {
    await changeByHand({ "workspace-limit": 5 });
    const __run = { ignored: ["workspaceLimit"] };
    await managed.up({ ...args, isDisabled: true, __run });
    assert.deepEqual(sent(), [{ "is-disabled": true }]);
    assert.deepEqual([organization().workspaceLimit, managed.outputs.workspaceLimit], [5, 20]);
    await managed.refresh();
    assert.equal(managed.inputs.workspaceLimit, 5);
  });

  it("leaves what the program does not manage", async () => {
    await changeByHand({ "access-beta-tools": true });
    await managed.up({ ...args, isDisabled: true });
    assert.deepEqual(sent(), [{ "is-disabled": true }]);
    assert.equal(organization().accessBetaTools, true);
  });

  it("keeps in state what was changed when the restoration fails, and the next run continues", async () => {
    await changeByHand({ "workspace-limit": 5 });
    emulator.faults.add({ method: "PATCH", skip: 1, times: 1, status: 500, body: { errors: ["no"] } });
    const error = await managed.up({ ...args, isDisabled: true }).then(
      () => assert.fail("it succeeded"),
      (thrown: unknown) => thrown as Error & { readonly id: string; readonly properties: Properties },
    );
    assert.equal(error.id, name);
    assert.deepEqual([error.properties.isDisabled, error.properties.workspaceLimit], [true, 5]);
    assert.equal(await managed.up({ ...args, isDisabled: true }), "updated");
    assert.deepEqual([organization().isDisabled, organization().workspaceLimit], [true, 20]);
  });

  it("keeps what a cleared argument reads as when only the library is concerned", async () => {
    await managed.up({ ...args, workspaceLimit: null });
    const { outputs } = managed;
    assert.equal(await managed.up({ ...args, workspaceLimit: null, onDestroy: "restore" }), "updated");
    assert.deepEqual(managed.outputs, { ...outputs, onDestroy: "restore" });
  });

  it("makes no request where only the library is concerned", async () => {
    emulator.journal.clear();
    assert.equal(await managed.up({ ...args, onDestroy: "restore" }), "updated");
    assert.equal(managed.outputs.onDestroy, "restore");
    assert.equal(emulator.journal.count(), 0);
  });
});
