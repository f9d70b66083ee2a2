import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import type { SecretsClient } from "../client";
import type { LibraryAccounts } from "./library-account";
import { readLibraryStatus } from "./library-status";
import { librarySetArguments, type LibrarySetName, noSuchSet } from "./library-wire";

/** The arguments of {@link getLibraryStatus}. */
export interface GetLibraryStatusArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The set's name. */
  name: string;
}

/** The arguments of {@link getLibraryStatusOutput}. */
export interface GetLibraryStatusOutputArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: pulumi.Input<string | null | undefined>;
  /** The set's name. */
  name: pulumi.Input<string>;
}

/** What {@link getLibraryStatus} answers. */
export interface GetLibraryStatusResult {
  /** The accounts of the set by name. */
  readonly accounts: LibraryAccounts;
}

const definition: FunctionDefinition<SecretsClient, LibrarySetName, GetLibraryStatusResult> = {
  name: "secrets.directory.getLibraryStatus",
  service: secretsService,
  schema: librarySetArguments,

  async call(client, set) {
    const accounts = await readLibraryStatus(client, set);
    if (accounts === undefined) {
      throw noSuchSet(set);
    }
    return { accounts };
  },
};

/**
 * Reads which accounts of a library set are free, and who has checked out the others.
 *
 * @example
 * ```typescript
 * const { accounts } = await trivium.secrets.directory.getLibraryStatus({ name: "operators" });
 * const free = Object.keys(accounts).filter((name) => accounts[name]?.available);
 * ```
 *
 * @throws {@link errors.NotFoundError} when there is no such set
 */
export function getLibraryStatus(
  args: GetLibraryStatusArgs,
  options?: FunctionOptions,
): Promise<GetLibraryStatusResult> {
  return callFunction(definition, args, options);
}

/**
 * Reads which accounts of a library set are free, with arguments that may be outputs of resources. In a preview that
 * still makes one of them, or one that `dependsOn` names, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getLibraryStatusOutput(
  args: GetLibraryStatusOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetLibraryStatusResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
