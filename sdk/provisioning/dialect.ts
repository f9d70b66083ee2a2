import type { Dialect } from "../base/settings";

export const provisioningDialects = {
  documented: {
    longestProjectName: 36,
    /** Whether a project's name can start or end with a space. */
    trimsProjectNames: false,
    /** Whether the names of projects are unique, ignoring case: terraform-provider-tfe, pull request 958. */
    hasUniqueProjects: false,
    /** Whether responses can include the tags of projects. */
    hasTags: false,
    /** Whether the workspaces of an organization can be listed. */
    listsWorkspaces: false,
    /** Whether requests contain a list of related objects in `data`. */
    wrapsRelationships: false,
    /** Whether an update of an organization accepts null. */
    takesNull: false,
    /**
     * Whether an update of a notification configuration might remove users that it does not list (which is
     * not known).
     */
    mayDropUsers: false,
    /** Whether projects and teams can also have notification configurations. */
    notifiesOfProjects: false,
    /** Whether a notification configuration is rejected if it has arguments of another destination type. */
    refusesUnused: false,
    /** Whether an email configuration without users notifies everybody in the project. */
    mailsEverybody: false,
    /** The name of a notification configuration's type in requests. */
    notificationType: "notification-configuration",
    /** Whether providers can be shared with a list of organizations. */
    setsProviderConsumers: false,
  },
  hashicorp: {
    longestProjectName: 40,
    trimsProjectNames: true,
    hasUniqueProjects: true,
    hasTags: true,
    listsWorkspaces: true,
    wrapsRelationships: true,
    takesNull: true,
    mayDropUsers: true,
    notifiesOfProjects: true,
    refusesUnused: true,
    mailsEverybody: true,
    notificationType: "notification-configurations",
    setsProviderConsumers: true,
  },
} as const satisfies Readonly<Record<Dialect, object>>;
