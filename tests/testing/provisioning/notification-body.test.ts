import assert from "node:assert/strict";
import { provisioningDialects } from "../../../sdk/testing/provisioning/dialect";
import { notificationBodies, verificationBody } from "../../../sdk/testing/provisioning/notification-body";
import { at } from "../call";

const { documented, hashicorp } = provisioningDialects;

describe("the bodies of the emulator's notifications", () => {
  const target = (destinationType: "generic" | "chat-a" | "chat-b") => ({
    id: "nc-1",
    name: "receiver",
    destinationType,
  });
  const workspace = { id: "ws-1", name: "a/b", organization: "a c", projectId: "prj-1" };

  for (const type of ["chat-a", "chat-b"] as const) {
    it(`are texts for ${type}`, () => {
      assert.deepEqual(verificationBody(target(type)), { text: "Verification of receiver" });
      const bodyFor = notificationBodies(workspace, "run:created", {}, "now", documented);
      assert.deepEqual(bodyFor(target(type)), { text: "Run created: a c/a/b" });
    });
  }
});

describe("the body of a notification that is not about a run", () => {
  const target = { id: "nc-1", name: "receiver", destinationType: "generic" } as const;
  const workspace = { id: "ws-1", name: "a/b", organization: "a c", projectId: "prj-1" };
  const bodyFor = (trigger: string): unknown =>
    notificationBodies(workspace, trigger, { message: "Why" }, "2026-01-31T12:00:00.000Z", hashicorp)(target);

  for (const [trigger, succeeded, drifted, allChecksSucceeded] of [
    ["assessment:drifted", true, true, true],
    ["assessment:check_failure", true, false, false],
    ["assessment:failed", false, false, true],
  ] as const) {
    it(`has the result of ${trigger}`, () => {
      const result = at(bodyFor(trigger), "details", "new_assessment_result");
      assert.deepEqual(
        ["succeeded", "drifted", "all_checks_succeeded"].map((name) => at(result, name)),
        [succeeded, drifted, allChecksSucceeded],
      );
    });
  }

  for (const [trigger, announced, type] of [
    ["workspace:auto_destroy_reminder", "workspace:auto_destroy_reminder", "reminder"],
    ["workspace:auto_destroy_run_results", "workspace:auto_destroy_results", "results"],
  ] as const) {
    it(`announces ${trigger} as ${announced}`, () => {
      const body = bodyFor(trigger);
      assert.deepEqual([at(body, "trigger"), at(body, "details", "trigger_type")], [announced, type]);
    });
  }
});
