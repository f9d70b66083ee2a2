import type { Query } from "./query";
import type { ProjectRecord } from "./records";
import type { ProvisioningPermissions } from "./rights";

/** The query parameters that narrow the list of projects. */
export const projectFilterParameters = [
  "q",
  "filter[names]",
  "filter[permissions][create-workspace]",
  "filter[permissions][update]",
] as const;

/** Whether a project belongs into the list that the query asks for. */
export function isWanted(
  project: ProjectRecord,
  query: Query,
  permissions: ProvisioningPermissions,
): boolean {
  const name = project.name.toLowerCase();
  const names = query.get("filter[names]");
  const search = query.get("q");
  if (names !== undefined) {
    const wanted = names.split(",").map((text) => text.trim().toLowerCase());
    if (!wanted.includes(name)) {
      return false;
    }
  } else if (search !== undefined && !name.includes(search.toLowerCase())) {
    return false;
  }
  const rights = permissions.on(project);
  return (
    (!query.has("filter[permissions][create-workspace]") || rights.createWorkspaces) &&
    (!query.has("filter[permissions][update]") || rights.updateProjects)
  );
}
