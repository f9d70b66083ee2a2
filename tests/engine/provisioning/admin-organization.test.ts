import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../support/lifecycle";
import { surroundingsOf } from "../support/surroundings";

const token = "canary-token-8d2f61";

describeLifecycle({
  className: "provisioning.AdminOrganization",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:AdminOrganization",
  async prepare(dialect) {
    const emulator = await startEmulator({ dialect, tokens: { provisioning: token } });
    emulator.provisioning.addOrganization({ name: "acme" });
    emulator.provisioning.addOrganization({ name: "platform" });
    emulator.provisioning.changeOrganization("acme", { workspaceLimit: 10, accessBetaTools: true });
    // Organizations are not made by the resource: what it leaves behind are values that differ from the former.
    return surroundingsOf(emulator, "provisioning", () =>
      emulator.inspect().provisioning.organizations.filter(({ isDisabled }) => isDisabled),
    );
  },
  declare: (name, args, options) =>
    new trivium.provisioning.AdminOrganization(
      name,
      args as unknown as trivium.provisioning.AdminOrganizationArgs,
      options,
    ),
  valid: () => ({
    name: "acme",
    isDisabled: true,
    accessBetaTools: false,
    iacBuildWorkerApplyTimeout: "1.5h",
    workspaceLimit: 20,
    onDestroy: "restore",
  }),
  spellings: { iacBuildWorkerApplyTimeout: "90m" },
  changes: [
    { argument: "accessBetaTools", to: true },
    { argument: "accessBetaTools", to: false },
    { argument: "globalModuleSharing", to: true },
    { argument: "globalProviderSharing", to: true },
    { argument: "iacBuildWorkerApplyTimeout", to: "3h" },
    { argument: "iacBuildWorkerPlanTimeout", to: "45m" },
    { argument: "workspaceLimit", to: 0 },
    { argument: "onDestroy", to: "retain" },
    { argument: "onDestroy", to: "restore" },
    { argument: "name", to: "platform", replaces: true },
  ],
  cleared: ["iacBuildWorkerPlanTimeout", "workspaceLimit", "globalModuleSharing"],
  drift: {
    argument: "iacBuildWorkerApplyTimeout",
    cause: ({ emulator }, id) =>
      emulator.provisioning.changeOrganization(id, { iacBuildWorkerApplyTimeout: "9h" }),
  },
  get: (name, id, options) => trivium.provisioning.AdminOrganization.get(name, id, options),
  writeOnly: ["onDestroy"],
  adopt: false,
  canaries: [token],
  finally: {
    "has given back what was managed of the organizations, and only that": ({ emulator }) => {
      const [acme, platform] = ["acme", "platform"].map((name) =>
        emulator.inspect().provisioning.organizations.find((each) => each.name === name),
      );
      assert.equal(acme?.workspaceLimit, 10);
      assert.equal(acme.accessBetaTools, true);
      assert.equal(acme.iacBuildWorkerApplyTimeout, null);
      assert.equal(acme.isDisabled, false);
      assert.equal(platform?.workspaceLimit, null);
      assert.equal(platform.iacBuildWorkerApplyTimeout, null);
    },
    "has sent the given attributes only": ({ emulator }) => {
      const [first] = emulator.journal.requests({
        method: "PATCH",
        path: "/api/v2/admin/organizations/acme",
      });
      const { attributes } = (first?.body as { data: { attributes: Record<string, unknown> } }).data;
      const named = Object.entries(attributes).map(([name, value]) => [
        name.replace(/^.*-build-worker-/, ""),
        value,
      ]);
      assert.deepEqual(Object.fromEntries(named), {
        "is-disabled": true,
        "access-beta-tools": false,
        "apply-timeout": "1.5h",
        "workspace-limit": 20,
      });
    },
  },
});
