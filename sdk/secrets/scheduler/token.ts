import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { scriptForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { TriviumResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import { defineFields, output, snakeCase } from "../../resource/fields/field";
import { pathName, text, nameInResponse } from "../../resource/fields/kinds";
import type { SecretsClient } from "../client";
import { leasedBehaviour, libraryDuration } from "../leased";
import { schedulerMount } from "../mount";
import type { MountedName } from "../mounted-objects";
import { secretsService } from "../service";
import { leases } from "./lease";

/** The arguments of a {@link Token}. */
export interface TokenArgs {
  /**
   * Where the scheduler engine is mounted, such as `teams/scheduler`. A change replaces the token.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /** The name of the role of the token. A change replaces the token. */
  roleName: pulumi.Input<string>;
  /**
   * How long before its expiry the token is replaced: seconds, or a duration such as `"15m"`. It must be less
   * than the lifetime of the token; otherwise every update replaces it. A change makes no request.
   *
   * @default it is replaced by the first update after its expiry
   */
  renewBefore?: pulumi.Input<string | number | null | undefined>;
}

const fields = defineFields<TokenArgs, Token>(snakeCase)({
  mount: schedulerMount,
  roleName: pathName({ replaces: true }),
  renewBefore: libraryDuration(),
  accessorId: output(text()),
  secretId: output(text({ secret: true })),
  leaseId: output(text()),
  expiresAt: output(text()),
});

/** @internal */
export async function issueToken(client: SecretsClient, { mount, roleName }: MountedName<"roleName">) {
  const role = `scheduler role ${JSON.stringify(roleName)} of the mount ${mount}`;
  const { data, lease } = await client.issue({
    summary: `issue a token of the ${role}`,
    method: "GET",
    path: path`/${mountPath(mount)}/creds/${roleName}`,
    data: (z) => z.object({ accessor_id: nameInResponse(z), secret_id: z.string().min(1) }),
    ifLost:
      `A token of the ${role} may nevertheless have been issued. It is lost, and is revoked when its lease expires. ` +
      "To revoke it earlier, delete it in the scheduler. The request was not retried: the next update issues another token.",
  });
  processRedactor.register(data.secret_id);
  return { accessorId: data.accessor_id, secretId: data.secret_id, ...lease };
}

/** @internal */
export const tokenDefinition = defineResource(secretsService, fields)(
  "secrets/scheduler:Token",
  leasedBehaviour({
    describe: ({ accessorId, roleName }) =>
      `The token ${String(accessorId)} of the scheduler role ${String(roleName)}`,
    issue: issueToken,
    id: ({ accessorId }) => accessorId,
    lifetime: async (client, { mount }) => (await leases.read(client, { mount }))?.ttl ?? 0,
  }),
);

/**
 * A token of the scheduler, issued by the scheduler engine with the permissions of a {@link Role}.
 *
 * It is issued once, at creation, and kept in state for later updates. The first update after its expiry, or
 * within `renewBefore` of it, replaces it. Its lifetime is the duration of the lease, else that of the
 * mount's {@link Lease}; `expiresAt` is null if neither is known. Its id is the accessor id. Issued with a
 * `login`, it ends with the token of that login at the latest, which `expiresAt` takes into account.
 *
 * Deletion and replacement depend on the dialect. The documented service cannot revoke a token before its
 * lease expires. In the hashicorp dialect the lease is revoked, which deletes the token in the scheduler at
 * once; if the secrets token may not do that, the token lives until it expires, with a warning. `secretId` is
 * a secret. A token that was revoked by another client is not detected.
 *
 * If the response to the request is lost, the request is not retried, and the error says what may exist.
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
  /** How long before its expiry it is replaced. */
  declare readonly renewBefore: pulumi.Output<string | number | null | undefined>;
  /** Names the token in the scheduler, without giving access. */
  declare readonly accessorId: pulumi.Output<string>;
  /** The token itself. Secret. */
  declare readonly secretId: pulumi.Output<string>;
  /** The lease id; empty if the service returns none. */
  declare readonly leaseId: pulumi.Output<string>;
  /** When the token expires: ISO 8601 in UTC; null for never. */
  declare readonly expiresAt: pulumi.Output<string | null>;

  /**
   * @param name the unique name of the resource in the program
   * @param args whose token it is to be
   * @throws {@link errors.InputError} when an option is not supported, such as `import`
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

/** A newly issued token of the scheduler. */
export interface GetCredentialsResult {
  /** Names the token in the scheduler, without giving access. */
  readonly accessorId: string;
  /** The token itself. Secret. */
  readonly secretId: string;
  /** The lease id; empty if the service returns none. */
  readonly leaseId: string;
  /** How long the token lives, in seconds; 0 when the service does not return. */
  readonly leaseDuration: number;
}

const credentialsDefinition = defineFunction(secretsService, { mount: schedulerMount, name: pathName() })(
  "secrets.scheduler.getCredentials",
  (client, { mount, name }) => issueToken(client, { mount, roleName: name }),
);

/**
 * Issues a token of the scheduler: each call issues another one. For scripts: a program uses {@link Token}.
 *
 * @example
 * ```typescript
 * const { secretId } = await trivium.secrets.scheduler.getCredentials({ name: "deploy" });
 * ```
 *
 * @throws {@link errors.TriviumError} if the role does not exist, or if the response is lost (the request is
 *   not retried); {@link errors.InputError} inside a Pulumi program
 */
export const getCredentials = scriptForm<GetCredentialsArgs, GetCredentialsResult>(
  credentialsDefinition,
  "secrets.scheduler.Token",
);
