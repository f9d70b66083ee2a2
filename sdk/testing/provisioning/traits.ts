import type { Dialect } from "../../base/settings";

/** What the provisioning service does in each dialect. */
export const provisioningTraits = {
  documented: {
    /** Whether unknown members and query parameters are ignored. */
    ignoresUnknown: false,
    /** Whether a relationship can also be the list itself. */
    takesBareLists: true,
    /** Whether a resource can lack its type where its shape allows it. */
    mayLackType: false,
    /** Whether 401 and 404 say why. */
    explainsAbsence: true,
    /** Whether a request that has no body needs the header of one. */
    alwaysNeedsMediaType: false,
    limitsRequests: false,
    largestPage: Infinity,
    /** Whether there are accounts, single organizations and registry partnerships. */
    hasAccounts: false,
    /** Whether a limit can be reset to null. */
    limitsCanBeNull: false,
    /** Whether the timeouts of applies and plans have the names of the products. */
    timeoutsHaveNewNames: false,
    sudoSetting: "iac-worker-sudo-enabled",
    sudoIsSettable: false,
    showsEmails: false,
    /** Whether projects have settings, tags and workspaces, and lists their parameters. */
    hasProjectSettings: false,
    projectName: /^(?:\p{L}\p{M}*|[\p{N} _-])*$/u,
    projectNameLimit: 36,
    trimsProjectNames: false,
    /** Whether names of projects are unique, whatever their case. */
    projectNamesAreUnique: false,
    foldsProjectNames: false,
    /** Whether a new project shows all permissions on it. */
    creationShowsPermissions: false,
    sortsProjects: false,
    /** Whether projects and teams can have notifications, and notifications can have email addresses without users. */
    notifiesBeyondWorkspaces: false,
    notifiesAddresses: false,
    triggers: ["assessment:drifted", "assessment:failed"],
    chats: { "chat-a": "chat-a", "chat-b": "chat-b" },
    /** Whether members are refused that the destination type does not use. */
    refusesUnusedMembers: false,
    typeIsPlural: false,
    wrapsUsers: false,
    /** Whether a change can leave out the users of an email configuration, which are then cleared. */
    mayClearUnsentUsers: false,
    signature: "X-Svc-Notification-Signature",
    timesHaveOffset: false,
    /** Whether notifications describe triggers, assessments and destructions as the products do. */
    describesTriggers: false,
    workspacePayload: 1,
  },
  hashicorp: {
    ignoresUnknown: true,
    takesBareLists: false,
    mayLackType: true,
    explainsAbsence: false,
    alwaysNeedsMediaType: true,
    limitsRequests: true,
    largestPage: 100,
    hasAccounts: true,
    limitsCanBeNull: true,
    timeoutsHaveNewNames: true,
    sudoSetting: "terraform-worker-sudo-enabled",
    sudoIsSettable: true,
    showsEmails: true,
    hasProjectSettings: true,
    /** ASCII only. */
    projectName: /^[A-Za-z0-9 _-]*$/,
    projectNameLimit: 40,
    trimsProjectNames: true,
    projectNamesAreUnique: true,
    foldsProjectNames: true,
    creationShowsPermissions: true,
    sortsProjects: true,
    notifiesBeyondWorkspaces: true,
    notifiesAddresses: true,
    triggers: [
      "assessment:drifted",
      "assessment:check_failure",
      "assessment:failed",
      "workspace:auto_destroy_reminder",
      "workspace:auto_destroy_run_results",
      "workspace:deleted",
      "change_request:created",
    ],
    chats: { "chat-a": "slack", "chat-b": "microsoft-teams" },
    refusesUnusedMembers: true,
    typeIsPlural: true,
    wrapsUsers: true,
    mayClearUnsentUsers: true,
    signature: "X-TFE-Notification-Signature",
    timesHaveOffset: true,
    describesTriggers: true,
    workspacePayload: "2",
  },
} as const satisfies Readonly<Record<Dialect, object>>;

export type ProvisioningTraits = (typeof provisioningTraits)[Dialect];
