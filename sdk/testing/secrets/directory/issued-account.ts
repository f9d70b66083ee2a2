import type { Fields } from "./template/value";

/** What a template for LDIF can mention. */
export interface AccountDescription {
  readonly username: string;
  readonly password: string;
  readonly roleName: string;
  /** Of the token that asked. */
  readonly displayName: string;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The fields of a template for LDIF. */
export function accountFields(account: AccountDescription): Fields {
  return new Map<string, string | bigint>([
    ["Username", account.username],
    ["Password", account.password],
    ["RoleName", account.roleName],
    ["DisplayName", account.displayName],
    ["IssueTime", toTime(account.issuedAt)],
    ["IssueTimeSeconds", toSeconds(account.issuedAt)],
    ["ExpirationTime", toTime(account.expiresAt)],
    ["ExpirationTimeSeconds", toSeconds(account.expiresAt)],
  ]);
}

/** The fields of a template for user names. */
export function usernameFields({
  roleName,
  displayName,
}: Pick<AccountDescription, "roleName" | "displayName">): Fields {
  return new Map([
    ["RoleName", roleName],
    ["DisplayName", displayName],
  ]);
}

/** RFC 3339, without fractions of a second. */
function toTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

function toSeconds(milliseconds: number): bigint {
  return BigInt(Math.floor(milliseconds / 1_000));
}
