import type { Acl } from "./acl";

export type { AclTokenRecord, AclTokenType } from "./acl";
export type AclTokens = Pick<Acl, "add" | "all" | "isManagement" | "revoke">;
