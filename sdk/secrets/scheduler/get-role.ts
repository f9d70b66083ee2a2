import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import { required } from "../../http/contract";
import { NotFoundError } from "../../base/errors";
import type { SecretsClient } from "../client";
import { nameInPath } from "../../resource/schemas";
import { describeRole, readRole, rolePath, type TokenType } from "./role";
import { schedulerMountArgument } from "./usual-mount";

/** The arguments of {@link getRole}. */
export interface GetRoleArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: string | null | undefined;
  /** The role's name. */
  name: string;
}

/** The arguments of {@link getRoleOutput}. */
export interface GetRoleOutputArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /** The role's name. */
  name: pulumi.Input<string>;
}

/** A role of the scheduler engine, as functions answer it. */
export interface GetRoleResult {
  /** Where the scheduler engine is mounted. */
  readonly mount: string;
  /** The role's name. */
  readonly name: string;
  /** The scheduler's policies that its tokens have. */
  readonly policies: string[];
  /** Whether its tokens count in all regions; null where the service does not say, as documented. */
  readonly global: boolean | null;
  /** What its tokens may do. */
  readonly type: TokenType;
  /** The lease that the service names for the role, as it writes it; null where it names none, as real servers. */
  readonly lease: string | null;
}

interface Arguments {
  readonly mount: string;
  readonly name: string;
}

const definition: FunctionDefinition<SecretsClient, Arguments, GetRoleResult> = {
  name: "secrets.scheduler.getRole",
  service: secretsService,
  schema: (z, dialect) => z.strictObject({ mount: schedulerMountArgument(z, dialect), name: nameInPath(z) }),
  async call(client, args) {
    const role = await readRole(client, args);
    if (role === undefined) {
      throw new NotFoundError(`There is no ${describeRole(args)}.`);
    }
    const { mount, name, policies = [], global = null, lease = null } = role;
    const type = required(role.type, "data.token_type", `GET ${rolePath(args)}`);
    return { mount, name, policies: [...policies], global, type, lease };
  },
};

/**
 * Reads a role of the scheduler engine.
 *
 * @example
 * ```typescript
 * const { policies } = await trivium.secrets.scheduler.getRole({ name: "deploy" });
 * ```
 *
 * @throws {@link errors.NotFoundError} when there is no role of this name on the mount
 */
export function getRole(args: GetRoleArgs, options?: FunctionOptions): Promise<GetRoleResult> {
  return callFunction(definition, args, options);
}

/**
 * Reads a role of the scheduler engine, with arguments that may be outputs of resources. In a preview that still makes
 * one of them, or one that `dependsOn` names, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getRoleOutput(
  args: GetRoleOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetRoleResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
