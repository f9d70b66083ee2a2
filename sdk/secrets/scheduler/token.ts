import { advisedOtherwise, ServiceError, TriviumError } from "../../base/errors";
import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { scriptForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { TriviumResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import { Fields, output, snakeCase } from "../../resource/fields/field";
import { nameInResponse, pathName, text } from "../../resource/fields/kinds";
import type { ArgsOf, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { leasedBehavior } from "../leased";
import { leasedRows } from "../shared-rows";
import { schedulerMount, schedulerMountRows } from "../mount";
import type { MountedName } from "../mounted-objects";
import { secretsService } from "../service";
import { leases } from "./lease";

const rows = {
  /**
   * Where the scheduler engine is mounted, such as `teams/scheduler`. A change replaces the token.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount: schedulerMount,
  /** The name of the role to issue the token for. A change replaces the token. */
  roleName: pathName({ replaces: true }),
  /** The accessor ID, which identifies the token in the scheduler but does not give access. */
  accessorId: output(text()),
  /** The token. Secret. */
  secretId: output(text({ secret: true })),
};

const fields = new Fields({ ...rows, ...leasedRows }, snakeCase);

/** The arguments of a {@link Token}. */
export interface TokenArgs extends ArgsOf<typeof rows>, ArgsOf<typeof leasedRows> {}

/** The engine had no connection, so its request was not sent. */
const unreachable = /: (?:dial |unsupported protocol scheme)/;

/** @internal */
export async function issueToken(client: SecretsClient, { mount, roleName }: MountedName<"roleName">) {
  const role = `scheduler role ${JSON.stringify(roleName)} of the mount ${mount}`;
  const issued = client.issue({
    summary: `issue a token of the ${role}`,
    method: "GET",
    path: path`/${mountPath(mount)}/creds/${roleName}`,
    data: (z) => z.object({ accessor_id: nameInResponse(z), secret_id: z.string().min(1) }),
    ifLost:
      `A token of the ${role} might still have been issued. It is lost, and is revoked when its lease expires. ` +
      "To revoke it earlier, delete it in the scheduler. The request was not retried: the next update issues another token.",
  });
  const { data, lease } = await issued.catch((error: unknown) => {
    const words = ServiceError.isInstance(error) ? error.messages : [];
    throw TriviumError.isInstance(error) && words.some((text) => unreachable.test(text))
      ? advisedOtherwise(
          error,
          `No token was issued, because the mount ${mount} cannot reach the scheduler. Configure its address and token ` +
            "first, and add that resource to the dependencies (secrets.scheduler.Access, dependsOn). Without an address and " +
            "token, the engine uses the environment of the service.",
        )
      : error;
  });
  processRedactor.register(data.secret_id);
  return { accessorId: data.accessor_id, secretId: data.secret_id, ...lease };
}

/** @internal */
export const tokenDefinition = defineResource(secretsService, fields)(
  "secrets/scheduler:Token",
  leasedBehavior({
    describe: ({ accessorId, roleName }) =>
      `The token ${String(accessorId)} of the scheduler role ${String(roleName)}`,
    issue: issueToken,
    id: ({ accessorId }) => accessorId,
    lifetime: async (client, { mount }) => (await leases.read(client, { mount }))?.ttl ?? 0,
  }),
);

export interface Token extends OutputsOf<typeof rows>, OutputsOf<typeof leasedRows> {}

/**
 * A token of the scheduler (Nomad), issued by the scheduler engine (the Nomad engine of Vault or OpenBao) with the permissions of a {@link Role}.
 *
 * The token is issued once, at creation, and kept in state for later updates. The first update after it
 * expires, or within `renewBefore` of its expiry, replaces it. The lifetime is the duration of the lease or,
 * without a lease, that of the mount's {@link Lease}; `expiresAt` is null if neither is known. Its ID is the
 * accessor ID. A token that was issued with a `login` expires no later than the login token; `expiresAt`
 * reflects this.
 *
 * Deletion and replacement depend on the dialect. The documented service cannot revoke a token before its
 * lease expires. In the hashicorp dialect, the lease is revoked, which deletes the token in the scheduler at
 * once; if the secrets token is not allowed to do that, there is a warning and the token remains valid until
 * it expires. `secretId` is a secret. A refresh only detects that the token has expired and, in the hashicorp
 * dialect, that its lease was revoked, shortened or renewed; it does not detect that the token was deleted in
 * the scheduler.
 *
 * If the response is lost, the request is not retried, and the error says what might exist.
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
 */
export class Token extends TriviumResource<TokenArgs> {
  /** @internal */
  static override readonly definition = tokenDefinition;
}

const credentialsRows = {
  /** The name of the role. */
  name: pathName(),
};

/** The arguments of {@link getCredentials}. */
export interface GetCredentialsArgs
  extends PlainArgsOf<typeof schedulerMountRows>, PlainArgsOf<typeof credentialsRows> {}

/** A newly issued token of the scheduler. */
export interface GetCredentialsResult {
  /** The accessor ID, which identifies the token in the scheduler but does not give access. */
  readonly accessorId: string;
  /** The token. Secret. */
  readonly secretId: string;
  /** The lease ID; empty if the service does not return one. */
  readonly leaseId: string;
  /** The lifetime of the token in seconds; 0 if the service does not return it. */
  readonly leaseDuration: number;
}

const credentialsDefinition = defineFunction(secretsService, { ...schedulerMountRows, ...credentialsRows })(
  "secrets.scheduler.getCredentials",
  (client, { mount, name }) => issueToken(client, { mount, roleName: name }),
);

/**
 * Issues a token of the scheduler; each call issues another one. For scripts only: in a program, use
 * {@link Token}.
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
