import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { NotFoundError } from "../../base/errors";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import type { SecretsClient } from "../client";
import { mountArgument } from "../mount";
import { engineNameArgument, type RoleName, usualMount } from "./names";
import { readStaticRole } from "./static-role-wire";

/** The arguments of {@link getStaticRole}. */
export interface GetStaticRoleArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The role's name. In the hashicorp dialect case does not count. */
  roleName: string;
}

/** The arguments of {@link getStaticRoleOutput}. */
export interface GetStaticRoleOutputArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: pulumi.Input<string | null | undefined>;
  /** The role's name. In the hashicorp dialect case does not count. */
  roleName: pulumi.Input<string>;
}

/** A static role. */
export interface GetStaticRoleResult {
  /** Where the engine is mounted. */
  readonly mount: string;
  /** The role's name; in the hashicorp dialect in lower case. */
  readonly roleName: string;
  /** The name of the entry whose password is rotated. */
  readonly username: string;
  /** The distinguished name of the entry; empty or null when none was given. */
  readonly dn: string | null;
  /** How often the password is rotated, in seconds. */
  readonly rotationPeriod: number;
  /** When the password was last rotated; null when it never was. */
  readonly lastRotation: string | null;
}

const definition: FunctionDefinition<SecretsClient, RoleName, GetStaticRoleResult> = {
  name: "secrets.directory.getStaticRole",
  service: secretsService,
  schema: (z, dialect) =>
    z.strictObject({ mount: mountArgument(z, usualMount), roleName: engineNameArgument(z, dialect) }),

  async call(client, role) {
    const state = await readStaticRole(client, role);
    if (state === undefined) {
      throw new NotFoundError(`There is no static role ${role.roleName} on the mount ${role.mount}.`);
    }
    return { ...state, ...role, dn: state.dn ?? null };
  },
};

/**
 * Reads a static role.
 *
 * @example
 * ```typescript
 * const { lastRotation } = await trivium.secrets.directory.getStaticRole({ roleName: "payments" });
 * ```
 *
 * @throws {@link errors.NotFoundError} when there is no such role
 */
export function getStaticRole(
  args: GetStaticRoleArgs,
  options?: FunctionOptions,
): Promise<GetStaticRoleResult> {
  return callFunction(definition, args, options);
}

/**
 * Reads a static role, with arguments that may be outputs of resources. In a preview that still makes one of them,
 * or one that `dependsOn` names, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getStaticRoleOutput(
  args: GetStaticRoleOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetStaticRoleResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
