export { AdminOrganization, type AdminOrganizationArgs } from "./admin-organization";
export {
  type GetAdminOrganizationResult,
  getAdminOrganization,
  type GetAdminOrganizationArgs,
  getAdminOrganizationOutput,
  type GetAdminOrganizationOutputArgs,
  listAdminOrganizations,
  type ListAdminOrganizationsArgs,
  listAdminOrganizationsOutput,
  type ListAdminOrganizationsOutputArgs,
  type ListAdminOrganizationsResult,
  listModuleConsumers,
  type ListModuleConsumersArgs,
  listModuleConsumersOutput,
  type ListModuleConsumersOutputArgs,
  type ListModuleConsumersResult,
  listProviderConsumers,
  type ListProviderConsumersArgs,
  listProviderConsumersOutput,
  type ListProviderConsumersOutputArgs,
  type ListProviderConsumersResult,
  type OrganizationOwner,
} from "./admin-organization-functions";
export type { DestinationType, NotificationTrigger } from "./dialect";
export { getProject, getProjectOutput, type GetProjectArgs, type GetProjectOutputArgs } from "./get-project";
export {
  listProjects,
  listProjectsOutput,
  type ListProjectsArgs,
  type ListProjectsOutputArgs,
  type ListProjectsResult,
  type ProjectPermissionFilter,
} from "./list-projects";
export { ModuleConsumers, type ModuleConsumersArgs } from "./module-consumers";
export { moveWorkspaces, type MoveWorkspacesArgs } from "./move-workspaces";
export {
  NotificationConfiguration,
  type NotificationConfigurationArgs,
  type NotificationVerification,
} from "./notification-configuration";
export {
  getNotificationConfiguration,
  type GetNotificationConfigurationArgs,
  getNotificationConfigurationOutput,
  type GetNotificationConfigurationOutputArgs,
  listNotificationConfigurations,
  type ListNotificationConfigurationsArgs,
  listNotificationConfigurationsOutput,
  type ListNotificationConfigurationsOutputArgs,
  type ListNotificationConfigurationsResult,
  type GetNotificationConfigurationResult,
  verifyNotificationConfiguration,
} from "./notification-functions";
export type { DeliveryResponse } from "./notification-wire";
export { Project, type ProjectArgs, type ProjectPermissions } from "./project";
export type { GetProjectResult } from "./project-result";
export { ProjectWorkspaces, type ProjectWorkspacesArgs } from "./project-workspaces";
export * as webhook from "./webhook";
