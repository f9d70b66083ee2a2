import { ContractError } from "../base/errors";
import { path } from "../base/path";
import { type ProjectPermissions, projectsOf } from "./project";

/** A project as functions answer it. */
export interface GetProjectResult {
  /** The project's id: `prj-...`. */
  readonly id: string;
  /** The project's name. */
  readonly name: string;
  /** The name of the organization that it belongs to. */
  readonly organization: string;
  /** What the caller may do with it. */
  readonly permissions: ProjectPermissions;
}

/**
 * Puts a project that was shown or listed into the form in which functions answer it.
 *
 * @param project as the service answered it
 * @param organization the one that was asked about, for answers that do not name it; `undefined` when the project
 *   was asked for by its id
 * @throws ContractError when the answer lacks the permissions, or the organization where nobody named it
 * @internal
 */
export function projectResult(
  project: {
    readonly id: string;
    readonly state: {
      readonly name: string;
      readonly organization?: string | undefined;
      readonly permissions?: ProjectPermissions | undefined;
    };
  },
  organization: string | undefined,
): GetProjectResult {
  const { id, state } = project;
  const { name, permissions, organization: owner = organization } = state;
  const refuse = (at: string, problem: string): ContractError => {
    return organization === undefined
      ? new ContractError({ request: `GET ${path`/projects/${id}`}`, at: `data.${at}`, problem })
      : new ContractError({ request: `GET ${projectsOf(organization)}`, at, problem });
  };
  if (permissions === undefined) {
    throw refuse("attributes.permissions", "expected all three permissions");
  }
  if (owner === undefined) {
    throw refuse("relationships.organization", "expected an organization");
  }
  return { id, name, organization: owner, permissions };
}
