import { newIdentifier } from "../tokens";
import { Table } from "../table";
import type {
  NotificationConfigurationRecord,
  OrganizationRecord,
  ProjectRecord,
  TeamRecord,
  UserRecord,
  WorkspaceRecord,
} from "./types";
import type { OrganizationAttributes } from "./seeds";

/** The workspace, project or team that a notification configuration belongs to. */
export type Subscriber = "workspaceId" | "projectId" | "teamId";

/**
 * Keeps records consistent, without the rules of the API. Every method throws an Error for an unknown object.
 */
export class Records {
  readonly organizations = new Table<OrganizationRecord>("organization", ({ name }) => name);
  readonly projects = new Table<ProjectRecord>("project", ({ id }) => id);
  readonly workspaces = new Table<WorkspaceRecord>("workspace", ({ id }) => id);
  readonly users = new Table<UserRecord>("user", ({ id }) => id);
  readonly teams = new Table<TeamRecord>("team", ({ id }) => id);
  readonly notificationConfigurations = new Table<NotificationConfigurationRecord>(
    "notification configuration",
    ({ id }) => id,
  );

  addOrganization(
    name: string,
    attributes: { readonly initial: OrganizationAttributes; readonly given: Partial<OrganizationAttributes> },
    defaultProjectId = newIdentifier("prj-"),
  ): OrganizationRecord {
    this.organizations.requireNew(name);
    this.requireReferences(attributes.given);
    this.projects.add({ id: defaultProjectId, name: "Default Project", organization: name, isDefault: true });
    this.organizations.set({ name, defaultProjectId, ...attributes.initial });
    return this.changeOrganization(name, attributes.given);
  }

  /** An organization cannot share with all organizations and with named ones at the same time. */
  changeOrganization(name: string, change: Partial<OrganizationAttributes>): OrganizationRecord {
    this.requireReferences(change);
    const organization = this.organizations.set({
      ...this.organizations.get(name),
      ...(change.moduleConsumers === undefined ? {} : { globalModuleSharing: false }),
      ...(change.providerConsumers === undefined ? {} : { globalProviderSharing: false }),
      ...change,
      ...(change.globalModuleSharing === true ? { moduleConsumers: [] } : {}),
      ...(change.globalProviderSharing === true ? { providerConsumers: [] } : {}),
    });
    for (const id of organization.ownerIds) {
      const owner = this.users.get(id);
      this.users.set({ ...owner, organizations: [...new Set([...owner.organizations, name])] });
    }
    return organization;
  }

  /** Also removes its projects, workspaces and teams; its users stay. */
  removeOrganization(name: string): void {
    this.organizations.remove(name);
    const removed = this.workspaces.all().filter(({ organization }) => organization === name);
    for (const { id } of removed) {
      this.removeWorkspace(id);
    }
    for (const { id } of this.projectsOf(name)) {
      this.projects.remove(id);
      this.removeNotificationConfigurationsOf("projectId", id);
    }
    for (const { id } of this.teams.all().filter(({ organization }) => organization === name)) {
      this.teams.remove(id);
      this.removeNotificationConfigurationsOf("teamId", id);
    }
    const others = (names: readonly string[]): string[] => names.filter((other) => other !== name);
    for (const user of this.users.all()) {
      this.users.set({ ...user, organizations: others(user.organizations) });
    }
    for (const other of this.organizations.all()) {
      this.organizations.set({
        ...other,
        moduleConsumers: others(other.moduleConsumers),
        providerConsumers: others(other.providerConsumers),
      });
    }
  }

  isAccessible(organization: string): boolean {
    return this.organizations.find(organization)?.isDisabled === false;
  }

  addProject(project: Omit<ProjectRecord, "id" | "isDefault"> & { readonly id?: string }): ProjectRecord {
    this.organizations.get(project.organization);
    return this.projects.add({ id: newIdentifier("prj-"), ...project, isDefault: false });
  }

  /** Its workspaces move to the default project. */
  removeProject(id: string): void {
    const { organization } = this.projects.get(id);
    const { defaultProjectId } = this.organizations.get(organization);
    if (id === defaultProjectId) {
      throw new Error(`The default project of ${JSON.stringify(organization)} cannot be removed.`);
    }
    for (const workspace of this.workspaces.all().filter(({ projectId }) => projectId === id)) {
      this.workspaces.set({ ...workspace, projectId: defaultProjectId });
    }
    this.projects.remove(id);
    this.removeNotificationConfigurationsOf("projectId", id);
  }

  addWorkspace(projectId: string, name: string, id = newIdentifier("ws-")): WorkspaceRecord {
    const { organization } = this.projects.get(projectId);
    return this.workspaces.add({ id, name, organization, projectId });
  }

  moveWorkspace(id: string, projectId: string): WorkspaceRecord {
    const workspace = this.workspaces.get(id);
    if (workspace.organization !== this.projects.get(projectId).organization) {
      throw new Error(`The workspace ${id} belongs to another organization than the project ${projectId}.`);
    }
    return this.workspaces.set({ ...workspace, projectId });
  }

  removeWorkspace(id: string): void {
    this.workspaces.remove(id);
    this.removeNotificationConfigurationsOf("workspaceId", id);
  }

  setNotificationConfiguration(configuration: NotificationConfigurationRecord): void {
    const tables = { workspaceId: this.workspaces, projectId: this.projects, teamId: this.teams };
    for (const [key, table] of Object.entries(tables)) {
      const id = configuration[key as Subscriber];
      if (id !== null) {
        table.get(id);
      }
    }
    for (const id of configuration.userIds) {
      this.users.get(id);
    }
    this.notificationConfigurations.set(configuration);
  }

  addUser(username: string, organizations: readonly string[], id = newIdentifier("user-")): UserRecord {
    for (const organization of organizations) {
      this.organizations.get(organization);
    }
    return this.users.add({ id, username, organizations: [...organizations] });
  }

  removeUser(id: string): void {
    this.users.remove(id);
    const others = (ids: readonly string[]): string[] => ids.filter((other) => other !== id);
    for (const organization of this.organizations.all()) {
      this.organizations.set({ ...organization, ownerIds: others(organization.ownerIds) });
    }
    for (const configuration of this.notificationConfigurations.all()) {
      this.notificationConfigurations.set({ ...configuration, userIds: others(configuration.userIds) });
    }
  }

  projectsOf(organization: string): ProjectRecord[] {
    return this.projects.all().filter((project) => project.organization === organization);
  }

  addTeam(organization: string, id = newIdentifier("team-")): TeamRecord {
    this.organizations.get(organization);
    return this.teams.add({ id, organization });
  }

  notificationConfigurationsOf(subscriber: Subscriber, id: string): NotificationConfigurationRecord[] {
    return this.notificationConfigurations.all().filter((each) => each[subscriber] === id);
  }

  private removeNotificationConfigurationsOf(subscriber: Subscriber, id: string): void {
    this.notificationConfigurations.deleteWhere((each) => each[subscriber] === id);
  }

  private requireReferences(attributes: Partial<OrganizationAttributes>): void {
    const { ownerIds = [], moduleConsumers = [], providerConsumers = [] } = attributes;
    for (const id of ownerIds) {
      this.users.get(id);
    }
    for (const name of [...moduleConsumers, ...providerConsumers]) {
      this.organizations.get(name);
    }
  }
}
