import {
  either,
  flag,
  type Members,
  name,
  names,
  object,
  oneOf,
  oneOrMore,
  optional,
  partial,
  recordOf,
  type Schema,
  schema,
  text,
  textOrNull,
  texts,
  type TokenOptions,
} from "../schemas";

const wholeNumberOrNull = schema<number | null>(
  "a whole number or null",
  (value) => value === null || Number.isSafeInteger(value),
);

/** In a seed, a limit can be any string. */
export const organizationSettings = {
  /** Default: a new one, such as `org-` and 16 letters and digits. */
  externalId: text,
  /** Default `admin@example.com`. */
  notificationEmail: text,
  /** Default false. */
  accessBetaTools: flag,
  /**
   * Default false. In a disabled organization, all endpoints except those of site administrators return 404.
   */
  isDisabled: flag,
  /** A number with a unit, such as `1.5h`. Default null. */
  iacBuildWorkerApplyTimeout: textOrNull,
  /** A number with a unit, such as `90m`. Default null. */
  iacBuildWorkerPlanTimeout: textOrNull,
  /** Default false. */
  iacWorkerSudoEnabled: flag,
  /** Default false. If it is true, there are no module consumers. */
  globalModuleSharing: flag,
  /** Default false. If it is true, there are no provider consumers. */
  globalProviderSharing: flag,
  /** Default false. */
  ssoEnabled: flag,
  /** Default null. */
  workspaceLimit: wholeNumberOrNull,
  /** IDs of users; they become users of the organization. Default none. */
  ownerIds: names,
  /** Default null. */
  subscriptionId: textOrNull,
  /** Default null. */
  featureSetId: textOrNull,
  /** Names of organizations. Default none. Setting them turns global module sharing off. */
  moduleConsumers: names,
  /** Names of organizations. Default none. Setting them turns global provider sharing off. */
  providerConsumers: names,
};

/** The settings of an organization that site administrators see, in addition to its name. */
export interface OrganizationAttributes extends Members<typeof organizationSettings> {}

export const newOrganization = {
  name,
  /** The ID of its default project. Default: a new one, `prj-` and 16 letters and digits. */
  defaultProjectId: optional(name),
};

/** An organization to set up. */
export interface NewOrganization extends Partial<OrganizationAttributes>, Members<typeof newOrganization> {}

export const newWorkspace = {
  /** Default: a new one, `ws-` and 16 letters and digits. */
  id: optional(name),
  /** The name of an existing organization. */
  organization: name,
  /** The ID or name of a project there. Default: the organization's default project. */
  project: optional(name),
  /** Default: `workspace-1`, `workspace-2` ... */
  name: optional(name),
};

/** A workspace to set up. */
export interface NewWorkspace extends Members<typeof newWorkspace> {}

export const newUser = {
  /** Default: a new one, `user-` and 16 letters and digits. */
  id: optional(name),
  /** Default: `user-1`, `user-2` ... */
  username: optional(name),
  /** The name of an existing organization, or several names. Default: none. */
  organization: optional(oneOrMore),
};

/** A user to set up. */
export interface NewUser extends Members<typeof newUser> {}

export const newTeam = {
  /** Default: a new one, `team-` and 16 letters and digits. */
  id: optional(name),
  /** The name of an existing organization. */
  organization: name,
};

/** A team to set up. */
export interface NewTeam extends Members<typeof newTeam> {}

export const projectSettings = {
  description: textOrNull,
  /** Such as `14d`. */
  autoDestroyActivityDuration: textOrNull,
  tags: texts,
  /** Null means the organization's value, which is `remote`. */
  defaultExecutionMode: textOrNull,
  defaultAgentPoolId: textOrNull,
};

/** The settings that a project has only in the hashicorp dialect. */
export interface ProjectSettings extends Members<typeof projectSettings> {}

export const newProject = {
  /** The name of an existing organization. */
  organization: name,
  name,
  /** Default: a new one, `prj-` and 16 letters and digits. */
  id: optional(name),
};

/** A project to set up. */
export interface NewProject extends Partial<ProjectSettings>, Members<typeof newProject> {}

const rights = {
  /** Whether the token has read access. Without it, everything there returns 404. */
  read: flag,
  createProjects: flag,
  updateProjects: flag,
  deleteProjects: flag,
  createWorkspaces: flag,
  /** Required for the project that workspaces leave and for the one that they enter. */
  moveWorkspaces: flag,
  /**
   * Required for the notification configurations of workspaces, projects and teams; an organization's tokens
   * do not have it.
   */
  administerWorkspaces: flag,
};

/** What a token is allowed to do in an organization, or with one project. */
export interface ProvisioningRights extends Members<typeof rights> {}

/**
 * All permissions, only `read`, none, or the listed ones. With a list, `read` is granted unless it is false,
 * and others only if they are listed.
 */
export type ProvisioningAccess = "full" | "read" | "none" | Partial<ProvisioningRights>;

const access: Schema<ProvisioningAccess> = either(
  oneOf("full", "read", "none"),
  object<Partial<ProvisioningRights>>(partial(rights)),
  '"full", "read", "none" or rights',
);

export const provisioningToken = {
  /** The access to every organization that `organizations` does not list. Default `"full"`. */
  access: optional(access),
  /** The access by name of the organization. */
  organizations: optional(recordOf(access)),
  /**
   * The access by project ID, which overrides the organization's. Only the organization's access decides
   * about creation.
   */
  projects: optional(recordOf(access)),
  /**
   * Whether the token is allowed to use the site administrators' endpoints. Default: true if `access` is `"full"`.
   */
  siteAdministrator: optional(flag),
  /**
   * Whether the token belongs to an organization or a team instead of a user. Only the account in the
   * hashicorp dialect shows this. Default false.
   */
  serviceAccount: optional(flag),
};

/** Options of an additional token of the provisioning service. */
export interface ProvisioningTokenOptions extends TokenOptions, Members<typeof provisioningToken> {}
