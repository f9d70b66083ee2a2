export type * from "./admin-organization";
export {
  AdminOrganization,
  getAdminOrganization,
  getAdminOrganizationOutput,
  listAdminOrganizations,
  listAdminOrganizationsOutput,
} from "./admin-organization";
export type * from "./module-consumers";
export {
  listModuleConsumers,
  listModuleConsumersOutput,
  listProviderConsumers,
  listProviderConsumersOutput,
  ModuleConsumers,
} from "./module-consumers";
export type * from "./notification-configuration";
export {
  getNotificationConfiguration,
  getNotificationConfigurationOutput,
  listNotificationConfigurations,
  listNotificationConfigurationsOutput,
  NotificationConfiguration,
  verifyNotificationConfiguration,
} from "./notification-configuration";
export type * from "./project";
export { getProject, getProjectOutput, listProjects, listProjectsOutput, Project } from "./project";
export type * from "./project-workspaces";
export { moveWorkspaces, ProjectWorkspaces } from "./project-workspaces";
export * as webhook from "./webhook";
