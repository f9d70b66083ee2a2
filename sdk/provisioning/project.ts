import type * as pulumi from "@pulumi/pulumi";
import { isObject, mapped } from "../base/json";
import { ContractError, onStatus, TriviumError, orNotFound } from "../base/errors";
import { path, type Path } from "../base/path";
import type { Dialect } from "../base/settings";
import { outputForm, promiseForm } from "../functions/call";
import { defineFunction } from "../functions/definition";
import { ReadableResource } from "../resource/program/base";
import { defineResource } from "../resource/definition";
import type { InputsOf, ResultOf } from "../functions/results";
import {
  type Canonical,
  type Check,
  type Desired,
  field,
  Fields,
  kebabCase,
  type Kind,
  objectOf,
  output,
  type Validation,
} from "../resource/fields/field";
import {
  adopt,
  flag,
  nameInResponse,
  oneOf,
  pathName,
  text,
  textComparedBy,
  textMap,
  textSet,
  untoldText,
  wordSet,
  isGiven,
} from "../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf, ValuesOf } from "../resource/fields/rows";
import type { Member, ProvisioningClient } from "./client";
import { provisioningDialects } from "./dialect";
import { type FoundObject, orNoAccess, resourceKind, toOne } from "./kind";
import { provisioningService } from "./service";

const permissionRows = {
  /** Whether the caller is allowed to rename the project. */
  canUpdate: flag({ told: "kept" }),
  /** Whether the caller is allowed to delete the project. */
  canDestroy: flag({ told: "kept" }),
  /** Whether the caller is allowed to create workspaces in the project. */
  canCreateWorkspace: flag({ told: "kept" }),
};

/** What the caller is allowed to do with a project. */
export interface ProjectPermissions extends ValuesOf<typeof permissionRows> {}

/** `undefined` unless all three are present: a create response has only the first. */
function allPermissions(dialect: Dialect): Kind<never, ProjectPermissions> {
  const { argument, response } = objectOf(permissionRows, kebabCase)(dialect);
  return {
    argument,
    response: (z) => response(z).transform((some) => (Object.keys(some).length === 3 ? some : undefined)),
  };
}

/** A letter and its combining mark can be one character or two. */
function composed<Value>(value: Value): Value {
  return typeof value === "string" ? (value.normalize() as Value) : value;
}

function checkName(name: string, dialect: Dialect): ReturnType<Check<string>> {
  const { longestProjectName: longest, trimsProjectNames } = provisioningDialects[dialect];
  // Counts letters, not UTF-16 units or combining marks.
  const { length } = Array.from(name.replace(/\p{M}/gu, ""));
  if (length < 3) {
    return "must have at least 3 characters";
  }
  if (length > longest) {
    return `must have at most ${longest} characters`;
  }
  if (!/^(?:\p{L}\p{M}*|[\p{N} _-])*$/u.test(name)) {
    return "can contain only letters, numbers, spaces, - and _";
  }
  if (trimsProjectNames && name !== name.trim()) {
    return "must not start or end with a space";
  }
  const warning = "contains letters or numbers other than A to Z and 0 to 9: the service might reject them";
  return /[^\x20-\x7e]/.test(name) && { warning };
}

/** Where runs take place: in the service, on the user's machine, or in an agent. */
export type ExecutionMode = (typeof ExecutionMode)[keyof typeof ExecutionMode];

/** The values of the type of this name, as generated programs write them. */
export const ExecutionMode = {
  Remote: "remote",
  Local: "local",
  Agent: "agent",
} as const;

const executionModes: readonly ExecutionMode[] = Object.values(ExecutionMode);

const texts = (z: Validation) => z.record(z.string(), z.string());
type Tags = Record<string, string>;
const tagBindings: Kind<Record<string, pulumi.Input<string>>, Tags> = {
  argument: texts,
  response(z) {
    // Only a key is required.
    const attributes = z.object({ key: z.string(), value: z.string().nullish() }).optional();
    const relationship = z.object({ data: z.array(z.object({ attributes })).nullish() });
    return relationship.transform(({ data }) =>
      // Without the tags themselves, a relationship only names them.
      data?.every((each) => each.attributes !== undefined)
        ? Object.fromEntries(data.map((each) => [each.attributes?.key ?? "", each.attributes?.value ?? ""]))
        : undefined,
    );
  },
  request: (tags) => ({
    data: Object.entries(tags).map(([key, value]) => ({ type: "tag-bindings", attributes: { key, value } })),
  }),
  nothing: {},
};

