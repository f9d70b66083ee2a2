import type { Body } from "../body";
import { type EngineEndpoint, type EngineRequest, lists } from "../endpoint";
import { badRequest, unsupportedPath } from "../refusal";
import type { Records } from "../records";
import { listResponse } from "../responses";
import type { SecretsTraits } from "../traits";

/** The products keep names in lower case. */
export function nameOf(
  { parameter }: EngineRequest,
  { traits, directory: { hasFolders } }: Pick<Records, "traits" | "directory">,
): string {
  const name = parameter("name");
  if (
    traits.foldsNames &&
    !(hasFolders ? name.split("/") : [name]).every((part) => /^\w(?:[\w.-]*\w)?$/.test(part))
  ) {
    throw unsupportedPath();
  }
  return traits.foldsNames ? name.toLowerCase() : name;
}

/** Names can have slashes, which the products' own clients do not encode. */
export function withOneName(path: string): string {
  const [, before, name, after] =
    /^(\/(?:static-|rotate-)?role\/|\/(?:static-cred|creds)\/)(.+)()$/.exec(path) ??
    /^(\/library\/(?:manage\/)?)(.+?)((?:\/(?:check-out|check-in|status))?)$/.exec(path) ??
    [];
  return name === undefined ? path : `${before}${name.replaceAll("/", "%2F")}${after}`;
}

/** Lists of the products: names with a slash are in folders, each with a list of its own. */
export function listsFolders(
  path: string,
  { directory: { hasFolders } }: Pick<Records, "directory">,
  namesOf: (request: EngineRequest) => readonly string[],
): EngineEndpoint[] {
  const list = (names: readonly string[], folder: string) => {
    const below = names.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length));
    return listResponse([...new Set(below.map((name) => name.replace(/\/.*/s, "/")))], true);
  };
  return [
    lists(path, (request) => list(namesOf(request), "")),
    lists(`${path}/*`, (request) => {
      if (!hasFolders) {
        throw unsupportedPath();
      }
      const folder = request.parameter("*").replace(/\/$/, "").toLowerCase();
      return list(namesOf(request), `${folder}/`);
    }),
  ];
}

/** By the documentation, the body of a library set repeats its name. */
export function requireRepeatedName(name: string, body: Body, { repeatsName }: SecretsTraits): void {
  if (repeatsName) {
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
  { accountsAreExclusive }: SecretsTraits,
): void {
  const managed = [
    ...(accountsAreExclusive ? staticRoles.all().map((role) => role.username) : []),
    ...libraryAccounts.all().map(({ name }) => name),
  ];
  if (managed.some((other) => other.toLowerCase() === username.toLowerCase())) {
    throw badRequest(`${JSON.stringify(username)} is already managed by the secrets engine`);
  }
}
