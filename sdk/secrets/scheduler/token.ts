import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path } from "../../base/path";
import { isResource, TriviumResource } from "../../resource/base";
import { defineResourceBySchema } from "../../resource/definition";
import { durationInSeconds, nameInPath } from "../../resource/schemas";
import type { SecretsClient, SecretsRequest } from "../client";
import { revokeLease } from "../lease-revocation";
import { endOf, expiryAfter, isOver, renewBeforeDefinition, warnOfConstantRenewal } from "../leased";
import { mountDefinition } from "../mount";
import { readLease } from "./lease";
import { issueToken } from "./token-wire";
import { schedulerMount } from "./usual-mount";

/** The arguments of a {@link Token}. */
export interface TokenArgs {
  /**
   * Where the scheduler engine is mounted, such as `teams/scheduler`. A change replaces the token.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /** The name of the role of which the token is. A change replaces the token. */
  roleName: pulumi.Input<string>;
  /**
   * Replace the token when it has less than this left to live: seconds, or a duration such as `"15m"`. It should be
   * much shorter than the token's life, or every run replaces it. Concerns the library only: a change makes no request
   * by itself.
   *
   * @default replace it once it has ended
   */
  renewBefore?: pulumi.Input<string | number | null | undefined>;
}

function describe(outputs: Readonly<Record<string, unknown>>): string {
  return `The token ${String(outputs.accessorId)} of the scheduler role ${String(outputs.roleName)}`;
}

/** @internal */
export const tokenDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/scheduler:Token",
  service: secretsService,
  schema: (z, dialect) => ({
    mount: schedulerMount(z, dialect),
    roleName: nameInPath(z),
    renewBefore: durationInSeconds(z).optional(),
  }),
  arguments: {
    mount: mountDefinition,
    roleName: { replaces: true },
    renewBefore: renewBeforeDefinition,
  },
  outputs: {
    accessorId: {},
    secretId: { secret: true },
    leaseId: {},
    expiresAt: {},
  },
  ended: (outputs, inputs, now) => endOf(describe(outputs), outputs, inputs, now),

  async create(step, { mount, roleName, renewBefore = null }) {
    const sentAt = Date.now();
    const { accessorId, secretId, lease } = await issueToken(step.client, mount, roleName);
    const askedAt = step.client.clock.at(sentAt);
    const state = { mount, roleName, accessorId, secretId, leaseId: lease.id };
    const made = { id: accessorId, memory: { askedAt } };
    if (lease.durationSeconds === 0) {
      // What is missing is read: the lease configuration says how long tokens live.
      return { ...made, state };
    }
    const expiresAt = expiryAfter(askedAt, lease.durationSeconds);
    warnOfConstantRenewal(step, describe(state), { expiresAt, renewBefore }, askedAt);
    return { ...made, state: { ...state, expiresAt } };
  },

  async read({ client, memory }, _id, { mount, expiresAt }) {
    const askLease = (): SecretsRequest => ({
      summary: "ask the service for its time",
      path: path`/${mountPath(String(mount))}/config/lease`,
    });
    if (await isOver(client, expiresAt, askLease)) {
      return undefined;
    }
    const { askedAt } = memory;
    if (expiresAt !== undefined || typeof askedAt !== "number" || typeof mount !== "string") {
      // Nothing in the service shows a token: it is there until its time is over.
      return {};
    }
    const lease = await readLease(client, mount);
    return { expiresAt: expiryAfter(askedAt, lease?.ttl ?? 0) };
  },

  // Every argument that a request depends on replaces the token.
  update: () => Promise.resolve({}),

  delete: (step, _id, known) => revokeLease(step.client, step, describe(known), known),
});

/**
 * A token of the scheduler, issued by the scheduler engine with the rights of a {@link Role}.
 *
 * It is issued once and used again in later runs. It is replaced when it has ended, or when it has less than
 * `renewBefore` left; a plan that does so announces why. When it ends is what the service said when it issued it, else
 * what the mount's {@link Lease} says; `expiresAt` is null where neither does. Its id is the accessor id.
 *
 * What deletion and replacement do depends on the dialect. The documented service has no request that ends a token:
 * none is made, and the service revokes the token when its lease ends. In the hashicorp dialect the lease is revoked,
 * which deletes the token in the scheduler at once; a secrets token that may not do that leaves it to its end, and a
 * warning says so. `secretId` is a secret. That somebody has revoked the token cannot be seen.
 *
 * When the answer to the request is lost, the token that may have been issued is lost with it: it is not asked for
 * again, and the error says so.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const role = new trivium.secrets.scheduler.Role("deploy", {
 *   name: "deploy",
 *   policies: ["job-submit"],
 * });
 * const token = new trivium.secrets.scheduler.Token("deploy", {
 *   roleName: role.name,
 *   renewBefore: "15m",
 * });
 *
 * export const schedulerToken = token.secretId;
 * ```
 *
 * Documented under "Scheduler secrets engine" in the secrets service's interface.
 */
export class Token extends TriviumResource {
  /** @internal */
  static override readonly definition = tokenDefinition;

  /** Where the scheduler engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** The name of the role of which it is. */
  declare readonly roleName: pulumi.Output<string>;
  /** How long before its end it is replaced. */
  declare readonly renewBefore: pulumi.Output<string | number | null | undefined>;
  /** Names the token in the scheduler, without giving access. */
  declare readonly accessorId: pulumi.Output<string>;
  /** The token itself. Secret. */
  declare readonly secretId: pulumi.Output<string>;
  /** The lease that ends the token; empty when the service gave none. */
  declare readonly leaseId: pulumi.Output<string>;
  /** When the token ends: ISO 8601 in UTC; null for never. */
  declare readonly expiresAt: pulumi.Output<string | null>;

  /** Whether a value is a token, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is Token {
    return isResource(value, tokenDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args whose token it is to be
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: TokenArgs, options?: pulumi.CustomResourceOptions) {
    super(tokenDefinition, name, args, options);
  }
}
