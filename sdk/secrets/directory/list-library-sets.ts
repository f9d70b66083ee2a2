import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path } from "../../base/path";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import type { SecretsClient } from "../client";
import { mountArgument } from "../mount";
import { usualMount } from "./names";

/** The arguments of {@link listLibrarySets}. */
export interface ListLibrarySetsArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
}

/** The arguments of {@link listLibrarySetsOutput}. */
export interface ListLibrarySetsOutputArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: pulumi.Input<string | null | undefined>;
}

/** What {@link listLibrarySets} answers. */
export interface ListLibrarySetsResult {
  /** The names of the library sets, in the service's order. */
  readonly names: string[];
}

const definition: FunctionDefinition<SecretsClient, { readonly mount: string }, ListLibrarySetsResult> = {
  name: "secrets.directory.listLibrarySets",
  service: secretsService,
  schema: (z) => z.strictObject({ mount: mountArgument(z, usualMount) }),

  async call(client, { mount }) {
    const names = await client.list({
      summary: `list the library sets of ${mount}`,
      path: path`/${mountPath(mount)}/library`,
    });
    return { names };
  },
};

/**
 * Lists the library sets of a directory engine.
 *
 * @example
 * ```typescript
 * const { names } = await trivium.secrets.directory.listLibrarySets({});
 * ```
 *
 * @throws {@link errors.ServiceError} when the service refuses
 */
export function listLibrarySets(
  args: ListLibrarySetsArgs = {},
  options?: FunctionOptions,
): Promise<ListLibrarySetsResult> {
  return callFunction(definition, args, options);
}

/**
 * Lists the library sets of a directory engine, with arguments that may be outputs of resources. In a preview that
 * still makes one of them, or one that `dependsOn` names, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function listLibrarySetsOutput(
  args: ListLibrarySetsOutputArgs = {},
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<ListLibrarySetsResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
