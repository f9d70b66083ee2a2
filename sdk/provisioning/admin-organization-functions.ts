import { provisioningService } from "./service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../functions/call";
import type { FunctionDefinition, Known } from "../functions/definition";
import { NotFoundError } from "../base/errors";
import type { ResourceObject } from "../http/json-api";
import { path, type Path } from "../base/path";
import { nameInPath } from "../resource/schemas";
import { organizationKind, type OrganizationObject } from "./admin-organization-wire";
import type { ProvisioningClient } from "./client";
import { moduleConsumersOf, readConsumers } from "./module-consumers";

/** A user that owns an organization. */
export interface OrganizationOwner {
  /** The user's id. */
  readonly id: string;
  /** What the service says of the user, by its own names. */
  readonly attributes: Record<string, unknown>;
}

/** An organization as site administrators see it. What the service does not say of it is false, empty or null. */
export interface GetAdminOrganizationResult {
  /** The name of the organization. */
  readonly name: string;
  /** Whether workspaces may use beta versions of tools. */
  readonly accessBetaTools: boolean;
  /** Whether the organization shares its modules with all others. */
  readonly globalModuleSharing: boolean;
  /** Whether the organization shares its providers with all others. */
  readonly globalProviderSharing: boolean;
  /** Whether the organization is disabled. */
  readonly isDisabled: boolean;
  /** How long an apply may run; null where the service's own limit counts. */
  readonly iacBuildWorkerApplyTimeout: string | null;
  /** How long a plan may run; null where the service's own limit counts. */
  readonly iacBuildWorkerPlanTimeout: string | null;
  /** How many workspaces it may have; null or 0 for no limit. */
  readonly workspaceLimit: number | null;
  /** The organization's id elsewhere: `org-...`; empty when the service does not say. */
  readonly externalId: string;
  /** Where the service writes to; empty when the service does not say. */
  readonly notificationEmail: string;
  /** Whether its users sign in with SSO. */
  readonly ssoEnabled: boolean;
  /** Whether workers may use sudo. */
  readonly iacWorkerSudoEnabled: boolean;
  /** The ids of its owners. */
  readonly ownerIds: string[];
  /** The id of its subscription, null without one. */
  readonly subscriptionId: string | null;
  /** The id of its feature set, null without one. */
  readonly featureSetId: string | null;
  /** Its owners, when `include` asked for them. */
  readonly owners?: OrganizationOwner[];
}

/** The arguments of {@link getAdminOrganization}. */
export interface GetAdminOrganizationArgs {
  /** The name of the organization. */
  name: string;
  /** Also answer what the service says of the owners. */
  include?: "owners" | null | undefined;
}

/** The arguments of {@link getAdminOrganizationOutput}. */
export interface GetAdminOrganizationOutputArgs {
  /** The name of the organization. */
  name: pulumi.Input<string>;
  /** Also answer what the service says of the owners. */
  include?: pulumi.Input<"owners" | null | undefined>;
}

/** The arguments of {@link listAdminOrganizations}. */
export interface ListAdminOrganizationsArgs {
  /** Only organizations whose name or e-mail address contains this. `email` and `name` are then ignored. */
  q?: string | null | undefined;
  /** Only organizations whose e-mail address contains this; together with `name`, both must match. */
  email?: string | null | undefined;
  /** Only organizations whose name contains this. */
  name?: string | null | undefined;
  /** Only organizations that share modules, or only those that do not. */
  moduleProducer?: boolean | null | undefined;
  /** Only organizations that share providers, or only those that do not. */
  providerProducer?: boolean | null | undefined;
  /** Also answer what the service says of the owners. */
  include?: "owners" | null | undefined;
}

/** The arguments of {@link listAdminOrganizationsOutput}. */
export type ListAdminOrganizationsOutputArgs = {
  [Name in keyof ListAdminOrganizationsArgs]: pulumi.Input<ListAdminOrganizationsArgs[Name]>;
};

/** What {@link listAdminOrganizations} answers. */
export interface ListAdminOrganizationsResult {
  /** The organizations, in the service's order. */
  readonly organizations: GetAdminOrganizationResult[];
  /** How many organizations the service has. */
  readonly statusCounts: { readonly total: number; readonly active: number; readonly disabled: number };
}

