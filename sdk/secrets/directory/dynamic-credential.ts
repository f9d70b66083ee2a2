import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { callInScript, type ScriptFunctionOptions } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { isResource, TriviumResource } from "../../resource/base";
import { defineResource } from "../../resource/definition";
import { answered, defineFields, snakeCase } from "../../resource/field";
import { text, textSet } from "../../resource/kinds";
import { nameInAnswer } from "../../resource/schemas";
import type { Lease } from "../answer";
import type { SecretsClient } from "../client";
import { type IssuingRole, issueOnce, leasedBehaviour, renewBefore } from "../leased";
import { secretsService } from "../service";
import { dynamicRoles } from "./dynamic-role";
import { roleFields } from "./names";

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

const fields = defineFields<DynamicCredentialArgs, DynamicCredential>(snakeCase)({
  ...roleFields,
  renewBefore: renewBefore(),
  username: answered(text()),
  password: answered(text({ secret: true })),
  distinguishedNames: answered(textSet()),
  leaseId: answered(text()),
  expiresAt: answered(text()),
});

/** A credential that was minted a moment ago. */
interface MintedCredential {
  readonly username: string;
  readonly password: string;
  readonly distinguishedNames: string[];
  readonly lease: Lease;
}

/**
 * Has the service make an account in the directory.
 *
 * @internal
 */
export async function mintCredential(
  client: SecretsClient,
  { mount, roleName }: IssuingRole,
): Promise<MintedCredential> {
  const { data, lease } = await issueOnce(
    client,
    {
      summary: `mint a credential of the role ${roleName} of the mount ${mount}`,
      path: path`/${mountPath(mount)}/creds/${roleName}`,
      data: (z) =>
        z.object({
          username: nameInAnswer(z),
          password: z.string(),
          distinguished_names: z.array(z.string()).nullish(),
        }),
    },
    "The service may have made a credential all the same. Nobody has its password, and it ends by its time to live. " +
      "It is not asked for again by itself: run this again to mint another one.",
  );
  const { username, password, distinguished_names: distinguishedNames } = data;
  processRedactor.register(password);
  return { username, password, distinguishedNames: distinguishedNames ?? [], lease };
}

/** @internal */
export const dynamicCredentialDefinition = defineResource(secretsService, fields)(
  "secrets/directory:DynamicCredential",
  leasedBehaviour({
    describe: ({ username, roleName }) =>
      `The credential ${String(username)} of the role ${String(roleName)}`,
    async issue(client, role) {
      const { lease, ...state } = await mintCredential(client, role);
      return { id: lease.id || state.username, state, lease };
    },
    timePath: ({ mount, roleName }) => path`/${mountPath(mount)}/role/${roleName}`,
    lifetime: async (client, role) => (await dynamicRoles.read(client, role))?.defaultTtl ?? 0,
  }),
);

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

/** The arguments of {@link getDynamicCredentials}. */
export interface GetDynamicCredentialsArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The dynamic role's name. In the hashicorp dialect case does not count. */
  roleName: string;
}

/** A credential that was minted a moment ago. */
export interface GetDynamicCredentialsResult {
  /** The account's user name. */
  readonly username: string;
  /** The account's password. Secret. */
  readonly password: string;
  /** The distinguished names of the entries that were made. */
  readonly distinguishedNames: string[];
  /** The id of the lease; empty where the service gives none. */
  readonly leaseId: string;
  /** How long the credential lives, in seconds; 0 where the service does not say. */
  readonly leaseDuration: number;
}

const credentialsDefinition = defineFunction(secretsService, roleFields)(
  "secrets.directory.getDynamicCredentials",
  async (client, role): Promise<GetDynamicCredentialsResult> => {
    const { lease, ...credential } = await mintCredential(client, role);
    return { ...credential, leaseId: lease.id, leaseDuration: lease.durationSeconds };
  },
);

/**
 * Mints a credential of a dynamic role: each call makes another account in the directory, which the service deletes
 * when its time to live is over. For scripts: a program uses {@link DynamicCredential}.
 *
 * @example
 * ```typescript
 * const { username, password } = await trivium.secrets.directory.getDynamicCredentials({ roleName: "reports" });
 * ```
 *
 * @throws {@link errors.TriviumError} when there is no such role or the directory refuses; {@link errors.InputError} inside a Pulumi program
 */
export function getDynamicCredentials(
  args: GetDynamicCredentialsArgs,
  options?: ScriptFunctionOptions,
): Promise<GetDynamicCredentialsResult> {
  return callInScript(credentialsDefinition, "secrets.directory.DynamicCredential", args, options);
}
