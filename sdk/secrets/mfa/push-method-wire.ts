import { ServiceError, TriviumError } from "../../base/errors";
import { path, type Path } from "../../base/path";
import type { Validation } from "../../base/validation";
import { textIfGiven } from "../answer";
import type { SecretsClient } from "../client";

/** The type of a method, as outputs have it in every dialect. */
export const pushType = "pushauth";

/** The path of one method. */
export function pushMethodPath({ dialect }: SecretsClient, name: string): Path {
  return path`/sys/mfa/method/${dialect.pushMethod}/${name}`;
}

/** A method as the service answers it. */
export function pushMethodShape(z: Validation) {
  // Null is sent back as nothing, which is how a write says it.
  const text = z
    .string()
    .nullish()
    .transform((value) => (value === null ? "" : value));
  return z
    .object({
      mount_accessor: z.string(),
      username_format: text,
      secret_key: text,
      integration_key: text,
      api_hostname: text,
      pushinfo: text,
      // As it is written; read back it has another name.
      push_info: text,
      id: textIfGiven(z),
      type: textIfGiven(z),
    })
    .transform((method) => ({
      mountAccessor: method.mount_accessor,
      usernameFormat: method.username_format,
      secretKey: method.secret_key,
      integrationKey: method.integration_key,
      apiHostname: method.api_hostname,
      pushInfo: method.pushinfo ?? method.push_info,
      methodId: method.id,
      type: method.type,
    }));
}

/** What an answer says of a method. */
export type PushMethodState = ReturnType<ReturnType<typeof pushMethodShape>["parse"]>;

/**
 * Reads a method.
 *
 * @returns `undefined` when there is no such method
 * @throws TriviumError when the service does not offer such methods
 */
export async function readPushMethod(
  client: SecretsClient,
  name: string,
): Promise<PushMethodState | undefined> {
  const { pushMethod, withoutPushMethods } = client.dialect;
  const state = await client.read({
    summary: `read the push method ${JSON.stringify(name)}`,
    path: pushMethodPath(client, name),
    data: pushMethodShape,
    ifNotOffered: withoutPushMethods,
  });
  return state?.type === pushMethod ? { ...state, type: pushType } : state;
}

/** A method as it is wanted. */
export interface WantedPushMethod {
  readonly mountAccessor: string;
  readonly usernameFormat?: string | undefined;
  readonly secretKey?: string | undefined;
  readonly integrationKey?: string | undefined;
  readonly apiHostname?: string | undefined;
  readonly pushInfo?: string | undefined;
}

/** Writes a method as a whole, whether it exists or not. */
export async function writePushMethod(
  client: SecretsClient,
  name: string,
  method: WantedPushMethod,
): Promise<void> {
  const request = {
    summary: `write the push method ${JSON.stringify(name)}`,
    path: pushMethodPath(client, name),
    body: {
      mount_accessor: method.mountAccessor,
      username_format: method.usernameFormat,
      secret_key: method.secretKey,
      integration_key: method.integrationKey,
      api_hostname: method.apiHostname,
      push_info: method.pushInfo,
    },
    data: (z: Validation) => z.unknown(),
  };
  try {
    await client.write(request);
  } catch (error) {
    if (ServiceError.isInstance(error) && error.status === 404) {
      throw new TriviumError(error.message, { hint: client.dialect.withoutPushMethods });
    }
    throw error;
  }
}
