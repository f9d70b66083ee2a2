import { newIdentifier } from "../tokens";
import type { ProvisioningDialect } from "./dialect";
import type { NotificationConfigurationRecord, WorkspaceRecord } from "./records";

/** What a notification says about a run. All texts are free. */
export interface RunDescription {
  /** Default a new one. */
  readonly runId?: string;
  /** Default an address that leads nowhere. */
  readonly runUrl?: string;
  /** Why the run was queued. Default `Queued in the emulator`. */
  readonly runMessage?: string;
  /** Default now. */
  readonly runCreatedAt?: string;
  /** A username. Default `emulator`. */
  readonly runCreatedBy?: string;
  /** Default by trigger: `pending`, `planning`, `needs_attention`, `applying`, `completed` or `errored`. */
  readonly runStatus?: string;
  /** Default now. */
  readonly runUpdatedAt?: string;
  /** A username. Default `emulator`. */
  readonly runUpdatedBy?: string;
  /** Why this notification is sent. Default e.g. `Run completed`. */
  readonly message?: string;
}

/** The status that a run has when a notification about it is sent. */
const runStatusOf: ReadonlyMap<string, string> = new Map([
  ["run:created", "pending"],
  ["run:planning", "planning"],
  ["run:needs_attention", "needs_attention"],
  ["run:applying", "applying"],
  ["run:completed", "completed"],
  ["run:errored", "errored"],
]);

/** The configuration that a notification goes to. */
type Target = Pick<NotificationConfigurationRecord, "id" | "name" | "destinationType">;

/** The body of the request that tests whether a receiver responds. */
export function verificationBody({ id, name, destinationType }: Target): unknown {
  const message = `Verification of ${name}`;
  return destinationType === "generic"
    ? {
        payload_version: 1,
        notification_configuration_id: id,
        run_url: null,
        run_id: null,
        run_message: null,
        run_created_at: null,
        run_created_by: null,
        workspace_id: null,
        workspace_name: null,
        organization_name: null,
        notifications: [
          { message, trigger: "verification", run_status: null, run_updated_at: null, run_updated_by: null },
        ],
      }
    : chatBody(message);
}

/**
 * A function that makes the body for each receiver; what happened is the same in all.
 *
 * @param now ISO 8601
 */
export function notificationBodies(
  workspace: WorkspaceRecord,
  trigger: string,
  run: RunDescription,
  now: string,
  { otherPayloadVersion }: Pick<ProvisioningDialect, "otherPayloadVersion">,
): (target: Target) => unknown {
  const words = trigger.replaceAll(/[:_]/g, " ");
  const message = run.message ?? words.charAt(0).toUpperCase() + words.slice(1);
  const about = { ...run, message };
  const bodyFor = trigger.startsWith("run:")
    ? runBodies(workspace, about, trigger, now)
    : eventBodies(workspace, about, trigger, now, otherPayloadVersion);
  return (target) =>
    target.destinationType === "generic"
      ? bodyFor(target)
      : chatBody(`${message}: ${workspace.organization}/${workspace.name}`);
}

function runBodies(
  { id, name, organization }: WorkspaceRecord,
  run: RunDescription,
  trigger: string,
  now: string,
): (target: Target) => unknown {
  const runId = run.runId ?? newIdentifier("run-");
  const place = [organization, name].map(encodeURIComponent).join("/workspaces/");
  return (target) => ({
    payload_version: 1,
    notification_configuration_id: target.id,
    run_url: run.runUrl ?? `https://provisioning.example/app/${place}/runs/${runId}`,
    run_id: runId,
    run_message: run.runMessage ?? "Queued in the emulator",
    run_created_at: run.runCreatedAt ?? now,
    run_created_by: run.runCreatedBy ?? "emulator",
    workspace_id: id,
    workspace_name: name,
    organization_name: organization,
    notifications: [
      {
        message: run.message,
        trigger,
        run_status: run.runStatus ?? runStatusOf.get(trigger) ?? "pending",
        run_updated_at: run.runUpdatedAt ?? now,
        run_updated_by: run.runUpdatedBy ?? "emulator",
      },
    ],
  });
}

/**
 * For what happened to a workspace apart from its runs: it names neither a run nor more than one notification. The
 * documents only say that this body is another one.
 */
function eventBodies(
  { id, name, organization }: WorkspaceRecord,
  { message }: RunDescription,
  trigger: string,
  now: string,
  payloadVersion: number | string,
): (target: Target) => unknown {
  // Results are announced by another name than the one they are configured by.
  const announced = trigger.replace(/_run_results$/, "_results");
  const [scope = ""] = announced.split(":");
  const place = [organization, name].map(encodeURIComponent).join("/workspaces/");
  const named = { workspace_name: name, organization_name: organization };
  const assessment = {
    ...named,
    workspace_id: id,
    new_assessment_result: assessmentResult(trigger, now),
    prior_assessment_result: null,
  };
  const destruction = {
    ...named,
    auto_destroy_at: now,
    run_created_at: null,
    run_status: null,
    run_external_id: null,
    run_create_error_message: null,
    trigger_type: announced.endsWith("_reminder") ? "reminder" : "results",
  };
  return (target) => ({
    payload_version: payloadVersion,
    notification_configuration_id: target.id,
    notification_configuration_url: `https://provisioning.example/app/${place}/settings/notifications/${target.id}`,
    trigger_scope: scope,
    trigger: announced,
    message,
    details: scope === "assessment" ? assessment : destruction,
  });
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

/** The documentation leaves chat messages to the chat services; both kinds of webhook take a text. */
function chatBody(text: string): unknown {
  return { text };
}
