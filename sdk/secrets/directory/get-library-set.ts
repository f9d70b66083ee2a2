import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import type { SecretsClient } from "../client";
import { librarySetArguments, type LibrarySetName, noSuchSet, readLibrarySet } from "./library-wire";

/** The arguments of {@link getLibrarySet}. */
export interface GetLibrarySetArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The set's name. */
  name: string;
}

/** The arguments of {@link getLibrarySetOutput}. */
export interface GetLibrarySetOutputArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: pulumi.Input<string | null | undefined>;
  /** The set's name. */
  name: pulumi.Input<string>;
}

/** A library set. */
export interface GetLibrarySetResult {
  /** Where the engine is mounted. */
  readonly mount: string;
  /** The set's name. */
  readonly name: string;
  /** The names of its accounts. */
  readonly serviceAccountNames: string[];
  /** How long a check-out may last, in seconds; 0 is unlimited. */
  readonly ttl: number;
  /** How long a check-out may last with all its renewals, in seconds; 0 is unlimited. */
  readonly maxTtl: number;
  /** Whether anybody who may use the set may check in its accounts. */
  readonly disableCheckInEnforcement: boolean;
}

const definition: FunctionDefinition<SecretsClient, LibrarySetName, GetLibrarySetResult> = {
  name: "secrets.directory.getLibrarySet",
  service: secretsService,
  schema: librarySetArguments,

  async call(client, set) {
    const fields = await readLibrarySet(client, set);
    if (fields === undefined) {
      throw noSuchSet(set);
    }
    const { serviceAccountNames = [], ttl = 0, maxTtl = 0, disableCheckInEnforcement = false } = fields;
    return { ...set, serviceAccountNames: [...serviceAccountNames], ttl, maxTtl, disableCheckInEnforcement };
  },
};

/**
 * Reads a library set.
 *
 * @example
 * ```typescript
 * const { serviceAccountNames } = await trivium.secrets.directory.getLibrarySet({ name: "operators" });
 * ```
 *
 * @throws {@link errors.NotFoundError} when there is no such set
 */
export function getLibrarySet(
  args: GetLibrarySetArgs,
  options?: FunctionOptions,
): Promise<GetLibrarySetResult> {
  return callFunction(definition, args, options);
}

/**
 * Reads a library set, with arguments that may be outputs of resources. In a preview that still makes one of them,
 * or one that `dependsOn` names, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getLibrarySetOutput(
  args: GetLibrarySetOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetLibrarySetResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