/** The arguments of {@link listModuleConsumers}. */
export interface ListModuleConsumersArgs {
  /** The name of the organization that shares its modules. */
  organization: string;
}

/** The arguments of {@link listModuleConsumersOutput}. */
export interface ListModuleConsumersOutputArgs {
  /** The name of the organization that shares its modules. */
  organization: pulumi.Input<string>;
}

/** What {@link listModuleConsumers} answers. */
export interface ListModuleConsumersResult {
  /** The names of the organizations that may use the modules. */
  readonly organizations: string[];
}

/** The arguments of {@link listProviderConsumers}. */
export interface ListProviderConsumersArgs {
  /** The name of the organization that shares its providers. */
  organization: string;
}

/** The arguments of {@link listProviderConsumersOutput}. */
export interface ListProviderConsumersOutputArgs {
  /** The name of the organization that shares its providers. */
  organization: pulumi.Input<string>;
}

/** What {@link listProviderConsumers} answers. */
export interface ListProviderConsumersResult {
  /** The names of the organizations that may use the providers. */
  readonly organizations: string[];
}

function resultOf(
  { state }: OrganizationObject,
  included: readonly ResourceObject[] | undefined,
): GetAdminOrganizationResult {
  const { ownerIds = [] } = state;
  const organization = {
    name: state.name,
    accessBetaTools: state.accessBetaTools ?? false,
    globalModuleSharing: state.globalModuleSharing ?? false,
    globalProviderSharing: state.globalProviderSharing ?? false,
    isDisabled: state.isDisabled ?? false,
    iacBuildWorkerApplyTimeout: state.iacBuildWorkerApplyTimeout ?? null,
    iacBuildWorkerPlanTimeout: state.iacBuildWorkerPlanTimeout ?? null,
    workspaceLimit: state.workspaceLimit ?? null,
    externalId: state.externalId ?? "",
    notificationEmail: state.notificationEmail ?? "",
    ssoEnabled: state.ssoEnabled ?? false,
    iacWorkerSudoEnabled: state.iacWorkerSudoEnabled ?? false,
    ownerIds,
    subscriptionId: state.subscriptionId ?? null,
    featureSetId: state.featureSetId ?? null,
  };
  if (included === undefined) {
    return organization;
  }
  const users = included.filter(({ type, id }) => type === "users" && ownerIds.includes(id));
  return { ...organization, owners: users.map(({ id, attributes }) => ({ id, attributes })) };
}

function notThere(organization: string): NotFoundError {
  return new NotFoundError(
    `There is no organization ${organization}, or the token is not that of a site administrator.`,
  );
}

const getDefinition: FunctionDefinition<
  ProvisioningClient,
  Known<GetAdminOrganizationArgs>,
  GetAdminOrganizationResult
> = {
  name: "provisioning.getAdminOrganization",
  service: provisioningService,
  schema: (z) => z.strictObject({ name: nameInPath(z), include: z.enum(["owners"]).optional() }),
  async call(client, { name, include }) {
    const found = await client.showIncluding({
      summary: `read the organization ${name} as an administrator`,
      path: path`/admin/organizations/${name}`,
      query: { include },
      kind: organizationKind,
      id: name,
    });
    if (found === undefined) {
      throw notThere(name);
    }
    return resultOf(found.object, include && found.included);
  },
};

/**
 * Reads the settings of an organization that site administrators see.
 *
 * @throws {@link errors.NotFoundError} when there is none, or the token is not that of a site administrator
 */
export function getAdminOrganization(
  args: GetAdminOrganizationArgs,
  options?: FunctionOptions,
): Promise<GetAdminOrganizationResult> {
  return callFunction(getDefinition, args, options);
}