const inHours: Canonical = (value) =>
  typeof value === "string" ? value.replace(/^(\d+)d$/, (_, days: string) => `${Number(days) * 24}h`) : value;

function problemOfTags(tags: Tags): string | undefined {
  const isValid = (text: string, most: number): boolean =>
    /^[\p{L}\p{N} _.=+@:-]*$/u.test(text) && Array.from(text).length <= most;
  const entries = Object.entries(tags);
  if (entries.length > 10) {
    return "must have at most 10 tags";
  }
  if (entries.some(([key]) => key === "" || /^(?:hc|hcp):/.test(key))) {
    return "must not have an empty key, or one that begins with hc: or hcp:";
  }
  return entries.every(([key, value]) => isValid(key, 128) && isValid(value, 256))
    ? undefined
    : "can contain only letters, numbers, spaces and _.=+-@:, at most 128 in a key and 256 in a value";
}

const since = <Since extends string>(products: Since) =>
  ({ only: { dialect: "hashicorp", since: products } }) as const;

const nameKind: Kind<string, string> = {
  argument: (z) => z.string().transform(composed),
  response: (z) => z.string(),
  canonical: composed,
};

const rows = {
  /** The name of the organization that the project belongs to. A change replaces the project. */
  organization: toOne({ replaces: true, told: "kept" }),
  /**
   * The project's name: 3 to 36 letters, numbers, spaces, `-` and `_`. A letter followed by a combining mark is sent as
   * one character. In the hashicorp dialect, 3 to 40 characters, with no leading or trailing space, unique in the
   * organization; in the documented dialect, the service decides whether two projects can have the same name. A change
   * renames the project in place.
   */
  name: field(nameKind, { check: checkName }),
  /**
   * The project's description: at most 256 characters. A change is made in place. Only in the hashicorp
   * dialect: HCP Terraform, or Terraform Enterprise from about v202404.
   */
  description: text({
    ...untoldText,
    ...since("HCP Terraform, or Terraform Enterprise from about v202404"),
    check: (description) => Array.from(description).length > 256 && "must have at most 256 characters",
  }),
  /**
   * The project's tags (at most ten), which its workspaces inherit. Tags that are not listed are removed,
   * unless `ignoreAdditionalTags` is true. A change is made in place. Only in the hashicorp dialect: HCP
   * Terraform, or Terraform Enterprise from about v202501.
   */
  tags: field(tagBindings, {
    ...since("HCP Terraform, or Terraform Enterprise from about v202501"),
    place: "relationship",
    wire: ["tag-bindings", "effective-tag-bindings"],
    cleared: {},
    told: "maybe",
    check: problemOfTags,
  }),
  /**
   * Leave tags that are not listed in `tags` unchanged. A change takes effect with the next change of `tags`.
   * Only in the hashicorp dialect.
   *
   * @default false
   */
  ignoreAdditionalTags: flag({ only: "hashicorp", local: "state", optional: true }),
  /**
   * How long a workspace of the project can be inactive before its infrastructure is destroyed, in hours or
   * days: `"14d"`. Null means never. A change is made in place. Only in the hashicorp dialect: HCP Terraform,
   * or Terraform Enterprise from about v202411.
   *
   * @default null
   */
  autoDestroyActivityDuration: textComparedBy(inHours)({
    ...since("HCP Terraform, or Terraform Enterprise from about v202411"),
    optional: true,
    told: "kept",
    nullable: true,
    check: (value) =>
      /^0+[dh]$/.test(value)
        ? "must be greater than 0"
        : !/^\d{1,4}[dh]$/.test(value) && 'must be 1 to 4 digits and d or h, such as "14d"',
  }),
  /**
   * Where runs of the project's workspaces take place. With null, the organization's setting applies. A
   * change is made in place. Only in the hashicorp dialect: HCP Terraform, or Terraform Enterprise from about
   * 1.0.
   *
   * @default null
   */
  defaultExecutionMode: oneOf(executionModes, {
    ...since("HCP Terraform, or Terraform Enterprise from about 1.0"),
    optional: true,
    told: "kept",
    nullable: true,
  }),
  /**
   * The ID of the agent pool for `defaultExecutionMode` `"agent"`: `apool-...`. A change is made in place. Only in the
   * hashicorp dialect: HCP Terraform, or Terraform Enterprise from about 1.0.
   */
  defaultAgentPoolId: pathName({
    place: "body",
    ...since("HCP Terraform, or Terraform Enterprise from about 1.0"),
    optional: true,
    told: "kept",
    nullable: true,
  }),
  /**
   * Adopt the project with this name if it already exists. Without this option, the service decides: if it
   * rejects a second project with that name, the creation fails. Only used at creation; a later change has no
   * effect.
   *
   * @default false
   */
  adopt: adopt(),
  /** What the caller is allowed to do with the project. */
  permissions: output(field(allPermissions, {})),
};

