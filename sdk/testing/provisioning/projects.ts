import type { Area } from "../area";
import type { ProvisioningDialect } from "./dialect";
import type { ProvisioningEndpoint, ProvisioningRequest } from "./endpoint";
import { documentAnswer, noContent, readIdentifiers, readResource } from "./json-api";
import { pageParameters, paginate } from "./pagination";
import { isWanted, projectFilterParameters } from "./project-filter";
import { readProjectName } from "./project-name";
import { toFullResource, toResource } from "./project-resource";
import type { ProjectRecord, Records } from "./records";
import { forbidden, invalid, notFound } from "./refusal";
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

/** Changes projects behind a program's back. Every method throws an Error for what does not exist. */
export interface ProjectsSetup {
  /** Whatever its name: the rules of the interface are not applied. */
  addProject(project: NewProject): ProjectRecord;
  changeProject(id: string, change: { readonly name: string }): ProjectRecord;
  /** Also one that holds workspaces; they go to the organization's default project. */
  removeProject(id: string): void;
}

/** @param nameLimit the longest name of a project, in characters */
export function createProjectsArea(
  records: Records,
  nameLimit: number,
  dialect: ProvisioningDialect,
): Area<ProvisioningEndpoint, ProjectsInspection, ProjectsSetup> {
  return {
    endpoints: [
      {
        method: "POST",
        path: "/organizations/:organization_name/projects",
        takesBody: true,
        handle(request) {
          const organization = request.parameter("organization_name");
          requireOrganization(records, request.permissions.in(organization).createProjects, organization);
          const form = { type: "projects", attributes: ["name"] };
          const { attributes } = readResource(request.body, form, dialect);
          const name = readProjectName(attributes.get("name"), nameLimit, dialect.projectNames);
          requireFreeName(records, organization, name);
          const project = records.addProject(organization, name);
          if (dialect.creationShowsAllPermissions) {
            return documentAnswer(201, { data: toFullResource(project, request.permissions, dialect) });
          }
          // The documents promise the other two permissions for update, list and show only.
          const permissions = { "can-update": request.permissions.on(project).updateProjects };
          return documentAnswer(201, { data: toResource(project, permissions, dialect) });
        },
      },
      {
        method: "GET",
        path: "/organizations/:organization_name/projects",
        query: [...pageParameters, ...projectFilterParameters],
        takesBody: false,
        handle(request) {
          const organization = request.parameter("organization_name");
          requireOrganization(records, request.permissions.in(organization).read, organization);
          const visible = records
            .projectsOf(organization)
            .filter((project) => request.permissions.on(project).read);
          const matching = visible.filter((project) => isWanted(project, request.query, request.permissions));
          const page = paginate(matching, request.query, request.url);
          return documentAnswer(200, {
            data: page.items.map((project) => toFullResource(project, request.permissions, dialect)),
            links: page.links,
            meta: {
              "status-counts": { total: visible.length, matching: matching.length },
              pagination: { ...page.pagination, "page-size": page.size },
            },
          });
        },
      },
      {
        method: "GET",
        path: "/projects/:project_id",
        takesBody: false,
        handle(request) {
          const project = findProject(records, request, "read");
          return documentAnswer(200, { data: toFullResource(project, request.permissions, dialect) });
        },
      },
      {
        method: "PATCH",
        path: "/projects/:project_id",
        takesBody: true,
        handle(request) {
          const project = findProject(records, request, "updateProjects");
          const form = { type: "projects", attributes: ["name"], id: project.id };
          const { attributes } = readResource(request.body, form, dialect);
          if (!attributes.has("name")) {
            return documentAnswer(200, { data: toFullResource(project, request.permissions, dialect) });
          }
          const name = readProjectName(attributes.get("name"), nameLimit, dialect.projectNames);
          requireFreeName(records, project.organization, name, project.id);
          const changed = records.changeProject(project.id, { name });
          return documentAnswer(200, { data: toFullResource(changed, request.permissions, dialect) });
        },
      },
      {
        method: "DELETE",
        path: "/projects/:project_id",
        takesBody: false,
        handle(request) {
          const project = findProject(records, request, "deleteProjects");
          if (project.isDefault) {
            throw forbidden("The default project of an organization cannot be deleted.");
          }
          const held = records.workspacesIn(({ projectId }) => projectId === project.id).length;
          if (held > 0) {
            throw forbidden(
              `The project still contains ${held} workspace(s), and force-deleting is not allowed.`,
            );
          }
          records.removeProject(project.id);
          return noContent;
        },
      },
      {
        method: "POST",
        path: "/projects/:project_id/relationships/workspaces",
        takesBody: true,
        handle(request) {
          const project = findProject(records, request, "moveWorkspaces");
          const ids = readIdentifiers(request.body, "workspaces", dialect);
          const refused = ids.filter((id) => !mayMove(records, id, project, request.permissions));
          if (refused.length > 0) {
            throw forbidden(`Not found, or may not be moved, so none was moved: ${refused.join(", ")}.`);
          }
          for (const id of ids) {
            records.moveWorkspace(id, project.id);
          }
          return noContent;
        },
      },
    ],
    setup: {
      addProject({ organization, name, id }) {
        return structuredClone(records.addProject(organization, name, id));
      },
      changeProject(id, change) {
        return structuredClone(records.changeProject(id, change));
      },
      removeProject(id) {
        records.removeProject(id);
      },
    },
    inspect: () => ({ projects: [...records.projects.values()] }),
    clear() {
      records.projects.clear();
    },
  };
}

function requireOrganization(records: Records, allowed: boolean, organization: string): void {
  if (!allowed || !records.isAccessible(organization)) {
    throw notFound();
  }
}

function findProject(
  records: Records,
  request: ProvisioningRequest,
  right: keyof ProvisioningRights,
): ProjectRecord {
  const project = records.projects.get(request.parameter("project_id"));
  if (
    project === undefined ||
    !records.isAccessible(project.organization) ||
    !request.permissions.on(project)[right]
  ) {
    throw notFound();
  }
  return project;
}

function requireFreeName(records: Records, organization: string, name: string, exceptId?: string): void {
  if (records.projectsOf(organization).some((project) => project.name === name && project.id !== exceptId)) {
    throw invalid("/data/attributes/name", "Name has already been taken");
  }
}

function mayMove(
  records: Records,
  workspaceId: string,
  destination: ProjectRecord,
  permissions: ProvisioningPermissions,
): boolean {
  const workspace = records.workspaces.get(workspaceId);
  return (
    workspace?.organization === destination.organization &&
    permissions.on(records.project(workspace.projectId)).moveWorkspaces
  );
}
