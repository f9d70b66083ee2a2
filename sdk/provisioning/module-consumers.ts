import { onStatus } from "../base/errors";
import { path } from "../base/path";
import { outputForm, promiseForm } from "../functions/call";
import { defineFunction } from "../functions/definition";
import { ReadableResource } from "../resource/program/base";
import { defineResource } from "../resource/definition";
import type { InputsOf } from "../functions/results";
import { Fields, kebabCase } from "../resource/fields/field";
import { adopt, pathName, textSet, warnOfEmpty } from "../resource/fields/kinds";
import type { ArgsOf, OutputsOf, PlainArgsOf } from "../resource/fields/rows";
import {
  claimSharing,
  type GetAdminOrganizationResult,
  organizationKind,
  organizationMember,
  organizationNotFound,
  organizationResult,
} from "./admin-organization";
import type { ProvisioningClient } from "./client";
import { identifiersDocument } from "./kind";
import { provisioningService } from "./service";

const paths = {
  modules: (organization: string) =>
    path`/admin/organizations/${organization}/relationships/module-consumers`,
  providers: (organization: string) =>
    path`/admin/organizations/${organization}/relationships/provider-consumers`,
};

type Shared = keyof typeof paths;

/** @returns `undefined` when the organization does not exist, or the token is not that of a site administrator */
async function listConsumers(client: ProvisioningClient, organization: string, shared: Shared) {
  const summary = `list the consumers of the organization ${organization}`;
  const all = client.listAll({ summary, path: paths[shared](organization), kind: organizationKind });
  return (await all.catch(onStatus([404], () => undefined)))?.items;
}

async function readConsumers(client: ProvisioningClient, organization: string) {
  return (await listConsumers(client, organization, "modules"))?.map(({ id }) => id);
}

async function replaceConsumers(
  client: ProvisioningClient,
  organization: string,
  consumers: readonly string[],
): Promise<void> {
  await client.relate({
    summary: `set the module consumers of the organization ${organization}`,
    method: "PATCH",
    path: paths.modules(organization),
    document: identifiersDocument("organizations", consumers),
  });
}

const rows = {
  /** The name of the organization that shares the modules of its registry. A change replaces the resource. */
  organization: pathName({ replaces: true }),
  /**
   * The names of the organizations that may use them. The order does not matter. A change replaces the list.
   */
  consumers: textSet({ check: warnOfEmpty }),
  /**
   * Adopt a list that already exists, instead of failing. Only used at creation; a later change has no
   * effect.
   *
   * @default false
   */
  adopt: adopt(),
};

const fields = new Fields(rows, kebabCase);

/** The arguments of {@link ModuleConsumers}. */
export interface ModuleConsumersArgs extends ArgsOf<typeof rows> {}

/** @internal */
export const moduleConsumersDefinition = defineResource(provisioningService, fields)(
  "provisioning:ModuleConsumers",
  {
    identity: {
      idIs: "the organization's name",
      arguments: ["organization"],
      claims: ({ organization }) => claimSharing(organization),
    },
    importedBy: {
      option: "admin-organization",
      ids: async (client, name) => (((await readConsumers(client, name)) ?? []).length === 0 ? [] : [name]),
    },

    async find({ client }, { organization }) {
      const consumers = (await readConsumers(client, organization)) ?? [];
      return consumers.length === 0
        ? {}
        : { existing: { id: organization, state: { organization, consumers } } };
    },

    async create({ client }, { organization, consumers }) {
      await replaceConsumers(client, organization, consumers);
      return { id: organization, state: { organization } };
    },

    async read({ client }, id) {
      const consumers = await readConsumers(client, id);
      return consumers ? { organization: id, consumers } : client.proveAbsent(organizationMember(id));
    },

    async update({ client }, id, { consumers }) {
      await replaceConsumers(client, id, consumers);
      return { organization: id };
    },

    async delete({ client }, id) {
      const consumers = await readConsumers(client, id);
      if (consumers === undefined) {
        await client.proveAbsent(organizationMember(id));
      } else if (consumers.length > 0) {
        // Setting a list, even an empty one, ends global sharing, so an empty list is not set again.
        await replaceConsumers(client, id, []);
      }
    },
  },
);