const fields = new Fields(rows, kebabCase);

/** The arguments of a {@link Project}. */
export interface ProjectArgs extends ArgsOf<typeof rows>, Named {}

type FoundProject = FoundObject<typeof rows>;

/** @internal */
export const projectKind = resourceKind("projects", fields, {
  prepared: withoutInherited,
});

/**
 * Converts a response: settings that the project inherits become null, and the agent pool becomes an
 * attribute, as in requests.
 */
function withoutInherited(z: Validation) {
  const data = z.looseObject({ id: nameInResponse(z) }).nullish();
  const pool = z.looseObject({ data }).nullish();
  return z
    .looseObject({ relationships: z.looseObject({ "default-agent-pool": pool }).nullish() })
    .transform((project) => {
      const { attributes, relationships } = project;
      const overwrites = isObject(attributes) ? attributes["setting-overwrites"] : undefined;
      if (!isObject(attributes) || !isObject(overwrites)) {
        return project;
      }
      const isOwn = overwrites["default-execution-mode"] === true;
      const mode = isOwn ? attributes["default-execution-mode"] : null;
      const own = {
        "default-execution-mode": mode,
        "default-agent-pool-id":
          mode === "agent" ? (relationships?.["default-agent-pool"]?.data?.id ?? null) : null,
      };
      return { ...project, attributes: { ...attributes, ...own } };
    });
}

const settings = ["defaultExecutionMode", "defaultAgentPoolId"] as const;

/** Either both settings override the organization's, or both are inherited. */
function projectDocument(
  desired: Desired<typeof rows>,
  dialect: Dialect,
  changed: ReadonlySet<string> = new Set(Object.keys(desired)),
): object {
  const isSet = settings.some((name) => changed.has(name));
  const unset = settings.filter((name) => (desired[name] ?? null) === null);
  const sent = new Set(
    [...changed, ...(isSet ? settings : [])].filter((name) => !unset.some((each) => each === name)),
  );
  const document = projectKind.document(desired, dialect, { changed: sent });
  const own = !unset.includes("defaultExecutionMode");
  const overwrites = { "default-execution-mode": own, "default-agent-pool": own };
  Object.assign(document.data.attributes, isSet ? { "setting-overwrites": overwrites } : {});
  return document;
}

/** @internal */
export function projectsOf(organization: string): Path {
  return path`/organizations/${organization}/projects`;
}

/** @internal */
export function projectMember(id: string, organization?: string | null): Member<FoundProject> {
  const list = isGiven(organization) ? projectsOf(organization) : undefined;
  return { what: `project ${id}`, id, path: path`/projects/${id}`, kind: projectKind, list };
}

const includedTags = "effective_tag_bindings";

/** A release without tags might refuse to include them. */
async function withTags<Result>(
  { dialect }: ProvisioningClient,
  read: (include?: string) => Promise<Result>,
) {
  const { hasTags } = provisioningDialects[dialect];
  return hasTags ? read(includedTags).catch(onStatus([400], () => read())) : read();
}

/**
 * Finds a project by its name. Names might not be unique, because the documentation does not say that they
 * are.
 *
 * @param asService whether to compare names as the service does
 * @internal
 */
