import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path } from "../../base/path";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import type { SecretsClient } from "../client";
import { mountArgument } from "../mount";
import { usualMount } from "./names";

/** The arguments of {@link listStaticRoles}. */
export interface ListStaticRolesArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
}

/** The arguments of {@link listStaticRolesOutput}. */
export interface ListStaticRolesOutputArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: pulumi.Input<string | null | undefined>;
}

/** What {@link listStaticRoles} answers. */
export interface ListStaticRolesResult {
  /** The names of the roles, in the service's order. */
  readonly names: string[];
}

const definition: FunctionDefinition<SecretsClient, { readonly mount: string }, ListStaticRolesResult> = {
  name: "secrets.directory.listStaticRoles",
  service: secretsService,
  schema: (z) => z.strictObject({ mount: mountArgument(z, usualMount) }),

  async call(client, { mount }) {
    const names = await client.list({
      summary: `list the static roles of ${mount}`,
      path: path`/${mountPath(mount)}/static-role`,
    });
    return { names };
  },
};

/**
 * Lists the static roles of a directory engine.
 *
 * @example
 * ```typescript
 * const { names } = await trivium.secrets.directory.listStaticRoles({});
 * ```
 *
 * @throws {@link errors.ServiceError} when the service refuses
 */
export function listStaticRoles(
  args: ListStaticRolesArgs = {},
  options?: FunctionOptions,
): Promise<ListStaticRolesResult> {
  return callFunction(definition, args, options);
}

/**
 * Lists the static roles of a directory engine, with arguments that may be outputs of resources. In a preview that
 * still makes one of them, or one that `dependsOn` names, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function listStaticRolesOutput(
  args: ListStaticRolesOutputArgs = {},
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<ListStaticRolesResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
