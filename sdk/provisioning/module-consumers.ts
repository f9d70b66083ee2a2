import { outputForm, promiseForm } from "../functions/call";
import { ReadableResource } from "../resource/program/base";
import { defineResource } from "../resource/definition";
import type { InputsOf } from "../functions/results";
import { Fields, kebabCase } from "../resource/fields/field";
import { pathName } from "../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../resource/fields/rows";
import type { GetAdminOrganizationResult } from "./admin-organization";
import { identifiersDocument } from "./kind";
import { provisioningService } from "./service";
import { consumersRows } from "./shared-rows";
import { consumersPaths, listFunction, sharingBehavior } from "./sharing";

const rows = {
  /** The name of the organization that shares the modules of its registry. A change replaces the resource. */
  organization: pathName({ replaces: true }),
};

const fields = new Fields({ ...rows, ...consumersRows }, kebabCase);

/** The arguments of {@link ModuleConsumers}. */
export interface ModuleConsumersArgs extends ArgsOf<typeof rows>, ArgsOf<typeof consumersRows> {}

/** @internal */
export const moduleConsumersDefinition = defineResource(provisioningService, fields)(
  "provisioning:ModuleConsumers",
  sharingBehavior("modules", (client, organization, consumers) =>
    client.relate({
      summary: `set the module consumers of the organization ${organization}`,
      method: "PATCH",
      path: consumersPaths.modules(organization),
      document: identifiersDocument("organizations", consumers),
    }),
  ),
);

export interface ModuleConsumers extends OutputsOf<typeof rows>, OutputsOf<typeof consumersRows> {}

/**
 * The organizations that are allowed to use the modules in an organization's registry. For site
 * administrators of Terraform Enterprise, the self-hosted edition, release 202103-1 or newer. The endpoint
 * that sets the list is deprecated and will be removed; its replacement is the Admin Registry Sharing API,
 * which `ProviderConsumers` uses.
 *
 * Its ID is the organization's name. The resource manages the whole list: other consumers are removed.
 * Setting a list ends global module sharing. Deletion empties the list. All drift is detected.
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
  /** The name of the organization that shares the modules of its registry. */
  organization: pathName(),
};

/** The arguments of {@link listModuleConsumers}. */
export interface ListModuleConsumersArgs extends PlainArgsOf<typeof listRows>, Named {}

/** The arguments of {@link listModuleConsumersOutput}. */
export type ListModuleConsumersOutputArgs = InputsOf<ListModuleConsumersArgs>;

/** The result of {@link listModuleConsumers}. */
export interface ListModuleConsumersResult {
  /** The organizations that are allowed to use the modules, in the service's order. */
  readonly organizations: GetAdminOrganizationResult[];
}

const listModules = listFunction("provisioning.listModuleConsumers", "modules", listRows);

/**
 * Lists the organizations that are allowed to use an organization's modules; empty if the modules are shared
 * with all organizations. Available from release 202103-1 of Terraform Enterprise, the self-hosted edition.
 *
 * @throws {@link errors.NotFoundError} if the organization does not exist, or the token does not belong to a site
 * administrator
 */
export const listModuleConsumers = promiseForm<ListModuleConsumersArgs, ListModuleConsumersResult>(
  listModules,
);

/**
 * Lists the organizations that are allowed to use an organization's modules, with arguments that can be
 * outputs.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listModuleConsumersOutput = outputForm<ListModuleConsumersOutputArgs, ListModuleConsumersResult>(
  listModules,
);