export async function findProject(
  client: ProvisioningClient,
  organization: string,
  given: string,
  asService = false,
) {
  const name = composed(given);
  const { items } = await withTags(client, (include) =>
    client.listAll({
      summary: `look for the project ${JSON.stringify(name)} in the organization ${organization}`,
      path: projectsOf(organization),
      query: { "filter[names]": name, include },
      kind: projectKind,
    }),
  );
  // The service's filter ignores case.
  const exact = items.filter(({ state }) => composed(state.name) === name);
  const key = nameKey(name, client.dialect);
  const same = items.filter(({ state }) => nameKey(state.name, client.dialect) === key);
  const [project, ...others] = asService && exact.length === 0 ? same : exact;
  if (project !== undefined && others.length > 0) {
    const ids = [project, ...others].map(({ id }) => id).join(", ");
    throw new TriviumError(
      `The organization ${organization} has several projects named ${JSON.stringify(name)}: ${ids}.`,
    );
  }
  return (
    project &&
    (exact.length > 0 ? project : { ...project, detail: `named ${JSON.stringify(project.state.name)}` })
  );
}

function nameKey(name: string | null | undefined, dialect: Dialect): string {
  const written = composed(name ?? "");
  return provisioningDialects[dialect].hasUniqueProjects ? written.toLowerCase() : written;
}

function picked(tags: Tags, isPicked: (key: string) => boolean): Tags {
  return mapped(tags, (value, key) => (isPicked(key) ? value : undefined));
}

const stillInUse =
  "A project that contains workspaces cannot be deleted. First move the remaining workspaces to another project: a " +
  "ProjectWorkspaces resource with a fallbackProjectId moves only the ones in its own list.";

/** @internal */
export const projectDefinition = defineResource(provisioningService, fields)("provisioning:Project", {
  rules: [
    {
      between: settings,
      byPresence: ["defaultAgentPoolId"],
      check({ defaultExecutionMode: mode, defaultAgentPoolId: pool = null }) {
        const reason = mode === "agent" ? "is required with" : "is only possible with";
        return (
          (mode === "agent") === (pool === null) && {
            argument: "defaultAgentPoolId",
            reason: `${reason} defaultExecutionMode "agent"`,
          }
        );
      },
    },
  ],
  identity: {
    idIs: "the project's ID: `prj-...`",
    claims: ({ organization, name, adopt }, dialect) =>
      !isGiven(organization) || !isGiven(name)
        ? []
        : [
            {
              key: JSON.stringify(["provisioning:Project", organization, nameKey(name, dialect)]),
              what: `provisioning:Project with organization ${JSON.stringify(organization)}, name ${JSON.stringify(name)}`,
              isShared: !provisioningDialects[dialect].hasUniqueProjects && adopt !== true,
            },
          ],
  },
  importedBy: {
    option: "organization",
    async ids(client, organization) {
      const summary = `list the projects of the organization ${organization}`;
      const { items } = await client.listAll({ summary, path: projectsOf(organization), kind: projectKind });
      return items.map(({ id }) => id);
    },
    known: (organization) => ({ organization }),
  },

  // The service rejects a second project with the same name, so only an adoption looks first.
  look: async ({ client }, { organization, name, adopt }) =>
    adopt === true ? { existing: await findProject(client, organization, name, true) } : {},

  async recover({ client, announce }, { organization, name, adopt }) {
    const existing = await findProject(client, organization, name);
    if (existing !== undefined && adopt !== true) {
      announce(
        "warning",
        `The response to creating the project was lost. Exactly one project has this name (${existing.id}), and this ` +
          "resource now manages it. If that project existed before, run `pulumi state delete` to stop managing it.",
      );
    }
    return existing;
  },

  create: ({ client }, desired) =>
    client.post({
      summary: `create the project ${JSON.stringify(desired.name)} in the organization ${desired.organization}`,
      path: projectsOf(desired.organization),
      document: projectDocument(desired, client.dialect),
      kind: projectKind,
      advice: {
        404:
          `The organization ${desired.organization} does not exist, or the token is not allowed to create projects in it, ` +
          'which requires the "manage projects" permission. `npx pulumi-trivium doctor provisioning` checks the token.',
      },
    }),

  async read({ client, managed }, id, { organization, tags, ignoreAdditionalTags }) {
    const member = projectMember(id, organization);
    const isAsked = managed.size === 0 || managed.has("tags") || isGiven(tags);
    const read = (include?: string) => client.readMember({ ...member, include });
    const state = (await (isAsked ? withTags(client, read) : read()))?.state;
    return ignoreAdditionalTags === true && tags && state?.tags
      ? { ...state, tags: picked(state.tags, (key) => key in tags) }
      : state;
  },

  async update({ client, managed }, id, { ...desired }, changed, { tags }) {
    const member = projectMember(id, desired.organization);
    if (changed.has("tags") && desired.ignoreAdditionalTags === true) {
      const former = managed.has("tags") && tags ? tags : {};
      const found = await withTags(client, (include) => client.show({ ...member, include }));
      const others = picked(found?.state.tags ?? {}, (key) => !(key in former));
      desired = { ...desired, tags: { ...others, ...desired.tags } };
    }
    const project = await client.patch({
      ...member,
      summary: changed.has("name")
        ? `rename the project ${id} to ${JSON.stringify(desired.name)}`
        : `update the project ${id}`,
      document: projectDocument(desired, client.dialect, changed),
    });
    return project.state;
  },

  delete: ({ client }, id, { organization }) =>
    // The documentation says 403; the products' status is unknown.
    client.deleteMember(projectMember(id, organization), {
      403: stillInUse,
      409: stillInUse,
      422: stillInUse,
    }),
});

