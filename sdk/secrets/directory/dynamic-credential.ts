import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path } from "../../base/path";
import { isResource, TriviumResource } from "../../resource/base";
import { defineResourceBySchema } from "../../resource/definition";
import { parseDuration } from "../../base/duration";
import { wholeSeconds } from "../../resource/schemas";
import type { SecretsClient, SecretsRequest } from "../client";
import { revokeLease } from "../lease-revocation";
import { endOf, expiryAfter, isOver, renewBeforeDefinition, warnOfConstantRenewal } from "../leased";
import { mountArgument, mountDefinition } from "../mount";
import { defaultTtlOf, mintCredential } from "./dynamic-credential-wire";
import { engineNameArgument, engineNameDefinition, usualMount } from "./names";

/** The arguments of a {@link DynamicCredential}. */
export interface DynamicCredentialArgs {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change mints another credential.
   *
   * @default "ldap"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /** The name of the dynamic role. A change mints another credential. */
  roleName: pulumi.Input<string>;
  /**
   * How long before its end the credential is replaced: seconds, or a duration such as `"1h"`. Give less than the
   * credential lives, or each run replaces it. A change makes no request.
   *
   * @default it is replaced by the first run after its end
   */
  renewBefore?: pulumi.Input<string | number | null | undefined>;
}

function describe(outputs: Readonly<Record<string, unknown>>): string {
  return `The credential ${String(outputs.username)} of the role ${String(outputs.roleName)}`;
}

/** @internal */
export const dynamicCredentialDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/directory:DynamicCredential",
  service: secretsService,
  schema: (z, dialect) => ({
    mount: mountArgument(z, usualMount),
    roleName: engineNameArgument(z, dialect),
    renewBefore: wholeSeconds(z).optional(),
  }),
  arguments: {
    mount: mountDefinition,
    roleName: engineNameDefinition,
    renewBefore: renewBeforeDefinition,
  },
  outputs: {
    username: {},
    password: { secret: true },
    distinguishedNames: {},
    leaseId: {},
    expiresAt: {},
  },
  ended: (outputs, inputs, now) => endOf(describe(outputs), outputs, inputs, now),

  async create(step, { mount, roleName, renewBefore = null }) {
    const sentAt = Date.now();
    const { lease, ...credential } = await mintCredential(step.client, { mount, roleName });
    const askedAt = step.client.clock.at(sentAt);
    const state = { mount, roleName, ...credential, leaseId: lease.id };
    const made = { id: lease.id || credential.username, memory: { askedAt } };
    if (lease.durationSeconds === 0) {
      // What is missing is read: the role says how long its credentials live.
      return { ...made, state };
    }
    const expiresAt = expiryAfter(askedAt, lease.durationSeconds);
    warnOfConstantRenewal(step, describe(state), { expiresAt, renewBefore }, askedAt);
    return { ...made, state: { ...state, expiresAt } };
  },

  async read(step, _id, known) {
    const { mount, roleName } = known;
    const askRole = (): SecretsRequest => ({
      summary: "ask the service for its time",
      path: path`/${mountPath(String(mount))}/role/${String(roleName)}`,
    });
    if (await isOver(step.client, known.expiresAt, askRole)) {
      return undefined;
    }
    const { askedAt } = step.memory;
    const complete = known.expiresAt !== undefined || typeof askedAt !== "number";
    if (complete || typeof mount !== "string" || typeof roleName !== "string") {
      return {};
    }
    const expiresAt = expiryAfter(askedAt, await defaultTtlOf(step.client, { mount, roleName }));
    const renewBefore = parseDuration(known.renewBefore) ?? null;
    warnOfConstantRenewal(step, describe(known), { expiresAt, renewBefore }, askedAt);
    return { expiresAt };
  },

  // Every argument that a request depends on replaces the credential.
  update: () => Promise.resolve({}),

  delete: (step, _id, known) => revokeLease(step.client, step, describe(known), known),
});

/**
 * A credential of the directory engine: an account in the directory that the service makes from a dynamic role, and
 * deletes when its time to live is over.
 *
 * It is minted once, at creation, and kept in state for later runs. The first run after its end, or within
 * `renewBefore` of it, replaces it, and says so in one line. Its end is the minting and the lease's duration, else
 * the role's default time to live; null when neither is known. When the answer to the minting is lost, it is not asked
 * for again by itself; the error says what may exist.
 *
 * What deletion and replacement do depends on the dialect. The documented service has no request that ends a
 * credential: none is made, and the account lives on until its end. In the hashicorp dialect the lease is revoked,
 * which deletes the account at once; a token that may not do that leaves the account to its end, and a warning says so.
 *
 * Its id is the lease's, or the user name. Drift cannot be seen: the service has no way to ask for a credential.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const credential = new trivium.secrets.directory.DynamicCredential("reports", {
 *   roleName: "reports",
 *   renewBefore: "1h",
 * });
 *
 * export const userName = credential.username;
 * export const password = credential.password;
 * ```
 *
 * Documented under "Dynamic credentials" in the secrets service's interface.
 */
export class DynamicCredential extends TriviumResource {
  /** @internal */
  static override readonly definition = dynamicCredentialDefinition;

  /** Where the directory engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** The name of the dynamic role. */
  declare readonly roleName: pulumi.Output<string>;
  /** How long before its end the credential is replaced, as the program wrote it. */
  declare readonly renewBefore: pulumi.Output<string | number | null | undefined>;
  /** The account's user name. */
  declare readonly username: pulumi.Output<string>;
  /** The account's password. Secret. */
  declare readonly password: pulumi.Output<string>;
  /** The distinguished names of the entries that were made. */
  declare readonly distinguishedNames: pulumi.Output<string[]>;
  /** The id of the lease; empty where the service gives none. */
  declare readonly leaseId: pulumi.Output<string>;
  /** When the credential ends, ISO 8601 in UTC; null for never. */
  declare readonly expiresAt: pulumi.Output<string | null>;

  /** Whether a value is such a credential, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is DynamicCredential {
    return isResource(value, dynamicCredentialDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args of which role the credential is
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: DynamicCredentialArgs, options?: pulumi.CustomResourceOptions) {
    super(dynamicCredentialDefinition, name, args, options);
  }
}
