import { secretsService } from "../service";
import { callInScript, type ScriptFunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import type { SecretsClient } from "../client";
import { nameInPath } from "../../resource/schemas";
import { issueToken } from "./token-wire";
import { schedulerMount } from "./usual-mount";

/** The arguments of {@link getCredentials}. */
export interface GetCredentialsArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: string | null | undefined;
  /** The name of the role. */
  name: string;
}

/** A token of the scheduler that was issued a moment ago. */
export interface GetCredentialsResult {
  /** Names the token in the scheduler, without giving access. */
  readonly accessorId: string;
  /** The token itself. Secret. */
  readonly secretId: string;
  /** The lease that ends the token; empty when the service gave none. */
  readonly leaseId: string;
  /** How long the token lives, in seconds; 0 when the service does not say. */
  readonly leaseDuration: number;
}

const definition: FunctionDefinition<
  SecretsClient,
  { readonly mount: string; readonly name: string },
  GetCredentialsResult
> = {
  name: "secrets.scheduler.getCredentials",
  service: secretsService,
  secret: true,
  schema: (z, dialect) => z.strictObject({ mount: schedulerMount(z, dialect), name: nameInPath(z) }),
  async call(client, { mount, name }) {
    const { accessorId, secretId, lease } = await issueToken(client, mount, name);
    return { accessorId, secretId, leaseId: lease.id, leaseDuration: lease.durationSeconds };
  },
};

/**
 * Has a token of the scheduler issued, another one at each call. For scripts: a program uses {@link Token}.
 *
 * @example
 * ```typescript
 * const { secretId } = await trivium.secrets.scheduler.getCredentials({ name: "deploy" });
 * ```
 *
 * @throws {@link errors.TriviumError} when there is no such role, or when the response is lost (it is not asked for
 *   again); {@link errors.InputError} inside a Pulumi program
 */
export function getCredentials(
  args: GetCredentialsArgs,
  options?: ScriptFunctionOptions,
): Promise<GetCredentialsResult> {
  return callInScript(definition, "secrets.scheduler.Token", args, options);
}
