import { provisioningService } from "./service";
import type * as pulumi from "@pulumi/pulumi";
import { resourceDocument } from "../http/json-api";
import { path, type Path } from "../base/path";
import { isResource, TriviumResource } from "../resource/base";
import { defineResourceBySchema } from "../resource/definition";
import { assertGetSupported } from "../resource/get";
import { nameInAnswer, nameInPath } from "../resource/schemas";
import type { Absence, ProvisioningClient } from "./client";
import { provisioningDialects } from "./dialect";
import { type ObjectOf, resourceKind } from "./kind";

/** The arguments of a {@link Project}. */
export interface ProjectArgs {
  /** The name of the organization that the project belongs to. A change replaces the project. */
  organization: pulumi.Input<string>;
  /**
   * The project's name, unique in its organization: 3 to 36 characters of letters, numbers, spaces, `-` and `_`; in
   * the hashicorp dialect 3 to 40, and no space at either end. A change renames the project in place.
   */
  name: pulumi.Input<string>;
  /**
   * Take over the project of this name if there is one already, instead of failing. Counts at creation only; a
   * change does nothing.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

/** What the caller of the service may do with a project. */
export interface ProjectPermissions {
  /** May rename the project. */
  readonly canUpdate: boolean;
  /** May delete the project. */
  readonly canDestroy: boolean;
  /** May create workspaces in the project. */
  readonly canCreateWorkspace: boolean;
}

/**
 * A project as the service answers it; creating one answers only the first permission.
 *
 * @internal
 */
export const projectKind = resourceKind("projects", (z) =>
  z
    .object({
      id: z.string(),
      attributes: z.object({
        name: z.string(),
        permissions: z
          .object({
            "can-update": z.boolean(),
            "can-destroy": z.boolean(),
            "can-create-workspace": z.boolean(),
          })
          .partial()
          .optional(),
      }),
      relationships: z.object({
        organization: z.object({ data: z.object({ id: nameInAnswer(z) }) }).optional(),
      }),
    })
    .transform(({ id, attributes, relationships }) => ({
      id,
      state: {
        name: attributes.name,
        organization: relationships.organization?.data.id,
        permissions: permissionsFrom(attributes.permissions ?? {}),
      },
    })),
);

function permissionsFrom(
  answered: Readonly<Record<string, boolean | undefined>>,
): ProjectPermissions | undefined {
  const {
    "can-update": canUpdate,
    "can-destroy": canDestroy,
    "can-create-workspace": canCreateWorkspace,
  } = answered;
  const complete = canUpdate !== undefined && canDestroy !== undefined && canCreateWorkspace !== undefined;
  return complete ? { canUpdate, canDestroy, canCreateWorkspace } : undefined;
}

/** The request body that creates or renames a project. */
function documentOf(name: string): object {
  return resourceDocument({ type: "projects", attributes: { name } });
}

/** The list that proves whether a project exists. */
function absenceOf(id: string, organization: unknown): Absence {
  return {
    what: `project ${id}`,
    id,
    list:
      typeof organization === "string" ? { path: projectsOf(organization), kind: projectKind } : undefined,
  };
}

/**
 * The path of an organization's projects.
 *
 * @internal
 */
export function projectsOf(organization: string): Path {
  return path`/organizations/${organization}/projects`;
}

/**
 * Finds a project by its exact name.
 *
 * @param fresh ask the service even if a list of a few seconds ago would answer
 * @internal
 */
export function findProject(
  client: ProvisioningClient,
  organization: string,
  name: string,
  fresh: boolean,
): Promise<ObjectOf<typeof projectKind> | undefined> {
  const request = {
    summary: `look for the project ${JSON.stringify(name)} in the organization ${organization}`,
    path: projectsOf(organization),
    query: { "filter[names]": name },
    kind: projectKind,
  };
  // The service's filter does not look at case.
  return client.findAmong(request, (project) => project.state.name === name, fresh);
}

const stillInUse =
  "A project that still holds workspaces cannot be deleted. Move them to another project first: " +
  "a ProjectWorkspaces resource does that on its own deletion when its fallbackProjectId is set.";

/** In characters as people count them, not in the units of a text. */
function lengthOf(name: string): number {
  return Array.from(name).length;
}

/** @internal */
export const projectDefinition = defineResourceBySchema<ProvisioningClient>()({
  type: "provisioning:Project",
  service: provisioningService,
  identifiedBy: ["organization", "name"],
  schema: (z, dialect) => {
    const { projectNameLength: longest, projectNameMayEndInSpaces } = provisioningDialects[dialect];
    return {
      organization: nameInPath(z),
      name: z
        .string()
        .refine((name) => lengthOf(name) >= 3, "must have at least 3 characters")
        .refine((name) => lengthOf(name) <= longest, `must have at most ${longest} characters`)
        .regex(/^[\p{L}\p{N} _-]*$/u, "may only have letters, numbers, spaces, - and _")
        .refine(
          (name) => projectNameMayEndInSpaces || name === name.trim(),
          "must not begin or end with a space",
        ),
      adopt: z.boolean().optional(),
    };
  },
  arguments: {
    organization: { replaces: true },
    name: {
      warning: (name) =>
        /[^\x20-\x7e]/.test(String(name))
          ? "has letters or numbers other than A to Z and 0 to 9: the service may refuse them"
          : undefined,
    },
    adopt: { role: "creation" },
  },
  outputs: { permissions: {} },

  find: ({ client }, { organization, name }, fresh) => findProject(client, organization, name, fresh),

  async create({ client }, { organization, name }) {
    const project = await client.create({
      summary: `create the project ${JSON.stringify(name)} in the organization ${organization}`,
      path: projectsOf(organization),
      document: documentOf(name),
      kind: projectKind,
    });
    client.noteWritten(projectsOf(organization), project.id, project);
    return project;
  },

  async read({ client }, id, { organization }) {
    const request = {
      summary: `read the project ${id}`,
      path: path`/projects/${id}`,
      kind: projectKind,
      id,
    };
    const project =
      typeof organization === "string"
        ? await client.showAmong({ ...request, list: projectsOf(organization) })
        : await client.show(request);
    if (project === undefined) {
      await client.proveAbsent(absenceOf(id, organization));
    }
    return project?.state;
  },

  async update({ client }, id, { organization, name }) {
    const project = await client.update({
      summary: `rename the project ${id} to ${JSON.stringify(name)}`,
      path: path`/projects/${id}`,
      document: documentOf(name),
      kind: projectKind,
      id,
    });
    client.noteWritten(projectsOf(organization), id, project);
    return project.state;
  },

  async delete({ client }, id, { organization }) {
    await client.delete({
      summary: `delete the project ${id}`,
      path: path`/projects/${id}`,
      absence: absenceOf(id, organization),
      // The documents say 403; the products are known only to refuse.
      advice: { 403: stillInUse, 409: stillInUse, 422: stillInUse },
    });
    if (typeof organization === "string") {
      client.noteWritten(projectsOf(organization), id, undefined);
    }
  },
});

/**
 * A project of the provisioning service: a group of workspaces in an organization.
 *
 * Its id is the service's own (`prj-...`). Deleting a project that still holds workspaces fails. All drift is
 * visible: `pulumi refresh` reads the name and the permissions anew.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const project = new trivium.provisioning.Project("payments", {
 *   organization: "acme",
 *   name: "payments-production",
 * });
 *
 * export const projectId = project.id;
 * ```
 *
 * Documented under "Projects" in the provisioning service's interface.
 */
export class Project extends TriviumResource {
  /** @internal */
  static override readonly definition = projectDefinition;

  /** The name of the organization that the project belongs to. */
  declare readonly organization: pulumi.Output<string>;
  /** The project's name. */
  declare readonly name: pulumi.Output<string>;
  /** What the caller may do with the project. */
  declare readonly permissions: pulumi.Output<ProjectPermissions>;

  /**
   * Reads an existing project without managing it: it is never changed nor deleted.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the project's id: `prj-...`
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): Project {
    assertGetSupported("provisioning.Project");
    return new Project(name, undefined, { ...options, id });
  }

  /** Whether a value is a project, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is Project {
    return isResource(value, projectDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args what the project is to be
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: ProjectArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: ProjectArgs | undefined, options?: pulumi.CustomResourceOptions);
  constructor(name: string, args: ProjectArgs | undefined, options?: pulumi.CustomResourceOptions) {
    super(projectDefinition, name, args, options);
  }
}
