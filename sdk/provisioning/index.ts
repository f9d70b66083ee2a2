export { getProject, getProjectOutput, type GetProjectArgs, type GetProjectOutputArgs } from "./get-project";
export {
  listProjects,
  listProjectsOutput,
  type ListProjectsArgs,
  type ListProjectsOutputArgs,
  type ListProjectsResult,
  type ProjectPermissionFilter,
} from "./list-projects";
export { Project, type ProjectArgs, type ProjectPermissions } from "./project";
export type { ProjectResult } from "./project-result";
