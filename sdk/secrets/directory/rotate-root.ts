import { secretsService } from "../service";
import { callInScript, type ScriptFunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import type { SecretsClient } from "../client";
import { mountArgument } from "../mount";
import { usualMount } from "./names";
import { rotateRootPassword } from "./root-rotation";

/** The arguments of {@link rotateRoot}. */
export interface RotateRootArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
}

const definition: FunctionDefinition<SecretsClient, { readonly mount: string }, void> = {
  name: "secrets.directory.rotateRoot",
  service: secretsService,
  schema: (z) => z.strictObject({ mount: mountArgument(z, usualMount) }),
  call: (client, { mount }) => rotateRootPassword(client, mount),
};

/**
 * Rotates the password of the entry that a directory engine binds as; from then on only the service knows it. For
 * scripts: a program uses {@link RootRotation}.
 *
 * @example
 * ```typescript
 * await trivium.secrets.directory.rotateRoot({ mount: "teams/ldap" });
 * ```
 *
 * @throws {@link errors.TriviumError} when the engine has no configuration or may not change the password;
 *   {@link errors.InputError} inside a Pulumi program
 */
export function rotateRoot(args: RotateRootArgs = {}, options?: ScriptFunctionOptions): Promise<void> {
  return callInScript(definition, "secrets.directory.RootRotation", args, options);
}
