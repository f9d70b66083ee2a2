import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import { NotFoundError } from "../../base/errors";
import type { SecretsClient } from "../client";
import { readLease } from "./lease";
import { schedulerMountArgument } from "./usual-mount";

/** The arguments of {@link getLease}. */
export interface GetLeaseArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: string | null | undefined;
}

/** The arguments of {@link getLeaseOutput}. */
export interface GetLeaseOutputArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: pulumi.Input<string | null | undefined>;
}

/** A lease configuration of the scheduler engine, as functions answer it. */
export interface GetLeaseResult {
  /** Where the scheduler engine is mounted. */
  readonly mount: string;
  /** How long an issued token lives, in seconds; 0 when the mount decides. */
  readonly ttl: number;
  /** How long an issued token may live with all its renewals, in seconds; 0 when the mount decides. */
  readonly maxTtl: number;
}

const definition: FunctionDefinition<SecretsClient, { readonly mount: string }, GetLeaseResult> = {
  name: "secrets.scheduler.getLease",
  service: secretsService,
  schema: (z, dialect) => z.strictObject({ mount: schedulerMountArgument(z, dialect) }),
  async call(client, { mount }) {
    const times = await readLease(client, mount);
    if (times === undefined) {
      throw new NotFoundError(
        `The scheduler engine at ${mount} has no lease configuration: the mount decides how long tokens live.`,
      );
    }
    const { ttl = 0, maxTtl = 0 } = times;
    return { mount, ttl, maxTtl };
  },
};

/**
 * Reads how long the tokens live that the scheduler engine issues on a mount.
 *
 * @example
 * ```typescript
 * const { ttl } = await trivium.secrets.scheduler.getLease();
 * ```
 *
 * @throws {@link errors.NotFoundError} when the mount has no lease configuration
 */
export function getLease(args: GetLeaseArgs = {}, options?: FunctionOptions): Promise<GetLeaseResult> {
  return callFunction(definition, args, options);
}

/**
 * Reads how long the tokens live that the scheduler engine issues on a mount, with arguments that may be outputs of
 * resources. In a preview that still makes one of them, or one that `dependsOn` names, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getLeaseOutput(
  args: GetLeaseOutputArgs = {},
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetLeaseResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
