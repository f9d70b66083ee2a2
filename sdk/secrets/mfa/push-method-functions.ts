import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import { NotFoundError } from "../../base/errors";
import type { SecretsClient } from "../client";
import { nameInPath } from "../../resource/schemas";
import { pushType, readPushMethod } from "./push-method-wire";

/** A push method as functions answer it. What is null the service did not say. */
export interface GetPushMethodResult {
  /** Its name. */
  readonly name: string;
  /** The accessor of the authentication mount whose alias names the provider knows people by. */
  readonly mountAccessor: string;
  /** How the name is made that the provider knows people by; empty for the alias's name. */
  readonly usernameFormat: string | null;
  /** The provider's secret key. Secret. */
  readonly secretKey: string | null;
  /** The provider's integration key. Secret. */
  readonly integrationKey: string | null;
  /** The host name of the provider's interface. */
  readonly apiHostname: string | null;
  /** What the provider shows beside a push. */
  readonly pushInfo: string | null;
  /** The service's own id of the method; empty when it does not say. */
  readonly methodId: string;
  /** The kind of method: `pushauth`, in every dialect. */
  readonly type: string;
}

/** The arguments of {@link getPushMethod}. */
export interface GetPushMethodArgs {
  /** The method's name. */
  name: string;
}

/** The arguments of {@link getPushMethodOutput}. */
export interface GetPushMethodOutputArgs {
  /** The method's name. */
  name: pulumi.Input<string>;
}

const definition: FunctionDefinition<SecretsClient, GetPushMethodArgs, GetPushMethodResult> = {
  name: "secrets.mfa.getPushMethod",
  service: secretsService,
  secret: true,
  schema: (z) => z.strictObject({ name: nameInPath(z) }),
  async call(client, { name }) {
    const method = await readPushMethod(client, name);
    if (method === undefined) {
      throw new NotFoundError(`There is no push method ${JSON.stringify(name)}.`);
    }
    return {
      name,
      mountAccessor: method.mountAccessor,
      usernameFormat: method.usernameFormat ?? null,
      secretKey: method.secretKey ?? null,
      integrationKey: method.integrationKey ?? null,
      apiHostname: method.apiHostname ?? null,
      pushInfo: method.pushInfo ?? null,
      methodId: method.methodId ?? "",
      type: method.type ?? pushType,
    };
  },
};

/**
 * Reads one push-authentication method. Its keys are secrets.
 *
 * @throws {@link errors.NotFoundError} when there is none; {@link errors.TriviumError} when the service does not offer such methods
 */
export function getPushMethod(
  args: GetPushMethodArgs,
  options?: FunctionOptions,
): Promise<GetPushMethodResult> {
  return callFunction(definition, args, options);
}

/**
 * Reads one push-authentication method, with arguments that may be outputs. The result is secret.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getPushMethodOutput(
  args: GetPushMethodOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetPushMethodResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
