import type { ProvisioningDialect } from "./dialect";
import { pathPrefix } from "./endpoint";
import type { ProjectRecord } from "./records";
import type { ProvisioningPermissions } from "./rights";

/** The resource with all the permissions that the caller has on it. */
export function toFullResource(
  project: ProjectRecord,
  callers: ProvisioningPermissions,
  dialect: ProvisioningDialect,
): unknown {
  const rights = callers.on(project);
  const permissions = {
    "can-update": rights.updateProjects,
    "can-destroy": rights.deleteProjects && !project.isDefault,
    "can-create-workspace": rights.createWorkspaces,
    ...dialect.furtherAttributes.projectPermissions,
  };
  return toResource(project, permissions, dialect);
}

/** The resource with just these permissions. */
export function toResource(
  project: ProjectRecord,
  permissions: Readonly<Record<string, boolean>>,
  { furtherAttributes }: ProvisioningDialect,
): unknown {
  const { id, name, organization } = project;
  return {
    id,
    type: "projects",
    attributes: { name, permissions, ...furtherAttributes.project },
    relationships: {
      organization: {
        data: { id: organization, type: "organizations" },
        links: { related: `${pathPrefix}/organizations/${encodeURIComponent(organization)}` },
      },
    },
    links: { self: `${pathPrefix}/projects/${id}` },
  };
}
