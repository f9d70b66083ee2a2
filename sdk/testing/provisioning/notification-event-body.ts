import type { Target } from "./notification-body";
import type { WorkspaceRecord } from "./records";

/** What is told of something that happened to a workspace apart from its runs. */
export interface WorkspaceEvent {
  /** What fired the notification, as it is configured. */
  readonly trigger: string;
  /** Why it is sent, in words. */
  readonly message: string;
  /** ISO 8601. */
  readonly now: string;
}

/** Results are announced by another name than the one they are configured by. */
const announcedAs: ReadonlyMap<string, string> = new Map([
  ["workspace:auto_destroy_run_results", "workspace:auto_destroy_results"],
]);

/** The body for a generic receiver; it names neither a run nor more than one notification. */
export function workspaceEventBody(
  target: Target,
  workspace: WorkspaceRecord,
  { trigger, message, now }: WorkspaceEvent,
): unknown {
  const announced = announcedAs.get(trigger) ?? trigger;
  const [scope = ""] = announced.split(":");
  const { id, name, organization } = workspace;
  return {
    payload_version: "2",
    notification_configuration_id: target.id,
    notification_configuration_url:
      `https://provisioning.example/app/${encodeURIComponent(organization)}` +
      `/workspaces/${encodeURIComponent(name)}/settings/notifications/${target.id}`,
    trigger_scope: scope,
    trigger: announced,
    message,
    details:
      scope === "assessment"
        ? {
            workspace_id: id,
            workspace_name: name,
            organization_name: organization,
            new_assessment_result: assessmentResult(trigger, now),
            prior_assessment_result: null,
          }
        : {
            auto_destroy_at: now,
            run_created_at: null,
            run_status: null,
            run_external_id: null,
            run_create_error_message: null,
            trigger_type: announced.endsWith("_reminder") ? "reminder" : "results",
            workspace_name: name,
            organization_name: organization,
          },
  };
}

function assessmentResult(trigger: string, now: string): unknown {
  const drifted = trigger === "assessment:drifted";
  const failedCheck = trigger === "assessment:check_failure";
  return {
    id: "asmtres-0000000000000001",
    url: "https://provisioning.example/api/v2/assessment-results/asmtres-0000000000000001",
    succeeded: trigger !== "assessment:failed",
    drifted,
    all_checks_succeeded: !failedCheck,
    resources_drifted: drifted ? 1 : 0,
    resources_undrifted: 0,
    checks_passed: 0,
    checks_failed: failedCheck ? 1 : 0,
    checks_errored: 0,
    checks_unknown: 0,
    created_at: now,
  };
}
