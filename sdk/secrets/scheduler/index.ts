export type * from "./access";
export { Access, getAccess, getAccessOutput } from "./access";
export type * from "./lease";
export { getLease, getLeaseOutput, Lease } from "./lease";
export type * from "./role";
export { getRole, getRoleOutput, listRoles, listRolesOutput, Role, TokenType } from "./role";
export type * from "./token";
export { getCredentials, Token } from "./token";
