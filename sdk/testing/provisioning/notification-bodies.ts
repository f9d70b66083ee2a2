import { newIdentifier } from "../tokens";
import type { NotificationConfigurationRecord, RunDescription, WorkspaceRecord } from "./types";
import type { ProvisioningTraits } from "./traits";

type Target = Pick<NotificationConfigurationRecord, "id" | "name" | "destinationType">;

export function verificationBody({ id, name, destinationType }: Target): unknown {
  const message = `Verification of ${name}`;
  return destinationType === "generic"
    ? runBody(id, {}, { message, trigger: "verification" })
    : chatBody(message);
}

/** Unknown members are null. */
function runBody(configurationId: string, run: object, notification: object): unknown {
  return {
    payload_version: 1,
    notification_configuration_id: configurationId,
    run_url: null,
    run_id: null,
    run_message: null,
    run_created_at: null,
    run_created_by: null,
    workspace_id: null,
    workspace_name: null,
    organization_name: null,
    ...run,
    notifications: [{ run_status: null, run_updated_at: null, run_updated_by: null, ...notification }],
  };
}

/** The documentation does not define chat messages, and both chat services accept a text message. */
function chatBody(text: string): unknown {
  return { text };
}

/** For two triggers, the products' message depends on the run's status. */
const triggerTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "run:errored": {
    errored: "run:run_errored",
    canceled: "run:run_canceled",
    policy_soft_failed: "run:policy_soft_failed",
  },
  "run:needs_attention": {
    needs_attention: "run:pending_apply_approval",
    planned: "run:pending_apply_approval",
    cost_estimated: "run:cost_estimated",
    policy_checked: "run:policies_checked",
    policy_override: "run:policy_override_required",
  },
};

export interface NotificationContext {
  /** ISO 8601. */
  readonly now: string;
  /** The address of the service's own web interface. */
  readonly api: string;
  readonly traits: ProvisioningTraits;
}

/** @returns the body that each configuration receives for a trigger */
export function notificationBodies(
  workspace: WorkspaceRecord,
  trigger: string,
  { details, ...run }: RunDescription & { readonly details?: object },
  context: NotificationContext,
): (target: Target) => unknown {
  const title = trigger.replaceAll(/[:_]/g, " ");
  const message = run.message ?? title.charAt(0).toUpperCase() + title.slice(1);
  const page = [workspace.organization, workspace.name].map(encodeURIComponent).join("/workspaces/");
  const event = { workspace, trigger, message, page: `https://provisioning.example/app/${page}`, details };
  const bodyFor = genericBodies(event, run, context);
  return ({ id, destinationType }) =>
    destinationType === "generic"
      ? bodyFor(id)
      : chatBody(`${message}: ${workspace.organization}/${workspace.name}`);
}

interface NotifiedEvent {
  readonly workspace: WorkspaceRecord;
  readonly trigger: string;
  readonly message: string;
  /** The workspace's page. */
  readonly page: string;
  /** Members that a test has chosen. */
  readonly details: object | undefined;
}

function genericBodies(
  event: NotifiedEvent,
  run: RunDescription,
  context: NotificationContext,
): (configurationId: string) => unknown {
  if (event.trigger.startsWith("run:")) {
    return runBodies(event, run, context);
  }
  return event.trigger.startsWith("change_request:")
    ? changeRequestBodies(event, context)
    : workspaceBodies(event, context);
}

function namesOf({ name, organization }: WorkspaceRecord): object {
  return { workspace_name: name, organization_name: organization };
}

function placeOf(workspace: WorkspaceRecord): object {
  return { workspace_id: workspace.id, ...namesOf(workspace) };
}

function runBodies(
  { workspace, trigger, message, page }: NotifiedEvent,
  run: RunDescription,
  { now, traits }: NotificationContext,
) {
  const runId = run.runId ?? newIdentifier("run-");
  const members = {
    run_url: run.runUrl ?? `${page}/runs/${runId}`,
    run_id: runId,
    run_message: run.runMessage ?? "Queued in the emulator",
    run_created_at: run.runCreatedAt ?? now,
    run_created_by: run.runCreatedBy ?? "emulator",
    ...placeOf(workspace),
  };
  const status = run.runStatus ?? (trigger === "run:created" ? "pending" : trigger.slice("run:".length));
  const type = traits.describesTriggers ? triggerTypes[trigger]?.[status] : undefined;
  const notification = {
    message,
    trigger,
    ...(type !== undefined && { trigger_type: type }),
    run_status: status,
    run_updated_at: run.runUpdatedAt ?? now,
    run_updated_by: run.runUpdatedBy ?? "emulator",
  };
  return (configurationId: string) => runBody(configurationId, members, notification);
}

function changeRequestBodies(
  { workspace, trigger, message, page, details }: NotifiedEvent,
  { now }: NotificationContext,
) {
  const members = {
    change_request_url: `${page}/change-requests/${newIdentifier("wscr-")}`,
    change_request_subject: "Change requested in the emulator",
    change_request_message: "",
    change_request_created_at: now,
    change_request_created_by: "emulator",
    ...placeOf(workspace),
    ...details,
    notifications: [{ message, trigger }],
  };
  return (configurationId: string): unknown => ({
    payload_version: 1,
    notification_configuration_id: configurationId,
    ...members,
  });
}

/** The documentation only says that this body differs from that of a run; the products send version 2. */
function workspaceBodies(
  { workspace, trigger, message, details }: NotifiedEvent,
  { now, api, traits }: NotificationContext,
) {
  // The trigger of a notification about results has a different name than the configured trigger.
  const sentTrigger = trigger.replace(/_run_results$/, "_results");
  const scope = sentTrigger.split(":", 1)[0];
  const isAssessment = scope === "assessment";
  const members = {
    ...(traits.describesTriggers &&
      (isAssessment ? assessment(trigger, api, now) : automaticDestruction(trigger, now))),
    // The products do not send the ID of the workspace that was destroyed.
    ...(traits.describesTriggers && !isAssessment ? namesOf(workspace) : placeOf(workspace)),
    ...details,
  };
  return (configurationId: string): unknown => ({
    payload_version: traits.workspacePayload,
    notification_configuration_id: configurationId,
    notification_configuration_url: `${api}/notification-configurations/${configurationId}`,
    trigger_scope: scope,
    trigger: sentTrigger,
    message,
    details: members,
  });
}

function assessment(trigger: string, api: string, now: string): object {
  const id = newIdentifier("asmtres-");
  const drifted = Number(trigger === "assessment:drifted");
  const failed = Number(trigger === "assessment:check_failure");
  const result = {
    id,
    url: `${api}/assessment-results/${id}`,
    succeeded: trigger !== "assessment:failed",
    drifted: drifted > 0,
    all_checks_succeeded: failed === 0,
    resources_drifted: drifted,
    resources_undrifted: 1,
    checks_passed: 1,
    checks_failed: failed,
    checks_errored: 0,
    checks_unknown: 0,
    created_at: now,
  };
  return { new_assessment_result: result, prior_assessment_result: null };
}

/** Nothing for other triggers, because the products' documentation does not show their members. */
function automaticDestruction(trigger: string, now: string): object | undefined {
  const hasRun = trigger.endsWith("_results");
  return trigger.startsWith("workspace:auto_destroy_")
    ? {
        auto_destroy_at: hasRun ? null : now,
        run_created_at: hasRun ? now : null,
        run_status: hasRun ? "applied" : null,
        run_external_id: hasRun ? newIdentifier("run-") : null,
        run_create_error_message: null,
        trigger_type: hasRun ? "results" : "reminder",
      }
    : undefined;
}
