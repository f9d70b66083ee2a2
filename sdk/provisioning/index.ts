export type * from "./admin-organization";
export {
  AdminOrganization,
  getAdminOrganization,
  getAdminOrganizationOutput,
  listAdminOrganizations,
  listAdminOrganizationsOutput,
} from "./admin-organization";
export type * from "./module-consumers";
export { listModuleConsumers, listModuleConsumersOutput, ModuleConsumers } from "./module-consumers";
export type * from "./notification-configuration";
export {
  DestinationType,
  getNotificationConfiguration,
  getNotificationConfigurationOutput,
  listNotificationConfigurations,
  listNotificationConfigurationsOutput,
  NotificationConfiguration,
  NotificationTrigger,
  verifyNotificationConfiguration,
} from "./notification-configuration";
export type * from "./project";
export {
  ExecutionMode,
  getProject,
  getProjectOutput,
  listProjects,
  listProjectsOutput,
  Project,
  ProjectPermissionFilter,
} from "./project";
export type * from "./project-workspaces";
export { moveWorkspaces, ProjectWorkspaces } from "./project-workspaces";
export type * from "./provider-consumers";
export { listProviderConsumers, listProviderConsumersOutput, ProviderConsumers } from "./provider-consumers";
export * as webhook from "./webhook";
