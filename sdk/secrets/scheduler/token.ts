import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { callInScript, type ScriptFunctionOptions } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { isResource, TriviumResource } from "../../resource/base";
import { defineResource } from "../../resource/definition";
import { answered, defineFields, snakeCase } from "../../resource/field";
import { pathName, text } from "../../resource/kinds";
import { nameInAnswer } from "../../resource/schemas";
import type { Lease } from "../answer";
import type { SecretsClient } from "../client";
import { type IssuingRole, issueOnce, leasedBehaviour, renewBefore } from "../leased";
import { secretsService } from "../service";
import { readLease } from "./lease";
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

const fields = defineFields<TokenArgs, Token>(snakeCase)({
  mount: schedulerMount(),
  roleName: pathName({ replaces: true }),
  renewBefore: renewBefore(),
  accessorId: answered(text()),
  secretId: answered(text({ secret: true })),
  leaseId: answered(text()),
  expiresAt: answered(text()),
});

/** A token that was issued a moment ago. */
interface IssuedToken {
  readonly accessorId: string;
  readonly secretId: string;
  readonly lease: Lease;
}

/** @internal */
export async function issueToken(
  client: SecretsClient,
  { mount, roleName }: IssuingRole,
): Promise<IssuedToken> {
  const role = `scheduler role ${JSON.stringify(roleName)} of the mount ${mount}`;
  const { data, lease } = await issueOnce(
    client,
    {
      summary: `have a token of the ${role} issued`,
      path: path`/${mountPath(mount)}/creds/${roleName}`,
      data: (z) => z.object({ accessor_id: nameInAnswer(z), secret_id: z.string().min(1) }),
    },
    `A token of the ${role} may have been issued all the same. Nobody has it, and it is revoked when its lease ends, ` +
      "or before by whoever finds it in the scheduler. It was not asked for again: the next run has another one issued.",
  );
  processRedactor.register(data.secret_id);
  return { accessorId: data.accessor_id, secretId: data.secret_id, lease };
}

/** @internal */
export const tokenDefinition = defineResource(secretsService, fields)(
  "secrets/scheduler:Token",
  leasedBehaviour({
    describe: ({ accessorId, roleName }) =>
      `The token ${String(accessorId)} of the scheduler role ${String(roleName)}`,
    async issue(client, role) {
      const { lease, ...state } = await issueToken(client, role);
      return { id: state.accessorId, state, lease };
    },
    timePath: ({ mount }) => path`/${mountPath(mount)}/config/lease`,
    lifetime: async (client, { mount }) => (await readLease(client, mount))?.ttl ?? 0,
  }),
);

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

/** The arguments of {@link getCredentials}. */
export interface GetCredentialsArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: string | null | undefined;
  /** The name of the role. */
  name: string;
}

/** A token of the scheduler that was issued a moment ago. */
export interface GetCredentialsResult {
  /** Names the token in the scheduler, without giving access. */
  readonly accessorId: string;
  /** The token itself. Secret. */
  readonly secretId: string;
  /** The lease that ends the token; empty when the service gave none. */
  readonly leaseId: string;
  /** How long the token lives, in seconds; 0 when the service does not say. */
  readonly leaseDuration: number;
}

const credentialsDefinition = defineFunction(secretsService, { mount: schedulerMount(), name: pathName() })(
  "secrets.scheduler.getCredentials",
  async (client, { mount, name }): Promise<GetCredentialsResult> => {
    const { accessorId, secretId, lease } = await issueToken(client, { mount, roleName: name });
    return { accessorId, secretId, leaseId: lease.id, leaseDuration: lease.durationSeconds };
  },
  { secret: true },
);

/**
 * Has a token of the scheduler issued, another one at each call. For scripts: a program uses {@link Token}.
 *
 * @example
 * ```typescript
 * const { secretId } = await trivium.secrets.scheduler.getCredentials({ name: "deploy" });
 * ```
 *
 * @throws {@link errors.TriviumError} when there is no such role, or when the response is lost (it is not asked for
 *   again); {@link errors.InputError} inside a Pulumi program
 */
export function getCredentials(
  args: GetCredentialsArgs,
  options?: ScriptFunctionOptions,
): Promise<GetCredentialsResult> {
  return callInScript(credentialsDefinition, "secrets.scheduler.Token", args, options);
}
