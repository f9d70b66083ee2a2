import { newIdentifier } from "../identifiers";
import type { NotificationConfigurationRecord } from "./notification-configuration-record";
import {
  changedOrganization,
  newOrganization,
  type OrganizationAttributes,
  type OrganizationRecord,
} from "./organization-record";

export interface ProjectRecord {
  readonly id: string;
  readonly name: string;
  /** Name of the organization. */
  readonly organization: string;
  /** Made with the organization; it cannot be deleted over the interface. */
  readonly isDefault: boolean;
}

/** A workspace; the documents have no endpoint that makes one. */
export interface WorkspaceRecord {
  readonly id: string;
  readonly name: string;
  /** Name of the organization. */
  readonly organization: string;
  readonly projectId: string;
}

/** A user; the documents have no endpoint that makes one. */
export interface UserRecord {
  readonly id: string;
  readonly username: string;
  /** Names of the organizations that the user belongs to. */
  readonly organizations: readonly string[];
}

/**
 * What exists in the provisioning service. Shared by its areas; it keeps the records consistent with each other but
 * knows no rules of the interface. Records are replaced, never changed.
 */
export class Records {
  readonly organizations = new Map<string, OrganizationRecord>();
  readonly projects = new Map<string, ProjectRecord>();
  readonly workspaces = new Map<string, WorkspaceRecord>();
  readonly users = new Map<string, UserRecord>();
  readonly notificationConfigurations = new Map<string, NotificationConfigurationRecord>();

  /** @param defaultProjectId default: a new one */
  addOrganization(
    name: string,
    attributes: Partial<OrganizationAttributes> = {},
    defaultProjectId?: string,
  ): OrganizationRecord {
    requireNew("organization", name, this.organizations);
    this.requireReferences(attributes);
    const project = this.insertProject(name, "Default Project", true, defaultProjectId);
    this.organizations.set(name, newOrganization(name, project.id));
    return this.changeOrganization(name, attributes);
  }

  changeOrganization(name: string, change: Partial<OrganizationAttributes>): OrganizationRecord {
    const organization = changedOrganization(this.organization(name), change);
    this.requireReferences(change);
    this.organizations.set(name, organization);
    for (const id of organization.ownerIds) {
      const owner = known("user", id, this.users);
      this.users.set(id, { ...owner, organizations: [...new Set([...owner.organizations, name])] });
    }
    return organization;
  }

  /** With its projects and workspaces; its users stay, without it. */
  removeOrganization(name: string): void {
    this.organization(name);
    for (const workspace of this.workspacesIn((candidate) => candidate.organization === name)) {
      this.removeWorkspace(workspace.id);
    }
    for (const project of this.projectsOf(name)) {
      this.projects.delete(project.id);
    }
    for (const user of this.users.values()) {
      const organizations = user.organizations.filter((other) => other !== name);
      this.users.set(user.id, { ...user, organizations });
    }
    this.organizations.delete(name);
    for (const other of this.organizations.values()) {
      this.organizations.set(other.name, {
        ...other,
        moduleConsumers: other.moduleConsumers.filter((consumer) => consumer !== name),
        providerConsumers: other.providerConsumers.filter((consumer) => consumer !== name),
      });
    }
  }

  /** Whether it exists, and is not disabled. */
  isAccessible(organization: string): boolean {
    return this.organizations.get(organization)?.isDisabled === false;
  }

  /** @param id default: a new one */
  addProject(organization: string, name: string, id?: string): ProjectRecord {
    this.organization(organization);
    return this.insertProject(organization, name, false, id);
  }

  changeProject(id: string, change: { readonly name: string }): ProjectRecord {
    const project = { ...this.project(id), name: change.name };
    this.projects.set(id, project);
    return project;
  }

  /** Workspaces that it holds go to the default project. */
  removeProject(id: string): void {
    const { organization } = this.project(id);
    const { defaultProjectId } = this.organization(organization);
    if (id === defaultProjectId) {
      throw new Error(`The default project of ${JSON.stringify(organization)} cannot be removed.`);
    }
    for (const workspace of this.workspacesIn((candidate) => candidate.projectId === id)) {
      this.workspaces.set(workspace.id, { ...workspace, projectId: defaultProjectId });
    }
    this.projects.delete(id);
  }

  /** @param id default: a new one */
  addWorkspace(projectId: string, name: string, id = newIdentifier("ws-")): WorkspaceRecord {
    const { organization } = this.project(projectId);
    requireNew("workspace", id, this.workspaces);
    const workspace = { id, name, organization, projectId };
    this.workspaces.set(workspace.id, workspace);
    return workspace;
  }

