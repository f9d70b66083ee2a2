import { pathPrefix } from "./endpoint";
import type { ProjectRecord } from "./records";
import type { ProvisioningPermissions } from "./rights";

/** The resource with all the permissions that the caller has on it. */
export function toFullResource(project: ProjectRecord, callers: ProvisioningPermissions): unknown {
  const rights = callers.on(project);
  return toResource(project, {
    "can-update": rights.updateProjects,
    "can-destroy": rights.deleteProjects && !project.isDefault,
    "can-create-workspace": rights.createWorkspaces,
  });
}

/** The resource with just these permissions. */
export function toResource(project: ProjectRecord, permissions: Readonly<Record<string, boolean>>): unknown {
  const { id, name, organization } = project;
  return {
    id,
    type: "projects",
    attributes: { name, permissions },
    relationships: {
      organization: {
        data: { id: organization, type: "organizations" },
        links: { related: `${pathPrefix}/organizations/${encodeURIComponent(organization)}` },
      },
    },
    links: { self: `${pathPrefix}/projects/${id}` },
  };
}
