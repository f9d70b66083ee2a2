import type {
  NewOrganization,
  NewProject,
  NewTeam,
  NewUser,
  NewWorkspace,
  OrganizationAttributes,
  ProjectSettings,
} from "./seeds";
import type { Duration } from "../duration";

/** The description of a run in a notification. Any text is accepted. */
export interface RunDescription {
  /** Default: a new one. */
  readonly runId?: string;
  /** Default: a URL that does not exist. */
  readonly runUrl?: string;
  /** The reason why the run was queued. Default `Queued in the emulator`. */
  readonly runMessage?: string;
  /** Default: now. */
  readonly runCreatedAt?: string;
  /** A username. Default `emulator`. */
  readonly runCreatedBy?: string;
  /** Default by trigger: `pending`, `planning`, `needs_attention`, `applying`, `completed` or `errored`. */
  readonly runStatus?: string;
  /** Default: now. */
  readonly runUpdatedAt?: string;
  /** A username. Default `emulator`. */
  readonly runUpdatedBy?: string;
  /** The reason for the notification, as text. Default: derived from the trigger, such as `Run completed`. */
  readonly message?: string;
}

export interface NotificationConfigurationsInspection {
  /** With their tokens, in plain text. */
  readonly notificationConfigurations: readonly NotificationConfigurationRecord[];
}

/** A configuration that exists without a verification. It belongs to one workspace, project or team. */
export interface NewNotificationConfiguration extends Partial<NotificationConfigurationSettings> {
  /** The ID of an existing workspace. */
  readonly workspace?: string;
  /** The ID of an existing project. */
  readonly project?: string;
  /** The ID of an existing team. */
  readonly team?: string;
  readonly name: string;
  /** Default `generic`. */
  readonly destinationType?: NotificationDestinationType;
}

/** A change of a notification configuration by another client. */
export type NotificationConfigurationChange = Partial<
  NotificationConfigurationSettings & Pick<NotificationConfigurationRecord, "deliveryResponses">
>;

/** A notification about a run, or with another body. */
export interface NewNotification extends RunDescription {
  /** The ID of an existing workspace. */
  readonly workspace: string;
  /** A trigger of the service, such as `run:completed`. */
  readonly trigger: string;
  /**
   * Members of a notification that is not about a run: members of `details`, such as the result of an assessment,
   * or members of a change request, such as `change_request_subject`.
   */
  readonly details?: Readonly<Record<string, unknown>>;
  /**
   * The body that generic receivers get instead of a run's description, for notifications that are not about
   * runs.
   */
  readonly body?: unknown;
}

/** Changes records as another client would. Every method throws an Error for an unknown object. */
export interface NotificationConfigurationsSetup {
  /**
   * Adds a configuration without verification. The rules of the API, such as the maximum number, do not
   * apply.
   */
  addNotificationConfiguration(configuration: NewNotificationConfiguration): NotificationConfigurationRecord;
  /** Changes a configuration without verification. The rules of the API do not apply. */
  changeNotificationConfiguration(
    id: string,
    change: NotificationConfigurationChange,
  ): NotificationConfigurationRecord;
  removeNotificationConfiguration(id: string): void;
  /**
   * Sends a notification to the receivers of all enabled configurations with this trigger that belong to the
   * workspace, its project or its organization's teams. Notifications are signed if the configuration has a
   * token. The emulator does not send email, so email configurations are skipped.
   *
   * @returns what the receivers returned
   */
  sendNotification(notification: NewNotification): Promise<NotificationDelivery[]>;
}

/** The outcome of one notification. */
export interface NotificationDelivery {
  readonly notificationConfigurationId: string;
  /** The status that the receiver returned; null when there was no response. */
  readonly status: number | null;
  /** Why there was no response; null when there was one. */
  readonly failure: string | null;
}

/** Records without a documented endpoint. */
export interface OrganizationsInspection {
  readonly organizations: readonly OrganizationRecord[];
  readonly workspaces: readonly WorkspaceRecord[];
  readonly users: readonly UserRecord[];
  readonly teams: readonly TeamRecord[];
}

/**
 * Sets up objects that no documented endpoint creates. Every method throws an Error for an unknown object.
 */
export interface OrganizationsSetup {
  /** An organization has a project named "Default Project" from the start. */
  addOrganization(organization: NewOrganization): OrganizationRecord;
  /** Changes the given members. The rules of the API do not apply. */
  changeOrganization(name: string, change: Partial<OrganizationAttributes>): OrganizationRecord;
  /** Removes an organization with its projects, workspaces and teams. */
  removeOrganization(name: string): void;
  addWorkspace(workspace: NewWorkspace): WorkspaceRecord;
  /** @param project ID or name of a project of the same organization */
  moveWorkspace(id: string, project: string): WorkspaceRecord;
  removeWorkspace(id: string): void;
  addUser(user?: NewUser): UserRecord;
  removeUser(id: string): void;
  addTeam(team: NewTeam): TeamRecord;
}

