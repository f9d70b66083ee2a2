import type { Area } from "../area";
import { AttributeTable } from "./attributes";
import { deletes, gets, pageParameters, paginate, patches, pathPrefix, posts } from "./endpoint";
import type { ProvisioningEndpoint, ProvisioningRequest, Query } from "./endpoint";
import { BodyReader, documentResponse, forbidden, invalid, notFound } from "./json-api";
import type { Records } from "./records";
import type { ProvisioningPermissions } from "./rights";
import type { ProjectRecord, ProjectsInspection, ProjectsSetup, ProvisioningRights } from "./types";

const shortestName = 3;

/** The products accept ASCII only, and no space at the ends. */
function createAttributes(
  isHashicorp: boolean,
  nameLimit: number,
): AttributeTable<Pick<ProjectRecord, "name">> {
  return new AttributeTable<Pick<ProjectRecord, "name">>({
    name: {
      read(value, refuse) {
        if (value === undefined || value === null || value === "") {
          throw refuse("can't be blank");
        }
        if (typeof value !== "string") {
          throw refuse("must be a string");
        }
        const length = Array.from(value).length;
        if (length < shortestName || length > nameLimit) {
          throw refuse(`must have ${shortestName} to ${nameLimit} characters, not ${length}`);
        }
        if (!(isHashicorp ? /^[A-Za-z0-9 _-]*$/ : /^(?:\p{L}\p{M}*|[\p{N} _-])*$/u).test(value)) {
          throw refuse("may only contain letters, digits, spaces, - and _");
        }
        if (isHashicorp && value !== value.trim()) {
          throw refuse("may not start or end with a space");
        }
        return value;
      },
    },
  });
}

/** Constant attributes of the products that the documentation does not mention. */
const productAttributes = {
  description: null,
  "auto-destroy-activity-duration": null,
  "default-execution-mode": "remote",
  "setting-overwrites": { "default-execution-mode": false },
  "is-unified": false,
};

const filterParameters = [
  "q",
  "filter[names]",
  "filter[permissions][create-workspace]",
  "filter[permissions][update]",
] as const;

export function createProjectsArea(
  records: Records,
  isHashicorp: boolean,
  nameLimit: number,
): Area<ProvisioningEndpoint, ProjectsInspection, ProjectsSetup> {
  const bodies = new BodyReader(isHashicorp);
  const attributes = createAttributes(isHashicorp, nameLimit);
  const shape = { type: "projects", attributes: attributes.names };

  const permissionsOn = (project: ProjectRecord, permissions: ProvisioningPermissions) => {
    const { updateProjects, deleteProjects, createWorkspaces } = permissions.on(project);
    return {
      "can-update": updateProjects,
      "can-destroy": deleteProjects && !project.isDefault,
      "can-create-workspace": createWorkspaces,
      ...(isHashicorp ? { "can-read": true, "can-read-teams": true } : {}),
    };
  };
  const toResource = (project: ProjectRecord, permissions: object): unknown => {
    const { id, organization } = project;
    const constants = isHashicorp ? productAttributes : {};
    return {
      id,
      type: "projects",
      attributes: { ...attributes.returned(project), permissions, ...constants },
      relationships: {
        organization: {
          data: { id: organization, type: "organizations" },
          links: { related: `${pathPrefix}/organizations/${encodeURIComponent(organization)}` },
        },
      },
      links: { self: `${pathPrefix}/projects/${id}` },
    };
  };
  const show = (project: ProjectRecord, { permissions }: ProvisioningRequest): unknown =>
    toResource(project, permissionsOn(project, permissions));

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
  const requireFreeName = (organization: string, name: string, exceptId?: string): void => {
    if (records.projectsOf(organization).some((other) => other.name === name && other.id !== exceptId)) {
      throw invalid("/data/attributes/name", "Name has already been taken");
    }
  };
  const mayMove = (id: string, to: ProjectRecord, permissions: ProvisioningPermissions): boolean => {
    const workspace = records.workspaces.find(id);
    return (
      workspace?.organization === to.organization &&
      permissions.on(records.projects.get(workspace.projectId)).moveWorkspaces
    );
  };

  return {
    endpoints: [
      posts("/organizations/:organization_name/projects", (request) => {
        const organization = request.parameter("organization_name");
        requireOrganization(organization, request.permissions.in(organization).createProjects);
        const { name } = attributes.readNew(bodies.resource(request.body, shape).attributes);
        requireFreeName(organization, name);
        const project = records.addProject(organization, name);
        const all = permissionsOn(project, request.permissions);
        // The documentation promises the other two permissions for update, list and show only.
        const permissions = isHashicorp ? all : { "can-update": all["can-update"] };
        return documentResponse(201, { data: toResource(project, permissions) });
      }),
      gets(
        "/organizations/:organization_name/projects",
        (request) => {
          const { permissions, query } = request;
          const organization = request.parameter("organization_name");
          requireOrganization(organization, permissions.in(organization).read);
          const visible = records.projectsOf(organization).filter((project) => permissions.on(project).read);
          const matching = visible.filter((project) => matchesQuery(project, query, permissions));
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
        const sent = bodies.resource(request.body, { ...shape, id: project.id });
        const change = attributes.readChange(sent.attributes);
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
        const workspaces = records.workspaces.all().filter(({ projectId }) => projectId === id).length;
        if (workspaces > 0) {
          throw forbidden(
            `The project still contains ${workspaces} workspace(s), and force-deleting is not allowed.`,
          );
        }
        records.removeProject(id);
      }),
      posts("/projects/:project_id/relationships/workspaces", (request) => {
        const project = findProject(request, "moveWorkspaces");
        const ids = bodies.identifiers(request.body, "workspaces");
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
      addProject: ({ organization, name, id }) => records.addProject(organization, name, id),
      changeProject: (id, { name }) => records.projects.change(id, { name }),
      removeProject: (id) => records.removeProject(id),
    },
    inspect: () => ({ projects: records.projects.all() }),
  };
}

function matchesQuery(project: ProjectRecord, query: Query, permissions: ProvisioningPermissions): boolean {
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
