import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { scriptForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { TriviumResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import { Fields, output, snakeCase } from "../../resource/fields/field";
import { nameInResponse, text, textSet } from "../../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { leasedBehavior } from "../leased";
import { leasedRows } from "../shared-rows";
import type { MountedName } from "../mounted-objects";
import { secretsService } from "../service";
import { dynamicRoles } from "./dynamic-role";
import { onDirectory } from "./failures";
import { roleFields } from "./names";

const rows = {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change generates another credential.
   *
   * @default "ldap"
   */
  mount: roleFields.mount,
  /** The name of the dynamic role. A change generates another credential. */
  roleName: roleFields.roleName,
  /** The account's user name. */
  username: output(text()),
  /** The account's password. Secret. */
  password: output(text({ secret: true })),
  /** The distinguished names of the created entries. */
  distinguishedNames: output(textSet()),
};

const fields = new Fields({ ...rows, ...leasedRows }, snakeCase);

/** The arguments of a {@link DynamicCredential}. */
export interface DynamicCredentialArgs extends ArgsOf<typeof rows>, ArgsOf<typeof leasedRows> {}

/** @internal */
export async function issueCredential(client: SecretsClient, { mount, roleName }: MountedName<"roleName">) {
  const { data, lease } = await onDirectory(client, mount, () =>
    client.issue({
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
        "The service might still have generated a credential. Its password is lost, and it expires with its TTL. " +
        "The request was not retried: try again to generate another credential.",
    }),
  );
  const { username, password, distinguished_names: distinguishedNames } = data;
  processRedactor.register(password);
  return { username, password, distinguishedNames: distinguishedNames ?? [], ...lease };
}

const behavior = leasedBehavior({
  describe: ({ username, roleName }) => `The credential ${String(username)} of the role ${String(roleName)}`,
  issue: issueCredential,
  id: ({ leaseId, username }) => leaseId || username,
  lifetime: async (client, role) => (await dynamicRoles.read(client, role))?.defaultTtl ?? 0,
});

/** @internal */
export const dynamicCredentialDefinition = defineResource(secretsService, fields)(
  "secrets/directory:DynamicCredential",
  {
    ...behavior,
    delete: (context, id, current) =>
      onDirectory(context.client, current.mount ?? "", () => behavior.delete(context, id, current)),
  },
);

export interface DynamicCredential extends OutputsOf<typeof rows>, OutputsOf<typeof leasedRows> {}

/**
 * A credential of the directory engine (the LDAP engine of Vault or OpenBao): a directory account that the
 * service creates from a dynamic role and deletes when the credential expires.
 *
 * The credential is generated once, at creation, and kept in state for later updates. The first update after
 * it expires, or within `renewBefore` of its expiry, replaces it. The lifetime is the duration of the lease
 * or, without a lease, the role's default TTL; `expiresAt` is null if neither is known. If the response to
 * the generation is lost, the request is not retried, and the error says what might exist. A credential that
 * was generated with a `login` expires no later than the login token; `expiresAt` reflects this.
 *
 * Deletion and replacement depend on the dialect. The documented service cannot revoke a credential, so the
 * account exists until the credential expires. In the hashicorp dialect, the lease is revoked, which deletes
 * the account at once; if the token is not allowed to do that, there is a warning and the account exists
 * until the credential expires.
 *
 * Its ID is the lease ID, or the user name. The service cannot read a credential, so a refresh only detects
 * that it has expired. In the hashicorp dialect, a refresh also detects that the lease was revoked, shortened
 * or renewed; `pulumi up` does not replace a credential whose lease was renewed.
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
 */
export class DynamicCredential extends TriviumResource<DynamicCredentialArgs> {
  /** @internal */
  static override readonly definition = dynamicCredentialDefinition;
}

/** The arguments of {@link getDynamicCredentials}. */
export interface GetDynamicCredentialsArgs extends PlainArgsOf<typeof roleFields>, Named {}

/** A newly generated credential. */
export interface GetDynamicCredentialsResult {
  /** The account's user name. */
  readonly username: string;
  /** The account's password. Secret. */
  readonly password: string;
  /** The distinguished names of the created entries. */
  readonly distinguishedNames: string[];
  /** The lease ID; empty if the service does not return one. */
  readonly leaseId: string;
  /** The lifetime of the credential, in seconds; 0 if the service does not return it. */
  readonly leaseDuration: number;
}

const credentialsDefinition = defineFunction(secretsService, roleFields)(
  "secrets.directory.getDynamicCredentials",
  issueCredential,
);

/**
 * Generates a credential of a dynamic role. Each call creates another account in the directory, which the
 * service deletes when the credential expires. For scripts only: in a program, use {@link DynamicCredential}.
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
