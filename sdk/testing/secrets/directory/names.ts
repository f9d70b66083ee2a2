import type { EngineRequest } from "../endpoint";
import { badRequest, unsupportedPath } from "../refusal";

/** The role or the library set that a request names, as the engine keeps the name. */
export function nameOf({ parameter }: EngineRequest, isHashicorp: boolean): string {
  const name = parameter("name");
  if (isHashicorp && !/^\w(?:[\w.-]*\w)?$/.test(name)) {
    throw unsupportedPath();
  }
  return isHashicorp ? name.toLowerCase() : name;
}

/** The accounts that an engine takes care of on one mount. */
export interface ManagedAccounts {
  readonly staticRoles: { all(): readonly { readonly username: string }[] };
  readonly libraryAccounts: { all(): readonly { readonly name: string }[] };
}

/**
 * By the documents an account belongs to one library set only; the products have it in no static role beside that, and
 * in no two of these.
 *
 * @throws Refusal 400 when the entry is taken
 */
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
