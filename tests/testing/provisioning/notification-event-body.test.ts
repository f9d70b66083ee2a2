import assert from "node:assert/strict";
import { workspaceEventBody } from "../../../sdk/testing/provisioning/notification-event-body";
import { at } from "../call";

describe("the body of a notification that is not about a run", () => {
  const target = { id: "nc-1", name: "receiver", destinationType: "generic" } as const;
  const workspace = { id: "ws-1", name: "a/b", organization: "a c", projectId: "prj-1" };
  const bodyFor = (trigger: string): unknown =>
    workspaceEventBody(target, workspace, { trigger, message: "Why", now: "2026-01-31T12:00:00.000Z" });

  it("names configuration, workspace and what happened", () => {
    const body = bodyFor("assessment:drifted");
    assert.deepEqual(
      ["notification_configuration_id", "trigger_scope", "trigger", "message"].map((name) => at(body, name)),
      ["nc-1", "assessment", "assessment:drifted", "Why"],
    );
    assert.match(String(at(body, "notification_configuration_url")), /\/a%20c\/workspaces\/a%2Fb\/.*\/nc-1$/);
    assert.deepEqual(
      ["workspace_id", "workspace_name", "organization_name"].map((name) => at(body, "details", name)),
      ["ws-1", "a/b", "a c"],
    );
  });

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
