import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { NotFoundError } from "../../base/errors";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import type { SecretsClient } from "../client";
import { mountArgument } from "../mount";
import { readDynamicRole } from "./dynamic-role-wire";
import { engineNameArgument, type RoleName, usualMount } from "./names";

/** The arguments of {@link getDynamicRole}. */
export interface GetDynamicRoleArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The role's name. In the hashicorp dialect case does not count. */
  roleName: string;
}

/** The arguments of {@link getDynamicRoleOutput}. */
export interface GetDynamicRoleOutputArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: pulumi.Input<string | null | undefined>;
  /** The role's name. In the hashicorp dialect case does not count. */
  roleName: pulumi.Input<string>;
}

/** A dynamic role. */
export interface GetDynamicRoleResult {
  /** Where the engine is mounted. */
  readonly mount: string;
  /** The role's name; in the hashicorp dialect in lower case. */
  readonly roleName: string;
  /** The LDIF that creates an account, plain. */
  readonly creationLdif: string;
  /** The LDIF that deletes an account, plain. */
  readonly deletionLdif: string;
  /** The LDIF that runs when a creation fails, plain; empty for none. */
  readonly rollbackLdif: string;
  /** The template of account names; empty for the service's own. */
  readonly usernameTemplate: string;
  /** How long an account lives, in seconds; 0 where the role does not say. */
  readonly defaultTtl: number;
  /** How long an account can live with all renewals, in seconds; 0 where the role does not say. */
  readonly maxTtl: number;
}

const definition: FunctionDefinition<SecretsClient, RoleName, GetDynamicRoleResult> = {
  name: "secrets.directory.getDynamicRole",
  service: secretsService,
  schema: (z, dialect) =>
    z.strictObject({ mount: mountArgument(z, usualMount), roleName: engineNameArgument(z, dialect) }),

  async call(client, role) {
    const state = await readDynamicRole(client, role);
    if (state === undefined) {
      throw new NotFoundError(`There is no dynamic role ${role.roleName} on the mount ${role.mount}.`);
    }
    const { creationLdif = "", deletionLdif = "", rollbackLdif = "", usernameTemplate = "" } = state;
    const { defaultTtl = 0, maxTtl = 0 } = state;
    return { ...role, creationLdif, deletionLdif, rollbackLdif, usernameTemplate, defaultTtl, maxTtl };
  },
};

/**
 * Reads a dynamic role.
 *
 * @example
 * ```typescript
 * const { defaultTtl } = await trivium.secrets.directory.getDynamicRole({ roleName: "operators" });
 * ```
 *
 * @throws {@link errors.NotFoundError} when there is no such role
 */
export function getDynamicRole(
  args: GetDynamicRoleArgs,
  options?: FunctionOptions,
): Promise<GetDynamicRoleResult> {
  return callFunction(definition, args, options);
}

/**
 * Reads a dynamic role, with arguments that may be outputs of resources. In a preview that still makes one of them,
 * or one that `dependsOn` names, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getDynamicRoleOutput(
  args: GetDynamicRoleOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetDynamicRoleResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
