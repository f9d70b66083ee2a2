import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import { NotFoundError } from "../../base/errors";
import type { SecretsClient } from "../client";
import { readAccess } from "./access";
import { schedulerMountArgument } from "./usual-mount";

/** The arguments of {@link getAccess}. */
export interface GetAccessArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: string | null | undefined;
}

/** The arguments of {@link getAccessOutput}. */
export interface GetAccessOutputArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: pulumi.Input<string | null | undefined>;
}

/** An access configuration of the scheduler engine, as functions answer it. It never holds the secrets. */
export interface GetAccessResult {
  /** Where the scheduler engine is mounted. */
  readonly mount: string;
  /** Where the secrets service reaches the scheduler; empty when its environment says where. */
  readonly address: string;
  /** The longest name of a token; null where the service does not say, as documented. */
  readonly maxTokenNameLength: number | null;
  /** The certificate of the scheduler's authority; null where the service does not say, as documented. */
  readonly caCert: string | null;
  /** The client certificate; null where the service does not say, as documented. */
  readonly clientCert: string | null;
}

const definition: FunctionDefinition<SecretsClient, { readonly mount: string }, GetAccessResult> = {
  name: "secrets.scheduler.getAccess",
  service: secretsService,
  schema: (z, dialect) => z.strictObject({ mount: schedulerMountArgument(z, dialect) }),
  async call(client, { mount }) {
    const access = await readAccess(client, mount);
    if (access === undefined) {
      throw new NotFoundError(`The scheduler engine at ${mount} has no access configuration.`);
    }
    const { address = "", maxTokenNameLength = null, caCert = null, clientCert = null } = access;
    return { mount, address, maxTokenNameLength, caCert, clientCert };
  },
};

/**
 * Reads how the scheduler engine of a mount reaches the scheduler, without the secrets.
 *
 * @example
 * ```typescript
 * const { address } = await trivium.secrets.scheduler.getAccess();
 * ```
 *
 * @throws {@link errors.NotFoundError} when the mount has no access configuration
 */
export function getAccess(args: GetAccessArgs = {}, options?: FunctionOptions): Promise<GetAccessResult> {
  return callFunction(definition, args, options);
}

/**
 * Reads how the scheduler engine of a mount reaches the scheduler, with arguments that may be outputs of resources. In
 * a preview that still makes one of them, or one that `dependsOn` names, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getAccessOutput(
  args: GetAccessOutputArgs = {},
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetAccessResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
