import type { Area } from "../area";
import { name, object } from "../forms";
import { AttributeTable } from "./attributes";
import type { ProvisioningDialect } from "./dialect";
import {
  deletes,
  gets,
  pageParameters,
  paginate,
  patches,
  pathPrefix,
  posts,
  type ProvisioningEndpoint,
  type ProvisioningRequest,
  type Query,
} from "./endpoint";
import { documentResponse, forbidden, invalid, notFound, readIdentifiers, readResource } from "./json-api";
import type { ProjectRecord, Records } from "./records";
import type { ProvisioningPermissions, ProvisioningRights } from "./rights";

export interface ProjectsInspection {
  readonly projects: readonly ProjectRecord[];
}

/** A project to set up. */
export interface NewProject {
  /** Name of an existing organization. */
  readonly organization: string;
  readonly name: string;
  /** Default: a new one, `prj-` and 16 letters and digits. */
  readonly id?: string;
}

/** What a seed returns about a project. */
export const projectForm = object<NewProject>({ id: name.optional(), organization: name, name });

/** Changes projects behind a program's back. Every method throws an Error for what does not exist. */
export interface ProjectsSetup {
  /** Whatever its name: the rules of the interface are not applied. */
  addProject(project: NewProject): ProjectRecord;
  changeProject(id: string, change: { readonly name: string }): ProjectRecord;
  /** Also one that holds workspaces; they go to the organization's default project. */
  removeProject(id: string): void;
}

const shortestName = 3;

const attributes = new AttributeTable<Pick<ProjectRecord, "name">>({
  name: {
    read(value, refuse, { projectNameLimit, projectNames }) {
      if (value === undefined || value === null || value === "") {
        throw refuse("can't be blank");
      }
      if (typeof value !== "string") {
        throw refuse("must be a string");
      }
      const length = Array.from(value).length;
      if (length < shortestName || length > projectNameLimit) {
        throw refuse(`must have ${shortestName} to ${projectNameLimit} characters, not ${length}`);
      }
      const asDocumented = projectNames === "as documented";
      if (!(asDocumented ? /^[\p{L}\p{N} _-]*$/u : /^[A-Za-z0-9 _-]*$/).test(value)) {
        throw refuse("may only hold letters, digits, spaces, - and _");
      }
      if (!asDocumented && value !== value.trim()) {
        throw refuse("may not start or end with a space");
      }
      return value;
    },
  },
});

const filterParameters = [
  "q",
  "filter[names]",
  "filter[permissions][create-workspace]",
  "filter[permissions][update]",
] as const;