/**
 * Reads the settings of an organization that site administrators see, with arguments that may be outputs.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getAdminOrganizationOutput(
  args: GetAdminOrganizationOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetAdminOrganizationResult> {
  return callFunctionOutput(getDefinition, { ...args }, options);
}

const listDefinition: FunctionDefinition<
  ProvisioningClient,
  Known<ListAdminOrganizationsArgs>,
  ListAdminOrganizationsResult
> = {
  name: "provisioning.listAdminOrganizations",
  service: provisioningService,
  schema: (z) =>
    z.strictObject({
      q: z.string().optional(),
      email: z.string().optional(),
      name: z.string().optional(),
      moduleProducer: z.boolean().optional(),
      providerProducer: z.boolean().optional(),
      include: z.enum(["owners"]).optional(),
    }),
  async call(client, { q, email, name, moduleProducer, providerProducer, include }) {
    const { items, meta, included } = await client.listAll({
      summary: "list the organizations as an administrator",
      path: path`/admin/organizations`,
      query: {
        q,
        "q[email]": email,
        "q[name]": name,
        "filter[module_producer]": moduleProducer,
        "filter[provider_producer]": providerProducer,
        include,
      },
      kind: organizationKind,
      meta: (z) =>
        z.object({
          "status-counts": z.object({ total: z.number(), active: z.number(), disabled: z.number() }),
        }),
    });
    return {
      organizations: items.map((organization) => resultOf(organization, include && included)),
      statusCounts: meta["status-counts"],
    };
  },
};

/**
 * Lists the organizations of the service, all pages of them.
 *
 * @throws {@link errors.ServiceError} when the token is not that of a site administrator
 */
export function listAdminOrganizations(
  args: ListAdminOrganizationsArgs = {},
  options?: FunctionOptions,
): Promise<ListAdminOrganizationsResult> {
  return callFunction(listDefinition, args, options);
}

/**
 * Lists the organizations of the service, with arguments that may be outputs.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function listAdminOrganizationsOutput(
  args: ListAdminOrganizationsOutputArgs = {},
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<ListAdminOrganizationsResult> {
  return callFunctionOutput(listDefinition, { ...args }, options);
}

function consumersDefinition(
  name: string,
  listOf: (organization: string) => Path,
): FunctionDefinition<ProvisioningClient, ListModuleConsumersArgs, ListModuleConsumersResult> {
  return {
    name,
    service: provisioningService,
    schema: (z) => z.strictObject({ organization: nameInPath(z) }),
    async call(client, { organization }) {
      const organizations = await readConsumers(client, listOf(organization), organization);
      if (organizations === undefined) {
        throw notThere(organization);
      }
      return { organizations };
    },
  };
}

const moduleConsumers = consumersDefinition("provisioning.listModuleConsumers", moduleConsumersOf);

const providerConsumers = consumersDefinition(
  "provisioning.listProviderConsumers",
  (organization) => path`/admin/organizations/${organization}/relationships/provider-consumers`,
);

/**
 * Lists the organizations that may use an organization's modules; none when it shares them with everybody. Available
 * from release 202103-1 of the self-hosted edition.
 *
 * @throws {@link errors.NotFoundError} when the organization does not exist, or the token is not that of a site administrator
 */
export function listModuleConsumers(
  args: ListModuleConsumersArgs,
  options?: FunctionOptions,
): Promise<ListModuleConsumersResult> {
  return callFunction(moduleConsumers, args, options);
}

/**
 * Lists the organizations that may use an organization's modules, with arguments that may be outputs.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function listModuleConsumersOutput(
  args: ListModuleConsumersOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<ListModuleConsumersResult> {
  return callFunctionOutput(moduleConsumers, { ...args }, options);
}

/**
 * Lists the organizations that may use an organization's providers; none when it shares them with everybody. Available
 * from release 202301-1 of the self-hosted edition; the service has no documented way to set them.
 *
 * @throws {@link errors.NotFoundError} when the organization does not exist, or the token is not that of a site administrator
 */
export function listProviderConsumers(
  args: ListProviderConsumersArgs,
  options?: FunctionOptions,
): Promise<ListProviderConsumersResult> {
  return callFunction(providerConsumers, args, options);
}

/**
 * Lists the organizations that may use an organization's providers, with arguments that may be outputs.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function listProviderConsumersOutput(
  args: ListProviderConsumersOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<ListProviderConsumersResult> {
  return callFunctionOutput(providerConsumers, { ...args }, options);
}
