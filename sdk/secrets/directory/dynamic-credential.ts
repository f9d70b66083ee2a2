import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { scriptForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { TriviumResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import { defineFields, output, snakeCase } from "../../resource/fields/field";
import { text, textSet, nameInResponse } from "../../resource/fields/kinds";
import type { SecretsClient } from "../client";
import { leasedBehaviour, libraryDuration } from "../leased";
import type { MountedName } from "../mounted-objects";
import { secretsService } from "../service";
import { dynamicRoles } from "./dynamic-role";
import { roleFields } from "./names";

/** The arguments of a {@link DynamicCredential}. */
export interface DynamicCredentialArgs {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change generates another credential.
   *
   * @default "ldap"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /** The name of the dynamic role. A change generates another credential. */
  roleName: pulumi.Input<string>;
  /**
   * How long before its expiry the credential is replaced: seconds, or a duration such as `"1h"`. It must be
   * less than the lifetime of the credential; otherwise every update replaces it. A change makes no request.
   *
   * @default it is replaced by the first update after its expiry
   */
  renewBefore?: pulumi.Input<string | number | null | undefined>;
}

const fields = defineFields<DynamicCredentialArgs, DynamicCredential>(snakeCase)({
  ...roleFields,
  renewBefore: libraryDuration(),
  username: output(text()),
  password: output(text({ secret: true })),
  distinguishedNames: output(textSet()),
  leaseId: output(text()),
  expiresAt: output(text()),
});

/** @internal */
export async function issueCredential(client: SecretsClient, { mount, roleName }: MountedName<"roleName">) {
  const { data, lease } = await client.issue({
    summary: `generate a credential of the role ${roleName} of the mount ${mount}`,
    method: "GET",
    path: path`/${mountPath(mount)}/creds/${roleName}`,
    data: (z) =>
      z.object({
        username: nameInResponse(z),
        password: z.string(),
        distinguished_names: z.array(z.string()).nullish(),
      }),
    ifLost:
      "The service may nevertheless have generated a credential. Its password is lost, and it expires with its TTL. " +
      "The request was not retried: try again to generate another credential.",
  });
  const { username, password, distinguished_names: distinguishedNames } = data;
  processRedactor.register(password);
  return { username, password, distinguishedNames: distinguishedNames ?? [], ...lease };
}

/** @internal */
export const dynamicCredentialDefinition = defineResource(secretsService, fields)(
  "secrets/directory:DynamicCredential",
  leasedBehaviour({
    describe: ({ username, roleName }) =>
      `The credential ${String(username)} of the role ${String(roleName)}`,
    issue: issueCredential,
    id: ({ leaseId, username }) => leaseId || username,
    lifetime: async (client, role) => (await dynamicRoles.read(client, role))?.defaultTtl ?? 0,
  }),
);

/**
 * A credential of the directory engine: an account in the directory that the service creates from a dynamic
 * role and deletes when it expires.
 *
 * It is generated once, at creation, and kept in state for later updates. The first update after its expiry,
 * or within `renewBefore` of it, replaces it. Its lifetime is the duration of the lease, else the default TTL
 * of the role; `expiresAt` is null if neither is known. If the response to the generation is lost, the
 * request is not retried, and the error says what may exist. Generated with a `login`, it ends with the token
 * of that login at the latest, which `expiresAt` takes into account.
 *
 * Deletion and replacement depend on the dialect. The documented service cannot revoke a credential, so the
 * account lives until it expires. In the hashicorp dialect the lease is revoked, which deletes the account at
 * once; if the token may not do that, the account lives until it expires, with a warning.
 *
 * Its id is the lease id, or the user name. Drift is not detected: the service cannot read a credential.
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
  /** How long before its expiry the credential is replaced, as written in the program. */
  declare readonly renewBefore: pulumi.Output<string | number | null | undefined>;
  /** The account's user name. */
  declare readonly username: pulumi.Output<string>;
  /** The account's password. Secret. */
  declare readonly password: pulumi.Output<string>;
  /** The distinguished names of the entries that were made. */
  declare readonly distinguishedNames: pulumi.Output<string[]>;
  /** The lease id; empty if the service returns none. */
  declare readonly leaseId: pulumi.Output<string>;
  /** When the credential expires: ISO 8601 in UTC; null for never. */
  declare readonly expiresAt: pulumi.Output<string | null>;

  /**
   * @param name the unique name of the resource in the program
   * @param args of which role the credential is
   * @throws {@link errors.InputError} when an option is not supported, such as `import`
   */
  constructor(name: string, args: DynamicCredentialArgs, options?: pulumi.CustomResourceOptions) {
    super(dynamicCredentialDefinition, name, args, options);
  }
}

/** The arguments of {@link getDynamicCredentials}. */
export interface GetDynamicCredentialsArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The dynamic role's name. In the hashicorp dialect it is case-insensitive. */
  roleName: string;
}

/** A newly generated credential. */
export interface GetDynamicCredentialsResult {
  /** The account's user name. */
  readonly username: string;
  /** The account's password. Secret. */
  readonly password: string;
  /** The distinguished names of the entries that were made. */
  readonly distinguishedNames: string[];
  /** The lease id; empty if the service returns none. */
  readonly leaseId: string;
  /** How long the credential lives, in seconds; 0 if the service does not return it. */
  readonly leaseDuration: number;
}

const credentialsDefinition = defineFunction(secretsService, roleFields)(
  "secrets.directory.getDynamicCredentials",
  issueCredential,
);

/**
 * Generates a credential of a dynamic role: each call creates another account in the directory, which the
 * service deletes when it expires. For scripts: a program uses {@link DynamicCredential}.
 *
 * @example
 * ```typescript
 * const { username, password } = await trivium.secrets.directory.getDynamicCredentials({ roleName: "reports" });
 * ```
 *
 * @throws {@link errors.TriviumError} if the role does not exist or the directory rejects the request;
 * {@link errors.InputError} inside a Pulumi program
 */
export const getDynamicCredentials = scriptForm<GetDynamicCredentialsArgs, GetDynamicCredentialsResult>(
  credentialsDefinition,
  "secrets.directory.DynamicCredential",
);
