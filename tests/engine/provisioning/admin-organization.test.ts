import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../support/lifecycle";

describeLifecycle({
  className: "provisioning.AdminOrganization",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:AdminOrganization",
  async prepare(world) {
    const { provisioning } = world;
    const organizations = await provisioning.newOrganizations(2);
    const [first = "", second = ""] = organizations;
    await provisioning.changeOrganization(first, { workspaceLimit: 10, accessBetaTools: true });
    return {
      // Organizations are not made by the resource: what it leaves behind are values that differ from the former.
      ...world.surroundings("provisioning", (inspection) =>
        inspection.provisioning.organizations.filter(({ isDisabled }) => isDisabled),
      ),
      first,
      second,
    };
  },
  live: {
    needs: ["provisioning service", "site administrator"],
    count: async ({ world, first, second }) => {
      const states = await Promise.all([first, second].map((name) => world.provisioning.organization(name)));
      return states.filter(({ isDisabled }) => isDisabled).length;
    },
  },
  declare: (name, args, options) =>
    new trivium.provisioning.AdminOrganization(
      name,
      args as unknown as trivium.provisioning.AdminOrganizationArgs,
      options,
    ),
  valid: ({ first }) => ({
    name: first,
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
    { argument: "name", toIn: ({ second }) => second, replaces: true },
  ],
  cleared: ["iacBuildWorkerPlanTimeout", "workspaceLimit", "globalModuleSharing"],
  drift: {
    argument: "iacBuildWorkerApplyTimeout",
    cause: ({ world }, id) => world.provisioning.changeOrganization(id, { iacBuildWorkerApplyTimeout: "9h" }),
  },
  get: (name, id, options) => trivium.provisioning.AdminOrganization.get(name, id, options),
  writeOnly: ["onDestroy"],
  adopt: false,
  inPlace: true,
  canaries: [],
  finally: {
    "has given back what was managed of the organizations, and only that": ({ emulator, first, second }) => {
      const [acme, platform] = [first, second].map((name) =>
        emulator?.inspect().provisioning.organizations.find((each) => each.name === name),
      );
      assert.equal(acme?.workspaceLimit, 10);
      assert.equal(acme.accessBetaTools, true);
      assert.equal(acme.iacBuildWorkerApplyTimeout, null);
      assert.equal(acme.isDisabled, false);
      assert.equal(platform?.workspaceLimit, null);
      assert.equal(platform.iacBuildWorkerApplyTimeout, null);
    },
    "has sent the given attributes only": ({ emulator, first }) => {
      const [request] =
        emulator?.journal.requests({ method: "PATCH", path: `/api/v2/admin/organizations/${first}` }) ?? [];
      const { attributes } = (request?.body as { data: { attributes: Record<string, unknown> } }).data;
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
