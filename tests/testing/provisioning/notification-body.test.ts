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

  it("are those of a notification about no run, to verify a generic receiver", () => {
    assert.deepEqual(verificationBody(target("generic")), {
      payload_version: 1,
      notification_configuration_id: "nc-1",
      run_url: null,
      run_id: null,
      run_message: null,
      run_created_at: null,
      run_created_by: null,
      workspace_id: null,
      workspace_name: null,
      organization_name: null,
      notifications: [
        {
          message: "Verification of receiver",
          trigger: "verification",
          run_status: null,
          run_updated_at: null,
          run_updated_by: null,
        },
      ],
    });
  });

  for (const type of ["chat-a", "chat-b"] as const) {
    it(`are texts for ${type}`, () => {
      assert.deepEqual(verificationBody(target(type)), { text: "Verification of receiver" });
      const bodyFor = notificationBodies(workspace, "run:created", {}, "now", documented);
      assert.deepEqual(bodyFor(target(type)), { text: "Run created: a c/a/b" });
    });
  }

  it("tell all receivers of the same run, each its own configuration", () => {
    const bodyFor = notificationBodies(workspace, "run:created", {}, "now", documented);
    const first = bodyFor(target("generic"));
    const second = bodyFor({ ...target("generic"), id: "nc-2" });
    assert.equal(at(first, "run_id"), at(second, "run_id"));
    assert.equal(at(first, "notification_configuration_id"), "nc-1");
    assert.equal(at(second, "notification_configuration_id"), "nc-2");
  });

  it("have an address of the run that is one", () => {
    const url = at(
      notificationBodies(workspace, "run:created", { runId: "run-1" }, "now", documented)(target("generic")),
      "run_url",
    );
    assert.equal(url, "https://provisioning.example/app/a%20c/workspaces/a%2Fb/runs/run-1");
  });
});

describe("the body of a notification that is not about a run", () => {
  const target = { id: "nc-1", name: "receiver", destinationType: "generic" } as const;
  const workspace = { id: "ws-1", name: "a/b", organization: "a c", projectId: "prj-1" };
  const bodyFor = (trigger: string): unknown =>
    notificationBodies(workspace, trigger, { message: "Why" }, "2026-01-31T12:00:00.000Z", hashicorp)(target);

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
