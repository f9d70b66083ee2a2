export {
  Access,
  type AccessArgs,
  getAccess,
  type GetAccessArgs,
  getAccessOutput,
  type GetAccessOutputArgs,
  type GetAccessResult,
} from "./access";
export {
  getLease,
  type GetLeaseArgs,
  getLeaseOutput,
  type GetLeaseOutputArgs,
  type GetLeaseResult,
  Lease,
  type LeaseArgs,
} from "./lease";
export {
  getRole,
  type GetRoleArgs,
  getRoleOutput,
  type GetRoleOutputArgs,
  type GetRoleResult,
  listRoles,
  type ListRolesArgs,
  listRolesOutput,
  type ListRolesOutputArgs,
  type ListRolesResult,
  Role,
  type RoleArgs,
  type TokenType,
} from "./role";
export {
  getCredentials,
  type GetCredentialsArgs,
  type GetCredentialsResult,
  Token,
  type TokenArgs,
} from "./token";