export interface ModuleConsumers extends OutputsOf<typeof rows> {}

/**
 * The organizations that may use the modules in an organization's registry. For site administrators of Terraform
 * Enterprise, the self-hosted edition, release 202103-1 or newer. The endpoint that sets the list is deprecated and
 * will be removed: the Admin Registry Sharing API, which this library does not support, replaces it.
 *
 * Its id is the organization's name. It manages the whole list: other consumers are removed. Setting a list ends global
 * sharing of modules. Deletion empties the list. All drift is detected.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const consumers = new trivium.provisioning.ModuleConsumers("platform", {
 *   organization: "platform",
 *   consumers: ["payments", "search"],
 * });
 * ```
 */
export class ModuleConsumers extends ReadableResource<ModuleConsumersArgs> {
  /** @internal */
  static override readonly definition = moduleConsumersDefinition;
}

const listRows = {
  /** The name of the organization that shares its modules or providers. */
  organization: pathName(),
};

/** The arguments of {@link listModuleConsumers}. */
export interface ListModuleConsumersArgs extends PlainArgsOf<typeof listRows> {}

/** The arguments of {@link listModuleConsumersOutput}. */
export type ListModuleConsumersOutputArgs = InputsOf<ListModuleConsumersArgs>;

/** The result of {@link listModuleConsumers}. */
export interface ListModuleConsumersResult {
  /** The organizations that may use the modules, in the service's order. */
  readonly organizations: GetAdminOrganizationResult[];
}

/** The arguments of {@link listProviderConsumers}. */
export interface ListProviderConsumersArgs extends PlainArgsOf<typeof listRows> {}

/** The arguments of {@link listProviderConsumersOutput}. */
export type ListProviderConsumersOutputArgs = InputsOf<ListProviderConsumersArgs>;

/** The result of {@link listProviderConsumers}. */
export interface ListProviderConsumersResult {
  /** The organizations that may use the providers, in the service's order. */
  readonly organizations: GetAdminOrganizationResult[];
}

function listFunction(name: string, shared: Shared) {
  return defineFunction(provisioningService, listRows)(
    name,
    async (client, { organization }): Promise<ListModuleConsumersResult> => {
      const consumers = await listConsumers(client, organization, shared);
      if (consumers === undefined) {
        throw organizationNotFound(organization);
      }
      return { organizations: consumers.map((consumer) => organizationResult(consumer)) };
    },
  );
}

const listModules = listFunction("provisioning.listModuleConsumers", "modules");

const listProviders = listFunction("provisioning.listProviderConsumers", "providers");

/**
 * Lists the organizations that may use an organization's modules; none if it shares them with all organizations.
 * Available from release 202103-1 of Terraform Enterprise, the self-hosted edition.
 *
 * @throws {@link errors.NotFoundError} when the organization does not exist, or the token is not that of a site administrator
 */
export const listModuleConsumers = promiseForm<ListModuleConsumersArgs, ListModuleConsumersResult>(
  listModules,
);

/**
 * Lists the organizations that may use an organization's modules, with arguments that may be outputs.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export const listModuleConsumersOutput = outputForm<ListModuleConsumersOutputArgs, ListModuleConsumersResult>(
  listModules,
);

/**
 * Lists the organizations that may use an organization's providers; none if it shares them with all organizations.
 * Available from release 202301-1 of Terraform Enterprise, the self-hosted edition; no documented endpoint sets them.
 *
 * @throws {@link errors.NotFoundError} when the organization does not exist, or the token is not that of a site administrator
 */
export const listProviderConsumers = promiseForm<ListProviderConsumersArgs, ListProviderConsumersResult>(
  listProviders,
);

/**
 * Lists the organizations that may use an organization's providers, with arguments that may be outputs.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export const listProviderConsumersOutput = outputForm<
  ListProviderConsumersOutputArgs,
  ListProviderConsumersResult
>(listProviders);
