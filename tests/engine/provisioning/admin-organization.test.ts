import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../support/lifecycle";

const token = "canary-token-8d2f61";

let emulator: Emulator;

describe("provisioning.AdminOrganization, in its service", () => {
  before(async () => {
    emulator = await startEmulator({ tokens: { provisioning: token } });
    emulator.provisioning.addOrganization({ name: "acme" });
    emulator.provisioning.addOrganization({ name: "platform" });
    emulator.provisioning.changeOrganization("acme", { workspaceLimit: 10, accessBetaTools: true });
  });

  after(() => emulator.close());

  describeLifecycle({
    className: "provisioning.AdminOrganization",
    type: "pulumi-nodejs:dynamic/trivium/provisioning:AdminOrganization",
    prepare: () =>
      Promise.resolve({
        configuration: {
          "trivium:provisioningAddress": emulator.provisioning.address,
          "trivium:provisioningToken": { secret: token },
        },
        // Organizations are not made by the resource: what it leaves behind are values that differ from the former.
        objects: () =>
          emulator
            .inspect()
            .provisioning.organizations.filter((each) => each.isDisabled)
            .map((each) => ({ ...each })),
        requests: () => emulator.journal.count(),
        close: () => Promise.resolve(),
      }),
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
      cause: (_surroundings, id) =>
        emulator.provisioning.changeOrganization(id, { iacBuildWorkerApplyTimeout: "9h" }),
    },
    get: (name, id) => trivium.provisioning.AdminOrganization.get(name, id),
    writeOnly: ["onDestroy"],
    adopt: false,
    canaries: [token],
  });

  describe("organizations that were managed for a while", () => {
    it("have got back what was managed of them, and only that", () => {
      const [acme, platform] = ["acme", "platform"].map((name) =>
        emulator.inspect().provisioning.organizations.find((each) => each.name === name),
      );
      assert.equal(acme?.workspaceLimit, 10);
      assert.equal(acme.accessBetaTools, true);
      assert.equal(acme.iacBuildWorkerApplyTimeout, null);
      assert.equal(acme.isDisabled, false);
      assert.equal(platform?.workspaceLimit, null);
      assert.equal(platform.iacBuildWorkerApplyTimeout, null);
    });

    it("were sent the given attributes only", () => {
      const [first] = emulator.journal.requests({
        method: "PATCH",
        path: "/api/v2/admin/organizations/acme",
      });
      assert.deepEqual(first?.body, {
        data: {
          type: "organizations",
          attributes: {
            "is-disabled": true,
            "access-beta-tools": false,
            "iac-build-worker-apply-timeout": "1.5h",
            "workspace-limit": 20,
          },
        },
      });
    });
  });
});