export interface ProjectsInspection {
  readonly projects: readonly ProjectRecord[];
}

/** Changes projects as another client would. Every method throws an Error for an unknown object. */
export interface ProjectsSetup {
  /** Renames a project. Any name is accepted, because the rules of the API do not apply. */
  addProject(project: NewProject): ProjectRecord;
  changeProject(id: string, change: Partial<Pick<ProjectRecord, "name"> & ProjectSettings>): ProjectRecord;
  /** Workspaces in it move to the organization's default project. */
  removeProject(id: string): void;
}

/** An organization; there is no documented endpoint to create one. */
export interface OrganizationRecord extends OrganizationAttributes {
  readonly name: string;
  /** The project that every organization has from the start. */
  readonly defaultProjectId: string;
}

export interface ProjectRecord extends Partial<ProjectSettings> {
  readonly id: string;
  readonly name: string;
  /** Name of the organization. */
  readonly organization: string;
  /** Created with the organization; it cannot be deleted through the API. */
  readonly isDefault: boolean;
}

/** A workspace; there is no documented endpoint to create one. */
export interface WorkspaceRecord {
  readonly id: string;
  readonly name: string;
  /** Name of the organization. */
  readonly organization: string;
  readonly projectId: string;
}

/** A user; there is no documented endpoint to create one. */
export interface UserRecord {
  readonly id: string;
  readonly username: string;
  /** Names of the organizations that the user belongs to. */
  readonly organizations: readonly string[];
}

/** A team; there is no documented endpoint to create one. */
export interface TeamRecord {
  readonly id: string;
  /** Name of the organization. */
  readonly organization: string;
}

/**
 * The destination type of notifications: your own receiver, email to users, or one of the two kinds of team
 * chat. The emulator uses these names; those on the wire might differ.
 */
export type NotificationDestinationType = "generic" | "email" | "chat-a" | "chat-b";

/** The members of a notification configuration that can be changed. */
export interface NotificationConfigurationSettings {
  readonly name: string;
  readonly enabled: boolean;
  /** Null for email. */
  readonly url: string | null;
  /** In plain text, as the service keeps it. */
  readonly token: string | null;
  /** In the service's order, without duplicates. */
  readonly triggers: readonly string[];
  /** IDs of the users who receive the email. */
  readonly userIds: readonly string[];
  /** Further recipients of email, in the hashicorp dialect. */
  readonly emailAddresses: readonly string[];
}

/** A receiver's response to a verification request, with names as in the API. */
export interface DeliveryResponse {
  /** The address that the request was sent to. */
  readonly url: string;
  /** The beginning of the body: at most 4 KiB. */
  readonly body: string;
  /** The status. */
  readonly code: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** In UTC, such as `2026-01-31 12:00:00 UTC`, or `2026-01-31T12:00:00+00:00` in the hashicorp dialect. */
  readonly sentAt: string;
  readonly successful: string;
}

export interface NotificationConfigurationRecord extends NotificationConfigurationSettings {
  readonly id: string;
  /** Null if it belongs to a project or a team, as the other two are. */
  readonly workspaceId: string | null;
  readonly projectId: string | null;
  readonly teamId: string | null;
  readonly destinationType: NotificationDestinationType;
  /** The response to the latest verification request that received one, or an empty list. */
  readonly deliveryResponses: readonly DeliveryResponse[];
  /** ISO 8601, in UTC. */
  readonly createdAt: string;
  /** ISO 8601, in UTC. */
  readonly updatedAt: string;
}

/** How the provisioning service is emulated. */
export interface ProvisioningEmulatorOptions {
  /** The maximum length of a project's name, in characters. Default 36; 40 in the hashicorp dialect. */
  readonly projectNameLimit?: number;
  /**
   * Whether the projects of an organization must have different names. The API documentation does not require it;
   * the products do, ignoring case. Default false; true in the hashicorp dialect.
   */
  readonly uniqueProjectNames?: boolean;
  /**
   * What happens to the users of an email configuration if an update does not list any, in the hashicorp
   * dialect. The product's behavior was not tested; the tests of its client assert that the users are
   * cleared. Default `"kept"`.
   */
  readonly unsentEmailUsers?: "kept" | "cleared";
  /**
   * What happens to an organization's settings if an administrator's update omits them: the documentation
   * lists defaults, but does not say that other values are kept. Default `"kept"`.
   */
  readonly unsentOrganizationSettings?: "kept" | "reset";
  /** The time limit for a notification's receiver, in real time. Default 10 s. */
  readonly receiverTimeout?: Duration;
  /**
   * The number of requests per token and second (of the emulator's time) above which requests return 429.
   * Only in the hashicorp dialect, because no limit is documented for the other one. Default: none, although
   * headers advertise 30.
   */
  readonly requestsPerSecond?: number;
  /**
   * The PEM certificate of the authority to trust for receivers with HTTPS. Default: the authorities that
   * Node.js trusts.
   */
  readonly receiverCertificateAuthority?: string;
}