export function createProjectsArea(
  records: Records,
  dialect: ProvisioningDialect,
): Area<ProvisioningEndpoint, ProjectsInspection, ProjectsSetup> {
  const form = { type: "projects", attributes: attributes.settable(dialect) };
  const show = (project: ProjectRecord, { permissions }: ProvisioningRequest): unknown =>
    toResource(project, permissionsOn(project, permissions, dialect), dialect);

  const requireOrganization = (organization: string, allowed: boolean): void => {
    if (!allowed || !records.isAccessible(organization)) {
      throw notFound();
    }
  };
  const findProject = (request: ProvisioningRequest, right: keyof ProvisioningRights): ProjectRecord => {
    const project = records.projects.find(request.parameter("project_id"));
    if (project === undefined) {
      throw notFound();
    }
    requireOrganization(project.organization, request.permissions.on(project)[right]);
    return project;
  };
  const requireFreeName = (organization: string, wanted: string, exceptId?: string): void => {
    if (records.projectsOf(organization).some(({ id, name }) => name === wanted && id !== exceptId)) {
      throw invalid("/data/attributes/name", "Name has already been taken");
    }
  };
  const mayMove = (id: string, to: ProjectRecord, permissions: ProvisioningPermissions): boolean => {
    const workspace = records.workspaces.find(id);
    return (
      workspace?.organization === to.organization &&
      permissions.on(records.projects.known(workspace.projectId)).moveWorkspaces
    );
  };

  return {
    endpoints: [
      posts("/organizations/:organization_name/projects", (request) => {
        const organization = request.parameter("organization_name");
        requireOrganization(organization, request.permissions.in(organization).createProjects);
        const sent = readResource(request.body, form, dialect);
        const { name } = attributes.readNew(sent.attributes, dialect);
        requireFreeName(organization, name);
        const project = records.addProject(organization, name);
        const all = permissionsOn(project, request.permissions, dialect);
        // The documentation promises the other two permissions for update, list and show only.
        const permissions = dialect.creationShowsAllPermissions ? all : { "can-update": all["can-update"] };
        return documentResponse(201, { data: toResource(project, permissions, dialect) });
      }),
      gets(
        "/organizations/:organization_name/projects",
        (request) => {
          const { permissions, query } = request;
          const organization = request.parameter("organization_name");
          requireOrganization(organization, permissions.in(organization).read);
          const visible = records.projectsOf(organization).filter((project) => permissions.on(project).read);
          const matching = visible.filter((project) => isWanted(project, query, permissions));
          const { items, links, pagination, size } = paginate(matching, request);
          const meta = {
            "status-counts": { total: visible.length, matching: matching.length },
            pagination: { ...pagination, "page-size": size },
          };
          return { data: items.map((project) => show(project, request)), links, meta };
        },
        [...pageParameters, ...filterParameters],
      ),
      gets("/projects/:project_id", (request) => ({ data: show(findProject(request, "read"), request) })),
      patches("/projects/:project_id", (request) => {
        const project = findProject(request, "updateProjects");
        const sent = readResource(request.body, { ...form, id: project.id }, dialect);
        const change = attributes.readChange(sent.attributes, dialect);
        if (change.name !== undefined) {
          requireFreeName(project.organization, change.name, project.id);
        }
        return { data: show(records.projects.set({ ...project, ...change }), request) };
      }),
      deletes("/projects/:project_id", (request) => {
        const { id, isDefault } = findProject(request, "deleteProjects");
        if (isDefault) {
          throw forbidden("The default project of an organization cannot be deleted.");
        }
        const held = records.workspaces.all().filter(({ projectId }) => projectId === id).length;
        if (held > 0) {
          throw forbidden(
            `The project still contains ${held} workspace(s), and force-deleting is not allowed.`,
          );
        }
        records.removeProject(id);
      }),
      posts("/projects/:project_id/relationships/workspaces", (request) => {
        const project = findProject(request, "moveWorkspaces");
        const ids = readIdentifiers(request.body, "workspaces", dialect);
        const refused = ids.filter((id) => !mayMove(id, project, request.permissions));
        if (refused.length > 0) {
          throw forbidden(`Not found, or may not be moved, so none was moved: ${refused.join(", ")}.`);
        }
        for (const id of ids) {
          records.moveWorkspace(id, project.id);
        }
        return undefined;
      }),
    ],
    setup: {
      addProject: ({ organization, name, id }) => structuredClone(records.addProject(organization, name, id)),
      changeProject: (id, { name }) =>
        structuredClone(records.projects.set({ ...records.projects.known(id), name })),
      removeProject(id) {
        records.removeProject(id);
      },
    },
    inspect: () => ({ projects: records.projects.all() }),
    clear() {
      records.projects.clear();
    },
  };
}

/** Whether a project belongs into the list that the query asks for. */
function isWanted(project: ProjectRecord, query: Query, permissions: ProvisioningPermissions): boolean {
  const name = project.name.toLowerCase();
  const names = query
    .get("filter[names]")
    ?.split(",")
    .map((text) => text.trim().toLowerCase());
  const search = query.get("q") ?? "";
  const rights = permissions.on(project);
  return (
    (names === undefined ? name.includes(search.toLowerCase()) : names.includes(name)) &&
    (!query.has("filter[permissions][create-workspace]") || rights.createWorkspaces) &&
    (!query.has("filter[permissions][update]") || rights.updateProjects)
  );
}

function permissionsOn(
  project: ProjectRecord,
  callers: ProvisioningPermissions,
  { furtherAttributes }: ProvisioningDialect,
) {
  const { updateProjects, deleteProjects, createWorkspaces } = callers.on(project);
  return {
    "can-update": updateProjects,
    "can-destroy": deleteProjects && !project.isDefault,
    "can-create-workspace": createWorkspaces,
    ...furtherAttributes.projectPermissions,
  };
}

function toResource(project: ProjectRecord, permissions: object, dialect: ProvisioningDialect): unknown {
  const { id, organization } = project;
  return {
    id,
    type: "projects",
    attributes: {
      ...attributes.show(project, dialect),
      permissions,
      ...dialect.furtherAttributes.project,
    },
    relationships: {
      organization: {
        data: { id: organization, type: "organizations" },
        links: { related: `${pathPrefix}/organizations/${encodeURIComponent(organization)}` },
      },
    },
    links: { self: `${pathPrefix}/projects/${id}` },
  };
}
