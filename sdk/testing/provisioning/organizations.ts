import type { Area } from "../area";
import type { ProvisioningEndpoint } from "./endpoint";
import type { OrganizationAttributes, OrganizationRecord } from "./organization-record";
import type { ProjectRecord, Records, UserRecord, WorkspaceRecord } from "./records";

/** The records for which the documents give no endpoint. */
export interface OrganizationsInspection {
  readonly organizations: readonly OrganizationRecord[];
  readonly workspaces: readonly WorkspaceRecord[];
  readonly users: readonly UserRecord[];
}

/** An organization to set up. */
export interface NewOrganization extends Partial<OrganizationAttributes> {
  readonly name: string;
  /** The id of its default project. Default: a new one, `prj-` and 16 letters and digits. */
  readonly defaultProjectId?: string;
}

/** A workspace to set up. */
export interface NewWorkspace {
  /** Default: a new one, `ws-` and 16 letters and digits. */
  readonly id?: string;
  /** Name of an existing organization. */
  readonly organization: string;
  /** Id or name of a project there. Default: the organization's default project. */
  readonly project?: string;
  /** Default: `workspace-1`, `workspace-2` ... */
  readonly name?: string;
}

/** A user to set up. */
export interface NewUser {
  /** Default: a new one, `user-` and 16 letters and digits. */
  readonly id?: string;
  /** Name of an existing organization, or several. Default: none. */
  readonly organization?: string | readonly string[];
  /** Default: `user-1`, `user-2` ... */
  readonly username?: string;
}

/** Sets up what the documents give no endpoint for. Every method throws an Error for what does not exist. */
export interface OrganizationsSetup {
  /** An organization has a project named "Default Project" from the start. */
  addOrganization(organization: NewOrganization): OrganizationRecord;
  /** Changes what is given; the rules of the interface are not applied. */
  changeOrganization(name: string, change: Partial<OrganizationAttributes>): OrganizationRecord;
  /** Removes it with its projects and workspaces. */
  removeOrganization(name: string): void;
  addWorkspace(workspace: NewWorkspace): WorkspaceRecord;
  /** @param project id or name of a project of the same organization */
  moveWorkspace(id: string, project: string): WorkspaceRecord;
  removeWorkspace(id: string): void;
  addUser(user?: NewUser): UserRecord;
  removeUser(id: string): void;
}

/** Organizations, workspaces and users. */
export function createOrganizationsArea(
  records: Records,
): Area<ProvisioningEndpoint, OrganizationsInspection, OrganizationsSetup> {
  let numbered = 0;
  const nextNumber = (): number => (numbered += 1);

  return {
    endpoints: [],
    setup: {
      addOrganization({ name, defaultProjectId, ...attributes }) {
        return structuredClone(records.addOrganization(name, attributes, defaultProjectId));
      },
      changeOrganization(name, change) {
        return structuredClone(records.changeOrganization(name, change));
      },
      removeOrganization(name) {
        records.removeOrganization(name);
      },
      addWorkspace({ organization, project, name, id }) {
        const { defaultProjectId } = records.organization(organization);
        const projectId =
          project === undefined ? defaultProjectId : findProject(records, organization, project).id;
        return structuredClone(records.addWorkspace(projectId, name ?? `workspace-${nextNumber()}`, id));
      },
      moveWorkspace(id, project) {
        const { organization } = records.workspace(id);
        return structuredClone(records.moveWorkspace(id, findProject(records, organization, project).id));
      },
      removeWorkspace(id) {
        records.removeWorkspace(id);
      },
      addUser({ organization = [], username, id } = {}) {
        return structuredClone(
          records.addUser(username ?? `user-${nextNumber()}`, [organization].flat(), id),
        );
      },
      removeUser(id) {
        records.removeUser(id);
      },
    },
    inspect: () => ({
      organizations: [...records.organizations.values()],
      workspaces: [...records.workspaces.values()],
      users: [...records.users.values()],
    }),
    clear() {
      numbered = 0;
      records.clear();
    },
  };
}

function findProject(records: Records, organization: string, project: string): ProjectRecord {
  const found = records.projectsOf(organization).find(({ id, name }) => id === project || name === project);
  if (found === undefined) {
    throw new Error(
      `The organization ${JSON.stringify(organization)} has no project ${JSON.stringify(project)}.`,
    );
  }
  return found;
}
