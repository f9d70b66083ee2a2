import assert from "node:assert/strict";
import { adminOrganization } from "../../cases/provisioning/admin-organization";
import { describeLifecycle } from "../support/lifecycle";

describeLifecycle(adminOrganization, {
  finally: {
    "has given back what was managed of the organizations, and only that": ({
      emulator,
      world,
      first,
      second,
    }) => {
      // By the documents an update takes no null: the defaults stand for it.
      const [apply, limit] = world.dialect === "documented" ? ["24h", 0] : [null, null];
      const [acme, platform] = [first, second].map((name) =>
        emulator?.inspect().provisioning.organizations.find((each) => each.name === name),
      );
      assert.equal(acme?.workspaceLimit, 10);
      assert.equal(acme.accessBetaTools, true);
      assert.equal(acme.iacBuildWorkerApplyTimeout, apply);
      assert.equal(acme.isDisabled, false);
      assert.equal(platform?.workspaceLimit, limit);
      assert.equal(platform.iacBuildWorkerApplyTimeout, apply);
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
