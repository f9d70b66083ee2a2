import { onStatus } from "../base/errors";
import { path } from "../base/path";
import { outputForm, promiseForm } from "../functions/call";
import { ReadableResource } from "../resource/program/base";
import { defineResource } from "../resource/definition";
import type { InputsOf } from "../functions/results";
import { Fields, kebabCase } from "../resource/fields/field";
import { pathName } from "../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../resource/fields/rows";
import {
  type GetAdminOrganizationResult,
  organizationMember,
  organizationNotFound,
  shareModulesWithAll,
} from "./admin-organization";
import type { ProvisioningClient } from "./client";
import { provisioningDialects } from "./dialect";
import { provisioningService } from "./service";
import { consumersRows } from "./shared-rows";
import { listFunction, readConsumers, sharingBehavior } from "./sharing";

/**
 * A single document contains both lists and ends both kinds of global sharing, so each write repeats the
 * current module sharing.
 */
async function replaceConsumers(
  client: ProvisioningClient,
  organization: string,
  consumers: readonly string[],
): Promise<void> {
  const modules = await readConsumers(client, organization, "modules");
  if (modules === undefined) {
    throw organizationNotFound(organization);
  }
  const found = modules.length === 0 ? await client.show(organizationMember(organization)) : undefined;
  const send = (separator: string): Promise<void> => {
    const attributes = {
      [`module${separator}consumers`]: modules,
      [`provider${separator}consumers`]: [...new Set(consumers)],
    };
    return client.relate({
      summary: `set the provider consumers of the organization ${organization}`,
      method: "PUT",
      path: path`/admin/organizations/${organization}/registry-partnerships`,
      document: { data: { type: "registry-partnerships", attributes } },
    });
  };
  // The product's documentation uses both spellings.
  await send("-").catch(onStatus([422], () => send("_")));
  if (found?.state.globalModuleSharing === true) {
    await shareModulesWithAll(client, found);
  }
}

const rows = {
  /** The name of the organization that shares the providers of its registry. A change replaces the resource. */
  organization: pathName({ replaces: true }),
};

const fields = new Fields({ ...rows, ...consumersRows }, kebabCase);

/** The arguments of {@link ProviderConsumers}. */
export interface ProviderConsumersArgs extends ArgsOf<typeof rows>, ArgsOf<typeof consumersRows> {}

const behavior = sharingBehavior("providers", replaceConsumers);

/** @internal */
export const providerConsumersDefinition = defineResource(provisioningService, fields)(
  "provisioning:ProviderConsumers",
  {
    ...behavior,
    rules: [
      {
        between: [],
        check: (_values, dialect) =>
          !provisioningDialects[dialect].setsProviderConsumers && {
            argument: "organization",
            reason:
              "cannot have provider consumers: ProviderConsumers is only available in the hashicorp dialect, but this " +
              `service uses the ${dialect} dialect`,
          },
      },
    ],
    importedBy: {
      ...behavior.importedBy,
      ids: async (client, name) =>
        provisioningDialects[client.dialect].setsProviderConsumers
          ? behavior.importedBy.ids(client, name)
          : [],
    },
  },
);

export interface ProviderConsumers extends OutputsOf<typeof rows>, OutputsOf<typeof consumersRows> {}

/**
 * The organizations that are allowed to use the providers in an organization's registry. Only in the
 * hashicorp dialect. For site administrators of Terraform Enterprise, the self-hosted edition, release
 * 202301-1 or newer.
 *
 * Its ID is the organization's name. The resource manages the whole list: other consumers are removed.
 * Setting a list ends global provider sharing. Module sharing is not changed. The service keeps both lists in
 * one document, so each write repeats the module consumers and re-enables global module sharing if it was on.
 * Resources on the same machine take turns. Deletion empties the list. All drift is detected.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const consumers = new trivium.provisioning.ProviderConsumers("platform", {
 *   organization: "platform",
 *   consumers: ["payments", "search"],
 * });
 * ```
 */
export class ProviderConsumers extends ReadableResource<ProviderConsumersArgs> {
  /** @internal */
  static override readonly definition = providerConsumersDefinition;
}

const listRows = {
  /** The name of the organization that shares the providers of its registry. */
  organization: pathName(),
};

/** The arguments of {@link listProviderConsumers}. */
export interface ListProviderConsumersArgs extends PlainArgsOf<typeof listRows>, Named {}

/** The arguments of {@link listProviderConsumersOutput}. */
export type ListProviderConsumersOutputArgs = InputsOf<ListProviderConsumersArgs>;

/** The result of {@link listProviderConsumers}. */
export interface ListProviderConsumersResult {
  /** The organizations that are allowed to use the providers, in the service's order. */
  readonly organizations: GetAdminOrganizationResult[];
}

const listProviders = listFunction("provisioning.listProviderConsumers", "providers", listRows);

/**
 * Lists the organizations that are allowed to use an organization's providers; empty if the providers are
 * shared with all organizations. Available from release 202301-1 of Terraform Enterprise, the self-hosted
 * edition. In the hashicorp dialect, {@link ProviderConsumers} manages this list.
 *
 * @throws {@link errors.NotFoundError} if the organization does not exist, or the token does not belong to a site
 * administrator
 */
export const listProviderConsumers = promiseForm<ListProviderConsumersArgs, ListProviderConsumersResult>(
  listProviders,
);

/**
 * Lists the organizations that are allowed to use an organization's providers, with arguments that can be
 * outputs.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listProviderConsumersOutput = outputForm<
  ListProviderConsumersOutputArgs,
  ListProviderConsumersResult
>(listProviders);
