import { path } from "../../base/path";
import { outputForm, promiseForm } from "../../functions/call";
import { ReadableResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import { Fields, snakeCase } from "../../resource/fields/field";
import { adopt } from "../../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import { limits } from "../leased";
import { lifetime } from "../shared-rows";
import { schedulerLists, schedulerMount, schedulerMountRows } from "../mount";
import { MountedObjects } from "../mounted-objects";
import { secretsService } from "../service";

const rows = {
  /**
   * Where the scheduler engine is mounted, such as `teams/scheduler`. A change replaces the configuration.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount: schedulerMount,
  /**
   * How long an issued token is valid: whole seconds, or a duration such as `"1h"`. The output is in seconds.
   * With 0, the mount's TTL applies. A change is made in place and applies to new tokens.
   *
   * @default 0
   */
  ttl: lifetime,
  /**
   * How long an issued token can be valid with all its renewals: whole seconds, or a duration such as `"1d"`.
   * The output is in seconds. With 0, the mount's maximum TTL applies. A change is made in place and applies
   * to new tokens.
   *
   * @default 0
   */
  maxTtl: lifetime,
  /**
   * Adopt the configuration if the mount already has one, instead of failing. Only used at creation; a later
   * change has no effect.
   *
   * @default false
   */
  adopt: adopt(),
};

const fields = new Fields(rows, snakeCase);

/** The arguments of a {@link Lease}. */
export interface LeaseArgs extends ArgsOf<typeof rows>, Named {}

/** @internal */
export const leases = new MountedObjects({
  what: "scheduler lease configuration",
  idIs: "the mount: `scheduler`",
  key: schedulerMountRows,
  path: (at) => path`/${at}/config/lease`,
  otherLists: schedulerLists,
  hasDefaults: true,
  fields,
  importedBy: "scheduler",
});

/** @internal */
export const leaseDefinition = defineResource(secretsService, fields)("secrets/scheduler:Lease", {
  ...leases.behavior,
  // Real servers reset what a write omits.
  updatesWholeObject: true,
  rules: [limits("maxTtl", "ttl", "tokens")],
  // Keeps values that the configuration has and the program never set.
  ...leases.writing((name, value, named) => value !== 0 || named.has(name)),
});

export interface Lease extends OutputsOf<typeof rows> {}

/**
 * Sets the lifetime of the tokens that the scheduler engine (the Nomad engine of Vault or OpenBao) issues on
 * a mount.
 *
 * Its ID is the mount's path: each mount has one configuration. Without a configuration, or with 0, the
 * mount's TTLs apply. Deletion removes the configuration. All drift is detected.
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
 */
export class Lease extends ReadableResource<LeaseArgs> {
  /** @internal */
  static override readonly definition = leaseDefinition;
}

/** The arguments of {@link getLease}. */
export interface GetLeaseArgs extends PlainArgsOf<typeof schedulerMountRows>, Named {}

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
 * @throws {@link errors.NotFoundError} if the mount has no lease configuration
 */
export const getLease = promiseForm<GetLeaseArgs | undefined, GetLeaseResult>(getDefinition);

/**
 * Reads the lifetime of the tokens that the scheduler engine issues on a mount, with arguments that can be
 * outputs of resources. In a preview that creates one of these resources, or one in `dependsOn`, the result
 * is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getLeaseOutput = outputForm<GetLeaseOutputArgs | undefined, GetLeaseResult>(getDefinition);
