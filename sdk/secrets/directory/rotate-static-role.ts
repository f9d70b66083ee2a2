import { secretsService } from "../service";
import { callInScript, type ScriptFunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import type { SecretsClient } from "../client";
import { mountArgument } from "../mount";
import { engineNameArgument, type RoleName, usualMount } from "./names";
import { rotateStaticRolePassword } from "./static-role-rotation";

/** The arguments of {@link rotateStaticRole}. */
export interface RotateStaticRoleArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The static role's name. In the hashicorp dialect case does not count. */
  roleName: string;
}

const definition: FunctionDefinition<SecretsClient, RoleName, void> = {
  name: "secrets.directory.rotateStaticRole",
  service: secretsService,
  schema: (z, dialect) =>
    z.strictObject({ mount: mountArgument(z, usualMount), roleName: engineNameArgument(z, dialect) }),
  call: rotateStaticRolePassword,
};

/**
 * Rotates the password of a static role's entry out of its turn. For scripts: a program uses
 * {@link StaticRoleRotation}.
 *
 * @example
 * ```typescript
 * await trivium.secrets.directory.rotateStaticRole({ roleName: "payments" });
 * ```
 *
 * @throws {@link errors.TriviumError} when there is no such role or the directory refuses; {@link errors.InputError} inside a Pulumi program
 */
export function rotateStaticRole(args: RotateStaticRoleArgs, options?: ScriptFunctionOptions): Promise<void> {
  return callInScript(definition, "secrets.directory.StaticRoleRotation", args, options);
}