export interface Project extends OutputsOf<typeof rows> {}

/**
 * A project of the provisioning service (HCP Terraform or Terraform Enterprise), which groups workspaces in
 * an organization.
 *
 * The service assigns the ID (`prj-...`). Only the owners team, teams with the permission to manage projects,
 * and the organization's own API token can create projects. A project that contains workspaces cannot be
 * deleted. All drift is detected.
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
 */
export class Project extends ReadableResource<ProjectArgs> {
  /** @internal */
  static override readonly definition = projectDefinition;
}

const getRows = {
  /** The project's ID: `prj-...`. */
  id: pathName({ optional: true }),
  /** The name of the organization that the project belongs to. */
  organization: pathName({ optional: true }),
  /** The project's exact name. */
  name: text({ least: 1, optional: true }),
};

/** The arguments of {@link getProject}: either `id`, or `organization` and `name`. */
export interface GetProjectArgs extends PlainArgsOf<typeof getRows>, Named {}

/** The arguments of {@link getProjectOutput}: either `id`, or `organization` and `name`. */
export type GetProjectOutputArgs = InputsOf<GetProjectArgs>;

/** A project as functions return it. */
export type GetProjectResult = ResultOf<Project, "ignoreAdditionalTags">;

/** @param organization `undefined` when the project was read by its ID: then only the response can name it */
function resultOf(
  { dialect }: ProvisioningClient,
  { id, state }: FoundProject,
  organization?: string,
  at = "data",
): GetProjectResult {
  const { permissions, organization: owner = organization } = state;
  if (permissions && owner) {
    return fields.in(dialect).result({ id, organization: owner }, state);
  }
  throw new ContractError({
    request: `GET ${organization === undefined ? path`/projects/${id}` : projectsOf(organization)}`,
    at: `${at}.${permissions ? "relationships.organization" : "attributes.permissions"}`,
    problem: "expected a value",
  });
}

const getDefinition = defineFunction(provisioningService, getRows)(
  "provisioning.getProject",
  async (client, { id, organization = "", name = "" }): Promise<GetProjectResult> => {
    const project =
      id === undefined
        ? await findProject(client, organization, name)
        : await withTags(client, (include) => client.show({ ...projectMember(id), include }));
    const what = `project ${id ?? `${JSON.stringify(name)} in the organization ${organization}`}`;
    const found = orNotFound(project, what, orNoAccess);
    return resultOf(client, found, id === undefined ? organization : undefined);
  },
  {
    problem({ id, organization, name }) {
      const given = [organization, name].filter((each) => each !== undefined).length;
      return given === (id === undefined ? 2 : 0) ? undefined : "takes either id, or organization and name";
    },
  },
);

/**
 * Reads a project.
 *
 * @example
 * ```typescript
 * const { id } = await trivium.provisioning.getProject({ organization: "acme", name: "payments-production" });
 * ```
 *
 * @throws {@link errors.NotFoundError} if the project does not exist, or the token has no access to it
 */
