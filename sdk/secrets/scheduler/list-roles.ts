import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import { mountPath, path } from "../../base/path";
import type { SecretsClient } from "../client";
import { schedulerMountArgument } from "./usual-mount";

/** The arguments of {@link listRoles}. */
export interface ListRolesArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: string | null | undefined;
}

/** The arguments of {@link listRolesOutput}. */
export interface ListRolesOutputArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: pulumi.Input<string | null | undefined>;
}

/** What {@link listRoles} answers. */
export interface ListRolesResult {
  /** The names of the roles, in the service's order. */
  readonly names: string[];
}

const definition: FunctionDefinition<SecretsClient, { readonly mount: string }, ListRolesResult> = {
  name: "secrets.scheduler.listRoles",
  service: secretsService,
  schema: (z, dialect) => z.strictObject({ mount: schedulerMountArgument(z, dialect) }),
  async call(client, { mount }) {
    const names = await client.list({
      summary: `list the scheduler roles of the mount ${mount}`,
      path: path`/${mountPath(mount)}/role`,
    });
    return { names };
  },
};

/**
 * Lists the roles of the scheduler engine on a mount.
 *
 * @example
 * ```typescript
 * const { names } = await trivium.secrets.scheduler.listRoles();
 * ```
 *
 * @throws {@link errors.ServiceError} when the service refuses
 */
export function listRoles(args: ListRolesArgs = {}, options?: FunctionOptions): Promise<ListRolesResult> {
  return callFunction(definition, args, options);
}

/**
 * Lists the roles of the scheduler engine on a mount, with arguments that may be outputs of resources. In a preview
 * that still makes one of them, or one that `dependsOn` names, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function listRolesOutput(
  args: ListRolesOutputArgs = {},
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<ListRolesResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