  moveWorkspace(id: string, projectId: string): WorkspaceRecord {
    const workspace = this.workspace(id);
    const { organization } = this.project(projectId);
    if (workspace.organization !== organization) {
      throw new Error(`The workspace ${id} belongs to another organization than the project ${projectId}.`);
    }
    const moved = { ...workspace, projectId };
    this.workspaces.set(id, moved);
    return moved;
  }

  /** With its notification configurations. */
  removeWorkspace(id: string): void {
    this.workspace(id);
    for (const configuration of this.notificationConfigurationsOf(id)) {
      this.notificationConfigurations.delete(configuration.id);
    }
    this.workspaces.delete(id);
  }

  /** Also in place of the one that has the same id. */
  setNotificationConfiguration(configuration: NotificationConfigurationRecord): void {
    this.workspace(configuration.workspaceId);
    for (const id of configuration.userIds) {
      known("user", id, this.users);
    }
    this.notificationConfigurations.set(configuration.id, configuration);
  }

  removeNotificationConfiguration(id: string): void {
    this.notificationConfiguration(id);
    this.notificationConfigurations.delete(id);
  }

  /** @param id default: a new one */
  addUser(username: string, organizations: readonly string[], id = newIdentifier("user-")): UserRecord {
    for (const organization of organizations) {
      this.organization(organization);
    }
    requireNew("user", id, this.users);
    const user = { id, username, organizations: [...organizations] };
    this.users.set(user.id, user);
    return user;
  }

  removeUser(id: string): void {
    known("user", id, this.users);
    this.users.delete(id);
    for (const organization of this.organizations.values()) {
      const ownerIds = organization.ownerIds.filter((other) => other !== id);
      this.organizations.set(organization.name, { ...organization, ownerIds });
    }
    for (const configuration of this.notificationConfigurations.values()) {
      const userIds = configuration.userIds.filter((other) => other !== id);
      this.notificationConfigurations.set(configuration.id, { ...configuration, userIds });
    }
  }

  projectsOf(organization: string): ProjectRecord[] {
    return [...this.projects.values()].filter((project) => project.organization === organization);
  }

  workspacesIn(belongs: (workspace: WorkspaceRecord) => boolean): WorkspaceRecord[] {
    return [...this.workspaces.values()].filter(belongs);
  }

  notificationConfigurationsOf(workspaceId: string): NotificationConfigurationRecord[] {
    return [...this.notificationConfigurations.values()].filter(
      (configuration) => configuration.workspaceId === workspaceId,
    );
  }

  /** @throws Error when there is none; for setting up, where that is a mistake in the test */
  organization(name: string): OrganizationRecord {
    return known("organization", name, this.organizations);
  }

  /** @throws Error when there is none */
  project(id: string): ProjectRecord {
    return known("project", id, this.projects);
  }

  /** @throws Error when there is none */
  workspace(id: string): WorkspaceRecord {
    return known("workspace", id, this.workspaces);
  }

  /** @throws Error when there is none */
  notificationConfiguration(id: string): NotificationConfigurationRecord {
    return known("notification configuration", id, this.notificationConfigurations);
  }

  clear(): void {
    for (const records of [
      this.organizations,
      this.projects,
      this.workspaces,
      this.users,
      this.notificationConfigurations,
    ]) {
      records.clear();
    }
  }

  private requireReferences(attributes: Partial<OrganizationAttributes>): void {
    const { ownerIds = [], moduleConsumers = [], providerConsumers = [] } = attributes;
    for (const id of ownerIds) {
      known("user", id, this.users);
    }
    for (const name of [...moduleConsumers, ...providerConsumers]) {
      this.organization(name);
    }
  }

  private insertProject(
    organization: string,
    name: string,
    isDefault: boolean,
    id = newIdentifier("prj-"),
  ): ProjectRecord {
    requireNew("project", id, this.projects);
    const project = { id, name, organization, isDefault };
    this.projects.set(project.id, project);
    return project;
  }
}

function requireNew(kind: string, key: string, records: ReadonlyMap<string, unknown>): void {
  if (records.has(key)) {
    throw new Error(`The emulator already has the ${kind} ${JSON.stringify(key)}.`);
  }
}

function known<Item>(kind: string, key: string, records: ReadonlyMap<string, Item>): Item {
  const record = records.get(key);
  if (record === undefined) {
    throw new Error(`The emulator has no ${kind} ${JSON.stringify(key)}.`);
  }
  return record;
}
