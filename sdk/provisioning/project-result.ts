import { ContractError } from "../http/errors";
import { type ProjectPermissions, projectsOf } from "./project";

/** A project as functions answer it. */
export interface ProjectResult {
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
 * @param organization the one that was asked about, for answers that do not name it
 * @throws ContractError when the answer lacks the permissions
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
  organization: string,
): ProjectResult {
  const { id, state } = project;
  if (state.permissions === undefined) {
    const request = `GET ${projectsOf(organization)}`;
    throw new ContractError({
      request,
      at: "attributes.permissions",
      problem: "expected all three permissions",
    });
  }
  return {
    id,
    name: state.name,
    organization: state.organization ?? organization,
    permissions: state.permissions,
  };
}
