export type { AclTokenRecord, AclTokens, AclTokenType } from "./acl";
