export { Access, type AccessArgs } from "./access";
export {
  type GetAccessResult,
  getAccess,
  type GetAccessArgs,
  getAccessOutput,
  type GetAccessOutputArgs,
} from "./get-access";
export {
  getLease,
  type GetLeaseArgs,
  getLeaseOutput,
  type GetLeaseOutputArgs,
  type GetLeaseResult,
} from "./get-lease";
export {
  getRole,
  type GetRoleArgs,
  getRoleOutput,
  type GetRoleOutputArgs,
  type GetRoleResult,
} from "./get-role";
export { Lease, type LeaseArgs } from "./lease";
export {
  listRoles,
  type ListRolesArgs,
  listRolesOutput,
  type ListRolesOutputArgs,
  type ListRolesResult,
} from "./list-roles";
export { Role, type RoleArgs, type TokenType } from "./role";
export {
  getCredentials,
  type GetCredentialsArgs,
  type GetCredentialsResult,
  Token,
  type TokenArgs,
} from "./token";
