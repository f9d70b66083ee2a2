import type { EngineRequest } from "../endpoint";
import { badRequest, unsupportedPath } from "../refusal";

/** The products keep names in lower case. */
export function nameOf({ parameter }: EngineRequest, isHashicorp: boolean): string {
  const name = parameter("name");
  if (isHashicorp && !/^\w(?:[\w.-]*\w)?$/.test(name)) {
    throw unsupportedPath();
  }
  return isHashicorp ? name.toLowerCase() : name;
}

export interface ManagedAccounts {
  readonly staticRoles: { all(): readonly { readonly username: string }[] };
  readonly libraryAccounts: { all(): readonly { readonly name: string }[] };
}

/** In the documented dialect an account is in at most one library set; in the products, in one set or static role. */
export function requireUnmanaged(
  { staticRoles, libraryAccounts }: ManagedAccounts,
  username: string,
  isHashicorp: boolean,
): void {
  const managed = [
    ...(isHashicorp ? staticRoles.all().map((role) => role.username) : []),
    ...libraryAccounts.all().map(({ name }) => name),
  ];
  if (managed.some((other) => other.toLowerCase() === username.toLowerCase())) {
    throw badRequest(`${JSON.stringify(username)} is already managed by the secrets engine`);
  }
}
