import type * as pulumi from "@pulumi/pulumi";
import { path } from "../../base/path";
import { outputForm, promiseForm } from "../../functions/call";
import { TriviumResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import { defineFields, snakeCase } from "../../resource/fields/field";
import { adopt } from "../../resource/fields/kinds";
import { lifetime, limits } from "../leased";
import { schedulerMount } from "../mount";
import { MountedObjects } from "../mounted-objects";
import { secretsService } from "../service";

/** The arguments of a {@link Lease}. */
export interface LeaseArgs {
  /**
   * Where the scheduler engine is mounted, such as `teams/scheduler`. A change replaces the configuration.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /**
   * How long an issued token lives: whole seconds, or a duration such as `"1h"`. 0 leaves it to the mount. A
   * change is made in place and applies to new tokens.
   *
   * @default 0
   */
  ttl?: pulumi.Input<string | number | null | undefined>;
  /**
   * How long an issued token may live with all its renewals: whole seconds, or a duration such as `"1d"`. 0
   * leaves it to the mount. A change is made in place and applies to new tokens.
   *
   * @default 0
   */
  maxTtl?: pulumi.Input<string | number | null | undefined>;
  /**
   * Adopt the configuration if the mount already has one, instead of failing. Only used at creation; a later
   * change has no effect.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

const fields = defineFields<LeaseArgs, Lease>(snakeCase)({
  mount: schedulerMount,
  ttl: lifetime,
  maxTtl: lifetime,
  adopt: adopt(),
});

/** @internal */
export const leases = new MountedObjects({
  what: "scheduler lease configuration",
  key: { mount: schedulerMount },
  path: (at) => path`/${at}/config/lease`,
  fields,
  importedBy: "scheduler",
});

/** @internal */
export const leaseDefinition = defineResource(secretsService, fields)("secrets/scheduler:Lease", {
  ...leases.behaviour,
  // Real servers reset what a write omits.
  updatesWholeObject: true,
  rules: [limits("maxTtl", "ttl", "tokens")],
  // Keeps what the configuration has and the program never gave.
  ...leases.writing((name, value, named) => value !== 0 || named.has(name)),
});

/**
 * The lifetime of the tokens that the scheduler engine issues on a mount.
 *
 * Its id is the mount: there is one configuration per mount. Without one, or with 0, the mount decides.
 * Deletion removes the configuration. All drift is detected.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const lease = new trivium.secrets.scheduler.Lease("scheduler", {
 *   ttl: "1h",
 *   maxTtl: "1d",
 * });
 * ```
 *
 * Documented under "Scheduler lease configuration" in the secrets service's interface.
 */
export class Lease extends TriviumResource {
  /** @internal */
  static override readonly definition = leaseDefinition;

  /** Where the scheduler engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** How long an issued token lives, in seconds; 0 when the mount decides. */
  declare readonly ttl: pulumi.Output<number>;
  /** How long an issued token may live with all its renewals, in seconds; 0 when the mount decides. */
  declare readonly maxTtl: pulumi.Output<number>;

  /**
   * Reads an existing lease configuration without managing it: it is never changed nor deleted.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the mount: `scheduler`
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): Lease {
    return Lease.existing(name, id, options);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args how long tokens are to live
   * @throws {@link errors.InputError} when an option is not supported, such as `import`
   */
  constructor(name: string, args: LeaseArgs, options?: pulumi.CustomResourceOptions) {
    super(leaseDefinition, name, args, options);
  }
}

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
export type GetLeaseOutputArgs = InputsOf<GetLeaseArgs>;

/** A lease configuration of the scheduler engine, as functions return it. */
export type GetLeaseResult = ResultOf<Lease, "id">;

const getDefinition = leases.reading<GetLeaseResult>("secrets.scheduler.getLease");

/**
 * Reads the lifetime of the tokens that the scheduler engine issues on a mount.
 *
 * @example
 * ```typescript
 * const { ttl } = await trivium.secrets.scheduler.getLease();
 * ```
 *
 * @throws {@link errors.NotFoundError} when the mount has no lease configuration
 */
export const getLease = promiseForm<GetLeaseArgs | undefined, GetLeaseResult>(getDefinition);

/**
 * Reads the lifetime of the tokens that the scheduler engine issues on a mount, with arguments that may be
 * outputs of resources. In a preview that creates one of them, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export const getLeaseOutput = outputForm<GetLeaseOutputArgs | undefined, GetLeaseResult>(getDefinition);
