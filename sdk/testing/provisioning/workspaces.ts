import {
  gets,
  pageOf,
  pageParameters,
  patches,
  type ProvisioningEndpoint,
  type ProvisioningRequest,
} from "./endpoint";
import { BodyReader, notFound, notImplemented } from "./json-api";
import type { Records } from "./records";
import type { ProvisioningPermissions } from "./rights";
import type { ProjectRecord, WorkspaceRecord } from "./types";
import { provisioningTraits } from "./traits";

export function mayMove(
  records: Records,
  id: string,
  to: ProjectRecord,
  permissions: ProvisioningPermissions,
): boolean {
  const workspace = records.workspaces.find(id);
  return (
    workspace?.organization === to.organization &&
    permissions.on(records.projects.get(workspace.projectId)).moveWorkspaces
  );
}

/** Only the products have this. */
export function workspaceEndpoints(
  records: Records,
  requireOrganization: (organization: string, allowed: boolean) => void,
): ProvisioningEndpoint[] {
  const bodies = new BodyReader(provisioningTraits.hashicorp);
  const workspacesEndpoint = gets(
    "/organizations/:organization_name/workspaces",
    (request) => {
      const { permissions, query } = request;
      const organization = request.parameter("organization_name");
      requireOrganization(organization, permissions.in(organization).read);
      const project = query.get("filter[project][id]");
      const visible = records.workspaces
        .all()
        .filter((each) => each.organization === organization)
        .filter(({ projectId }) => permissions.on(records.projects.get(projectId)).read)
        .filter(({ projectId }) => project === undefined || projectId === project);
      return pageOf(visible, request, ({ id, name, projectId }) => ({
        id,
        type: "workspaces",
        attributes: { name },
        relationships: { project: { data: { id: projectId, type: "projects" } } },
      }));
    },
    [...pageParameters, "filter[project][id]"],
  );

  const showWorkspace = ({ id, name, organization, projectId }: WorkspaceRecord) => ({
    id,
    type: "workspaces",
    attributes: { name },
    relationships: {
      organization: { data: { id: organization, type: "organizations" } },
      project: { data: { id: projectId, type: "projects" } },
    },
  });
  const findWorkspace = (request: ProvisioningRequest): WorkspaceRecord => {
    const workspace = records.workspaces.find(request.parameter("workspace_id"));
    const rights = workspace && request.permissions.on(records.projects.get(workspace.projectId));
    if (workspace === undefined || rights?.read !== true) {
      throw notFound();
    }
    return workspace;
  };
  const onlyProject = { type: "workspaces", attributes: [], relationships: ["project"] };
  /** The products' own client moves a workspace by updating it. */
  return [
    workspacesEndpoint,
    gets("/workspaces/:workspace_id", (request) => ({ data: showWorkspace(findWorkspace(request)) })),
    patches("/workspaces/:workspace_id", (request) => {
      const workspace = findWorkspace(request);
      const { attributes: sent, relationships: related } = bodies.resource(request.body, onlyProject);
      if (sent.size > 0) {
        throw notImplemented("attributes of a workspace");
      }
      const { data } = (related.get("project") ?? {}) as { readonly data?: { readonly id?: unknown } };
      const project = records.projects.find(typeof data?.id === "string" ? data.id : workspace.projectId);
      if (project === undefined || !mayMove(records, workspace.id, project, request.permissions)) {
        throw notFound();
      }
      return { data: showWorkspace(records.moveWorkspace(workspace.id, project.id)) };
    }),
  ];
}
