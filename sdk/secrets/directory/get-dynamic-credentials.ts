import { secretsService } from "../service";
import { callInScript, type ScriptFunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import type { SecretsClient } from "../client";
import { mountArgument } from "../mount";
import { mintCredential } from "./dynamic-credential-wire";
import { engineNameArgument, type RoleName, usualMount } from "./names";

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

const definition: FunctionDefinition<SecretsClient, RoleName, GetDynamicCredentialsResult> = {
  name: "secrets.directory.getDynamicCredentials",
  service: secretsService,
  schema: (z, dialect) =>
    z.strictObject({ mount: mountArgument(z, usualMount), roleName: engineNameArgument(z, dialect) }),

  async call(client, role) {
    const { lease, distinguishedNames, ...credential } = await mintCredential(client, role);
    return {
      ...credential,
      distinguishedNames: [...distinguishedNames],
      leaseId: lease.id,
      leaseDuration: lease.durationSeconds,
    };
  },
};

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
  return callInScript(definition, "secrets.directory.DynamicCredential", args, options);
}