export const getProject = promiseForm<GetProjectArgs, GetProjectResult>(getDefinition);

/**
 * Reads a project, with arguments that can be outputs of resources. In a preview that creates one of these
 * resources, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getProjectOutput = outputForm<GetProjectOutputArgs, GetProjectResult>(getDefinition);

/** A permission of the caller in a project, for use as a filter. */
export type ProjectPermissionFilter = (typeof ProjectPermissionFilter)[keyof typeof ProjectPermissionFilter];

/** The values of the type of this name, as generated programs write them. */
export const ProjectPermissionFilter = {
  CreateWorkspace: "createWorkspace",
  Update: "update",
} as const;

const permissionFilters: readonly ProjectPermissionFilter[] = Object.values(ProjectPermissionFilter);

const listRows = {
  /** The name of the organization. */
  organization: pathName(),
  /** Returns only projects whose names contain this text, ignoring case. Not used if `names` is set. */
  q: text({ optional: true }),
  /** Returns only projects with one of these names, ignoring case. The list must not be empty. */
  names: textSet({
    optional: true,
    check: (all) =>
      (all.length === 0 || all.some((name) => name === "" || name.includes(","))) &&
      "must contain at least one name, and names must not contain commas",
  }),
  /** Returns only projects for which the caller has all of these permissions. */
  permissions: wordSet(permissionFilters, { optional: true }),
  /** Returns only projects with all of these tags. Only in the hashicorp dialect. */
  tags: textMap({ only: "hashicorp", optional: true }),
  /** Sorts by name; with `-`, in descending order. Only in the hashicorp dialect. */
  sort: oneOf(["name", "-name"], { only: "hashicorp", optional: true }),
};

/** The arguments of {@link listProjects}. */
export interface ListProjectsArgs extends PlainArgsOf<typeof listRows>, Named {}

/** The arguments of {@link listProjectsOutput}. */
export type ListProjectsOutputArgs = InputsOf<ListProjectsArgs>;

/** The result of {@link listProjects}. */
export interface ListProjectsResult {
  /** The projects, in the service's order. */
  readonly projects: GetProjectResult[];
  /**
   * How many projects the organization has, and how many of them match, if the service returns these numbers.
   */
  readonly statusCounts: { readonly total: number; readonly matching: number } | undefined;
}

const listDefinition = defineFunction(provisioningService, listRows)(
  "provisioning.listProjects",
  async (client, args): Promise<ListProjectsResult> => {
    const { organization, q, names, permissions = [], tags = {}, sort } = args;
    const tagged = Object.entries(tags).flatMap(([key, value], index) => [
      [`filter[tagged][${index}][key]`, key],
      [`filter[tagged][${index}][value]`, value],
    ]);
    const { items, meta } = await withTags(client, (include) =>
      client.listAll({
        summary: `list the projects of the organization ${organization}`,
        path: projectsOf(organization),
        query: {
          q: composed(q),
          "filter[names]": composed(names?.join(",")),
          "filter[permissions][create-workspace]": permissions.includes("createWorkspace") || undefined,
          "filter[permissions][update]": permissions.includes("update") || undefined,
          ...(Object.fromEntries(tagged) as Tags),
          sort,
          include,
        },
        kind: projectKind,
        meta: (z) =>
          z.object({ "status-counts": z.object({ total: z.number(), matching: z.number() }).nullish() }),
      }),
    );
    return {
      projects: items.map((project, index) => resultOf(client, project, organization, `data[${index}]`)),
      statusCounts: meta["status-counts"] ?? undefined,
    };
  },
);

/**
 * Lists the projects of an organization (all pages).
 *
 * @example
 * ```typescript
 * const { projects } = await trivium.provisioning.listProjects({ organization: "acme", q: "payments" });
 * ```
 *
 * @throws {@link errors.ServiceError} if the service returns an error
 */
export const listProjects = promiseForm<ListProjectsArgs, ListProjectsResult>(listDefinition);

/**
 * Lists the projects of an organization, with arguments that can be outputs of resources. In a preview that
 * creates one of these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listProjectsOutput = outputForm<ListProjectsOutputArgs, ListProjectsResult>(listDefinition);
