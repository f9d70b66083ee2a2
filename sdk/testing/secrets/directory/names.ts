import type { Body } from "../body";
import { type EngineEndpoint, type EngineRequest, lists } from "../endpoint";
import { badRequest, unsupportedPath } from "../refusal";
import { listResponse } from "../responses";

/** The products keep names in lower case. */
export function nameOf({ parameter }: EngineRequest, isHashicorp: boolean): string {
  const name = parameter("name");
  if (isHashicorp && !name.split("/").every((part) => /^\w(?:[\w.-]*\w)?$/.test(part))) {
    throw unsupportedPath();
  }
  return isHashicorp ? name.toLowerCase() : name;
}

/** Lists of the products: names with a slash are in folders, each with a list of its own. */
export function listsFolders(
  path: string,
  namesOf: (request: EngineRequest) => readonly string[],
): EngineEndpoint[] {
  const list = (names: readonly string[], folder: string) => {
    const below = names.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length));
    return listResponse([...new Set(below.map((name) => name.replace(/\/.*/s, "/")))], true);
  };
  return [
    lists(path, (request) => list(namesOf(request), "")),
    lists(`${path}/*`, (request) => list(namesOf(request), `${request.parameter("*").replace(/\/$/, "")}/`)),
  ];
}

/** By the documentation, the body of a library set repeats its name. */
export function requireRepeatedName(name: string, body: Body, isHashicorp: boolean): void {
  if (!isHashicorp) {
    body.requiredText("name");
  }
  body.requireSame("name", name);
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
