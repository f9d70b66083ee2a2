import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path, type Path } from "../../base/path";
import { isResource, TriviumResource } from "../../resource/base";
import { duration } from "../../resource/canonical";
import { defineResourceBySchema } from "../../resource/definition";
import { assertGetSupported } from "../../resource/get";
import { durationInSeconds, wholeSeconds } from "../../resource/schemas";
import type { SecretsClient } from "../client";
import { exceeds } from "../leased";
import { mountDefinition, mountedId, readMountedId } from "../mount";
import { Turns } from "../../base/turns";
import { schedulerMountArgument } from "./usual-mount";

/** The arguments of a {@link Lease}. */
export interface LeaseArgs {
  /**
   * Where the scheduler engine is mounted, such as `teams/scheduler`. A change replaces the configuration.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /**
   * How long an issued token lives: whole seconds, or a duration such as `"1h"`. 0 leaves it to the mount. A change is
   * made in place and counts for tokens that are issued later.
   *
   * @default 0
   */
  ttl?: pulumi.Input<string | number | null | undefined>;
  /**
   * How long an issued token may live with all its renewals: whole seconds, or a duration such as `"1d"`. 0 leaves it
   * to the mount. A change is made in place and counts for tokens that are issued later.
   *
   * @default 0
   */
  maxTtl?: pulumi.Input<string | number | null | undefined>;
  /**
   * Take over the configuration if the mount has one already, instead of failing. Counts at creation only; a change
   * does nothing.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

/**
 * How long a mount's tokens live, in seconds; what an answer does not hold is missing.
 *
 * @internal
 */
export interface LeaseTimes {
  readonly ttl?: number;
  readonly maxTtl?: number;
}

function leasePath(mount: string): Path {
  return path`/${mountPath(mount)}/config/lease`;
}

/**
 * Reads how long a mount's tokens live.
 *
 * @returns `undefined` when the mount has no lease configuration
 * @internal
 */
export async function readLease(client: SecretsClient, mount: string): Promise<LeaseTimes | undefined> {
  const data = await client.read({
    summary: `read the scheduler lease configuration of the mount ${mount}`,
    path: leasePath(mount),
    data(z) {
      // Nothing, said in any way, is what leaves it to the mount.
      const seconds = z.union([durationInSeconds(z), z.literal(["", null]).transform(() => 0)]).optional();
      return z.object({ ttl: seconds, max_ttl: seconds });
    },
  });
  return (
    data && {
      ...(data.ttl === undefined ? {} : { ttl: data.ttl }),
      ...(data.max_ttl === undefined ? {} : { maxTtl: data.max_ttl }),
    }
  );
}

/** Replaces both values: one that is left out becomes 0. */
async function writeLease(client: SecretsClient, mount: string, times: LeaseTimes): Promise<void> {
  await client.write({
    summary: `write the scheduler lease configuration of the mount ${mount}`,
    path: leasePath(mount),
    body: { ttl: times.ttl ?? 0, max_ttl: times.maxTtl ?? 0 },
    data: (z) => z.unknown(),
  });
}

/** @internal */
export const leaseDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/scheduler:Lease",
  service: secretsService,
  identifiedBy: ["mount"],
  schema: (z, dialect) => ({
    mount: schedulerMountArgument(z, dialect),
    ttl: wholeSeconds(z).optional(),
    maxTtl: wholeSeconds(z).optional(),
    adopt: z.boolean().optional(),
  }),
  arguments: {
    mount: mountDefinition,
    ttl: { canonical: duration, cleared: 0 },
    maxTtl: { canonical: duration, cleared: 0 },
    adopt: { role: "creation" },
  },
  outputs: {},
  rules: [
    {
      between: ["ttl", "maxTtl"],
      check: ({ ttl, maxTtl }) =>
        exceeds(ttl, maxTtl) && {
          argument: "ttl",
          reason: "is longer than maxTtl: tokens live no longer than that",
          warning: true,
        },
    },
  ],
  updatesWholeObject: true,

  // A write makes a configuration or changes the one that is there, without saying which.
  inTurn: ({ client }, { mount }, work) => client.part(Turns).run(leasePath(mount), work),

  async find({ client }, { mount }) {
    const times = await readLease(client, mount);
    return times && { id: mountedId(mount), state: { mount, ...times } };
  },

  async create({ client }, { mount, ttl = 0, maxTtl = 0 }) {
    await writeLease(client, mount, { ttl, maxTtl });
    return { id: mountedId(mount), state: { mount } };
  },

  async read({ client }, id) {
    const { mount } = readMountedId(id, 0);
    const times = await readLease(client, mount);
    return times && { mount, ...times };
  },

  async update({ client }, id, { ttl, maxTtl }, _changed, known) {
    const { mount } = readMountedId(id, 0);
    await writeLease(client, mount, {
      ttl: ttl ?? secondsOf(known.ttl),
      maxTtl: maxTtl ?? secondsOf(known.maxTtl),
    });
    return { mount };
  },

  async delete({ client }, id) {
    const { mount } = readMountedId(id, 0);
    await client.delete({
      summary: `delete the scheduler lease configuration of the mount ${mount}`,
      path: leasePath(mount),
    });
  },
});

function secondsOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/**
 * How long the tokens live that the scheduler engine issues on a mount.
 *
 * Its id is the mount: there is one configuration for each. Without one, or with 0, the mount decides. Deletion
 * removes the configuration. All drift is visible.
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
    assertGetSupported("secrets.scheduler.Lease");
    return new Lease(name, undefined, { ...options, id });
  }

  /** Whether a value is a lease configuration, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is Lease {
    return isResource(value, leaseDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args how long tokens are to live
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: LeaseArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: LeaseArgs | undefined, options?: pulumi.CustomResourceOptions);
  constructor(name: string, args: LeaseArgs | undefined, options?: pulumi.CustomResourceOptions) {
    super(leaseDefinition, name, args, options);
  }
}
