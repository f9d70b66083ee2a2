import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { NotFoundError, ServiceError, TriviumError } from "../../base/errors";
import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import { durationInSeconds } from "../../resource/schemas";
import type { SecretsClient } from "../client";
import { mountArgument } from "../mount";
import { engineNameArgument, type RoleName, usualMount } from "./names";
import { lastRotationOf } from "./static-role-wire";

/** The arguments of {@link getStaticCredentials}. */
export interface GetStaticCredentialsArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The static role's name. In the hashicorp dialect case does not count. */
  roleName: string;
}

/** The arguments of {@link getStaticCredentialsOutput}. */
export interface GetStaticCredentialsOutputArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: pulumi.Input<string | null | undefined>;
  /** The static role's name. In the hashicorp dialect case does not count. */
  roleName: pulumi.Input<string>;
}

/** The credentials of a static role's entry. */
export interface GetStaticCredentialsResult {
  /** The name of the entry. */
  readonly username: string;
  /** The distinguished name of the entry; empty or null when the role was given none. */
  readonly dn: string | null;
  /** The password as it is now. */
  readonly password: string;
  /** The password before it; empty or null when the service knows none. */
  readonly lastPassword: string | null;
  /** When the password was last rotated: a time as the service writes it. */
  readonly lastRotation: string | null;
  /** How often it is rotated, in seconds. */
  readonly rotationPeriod: number;
  /** In how many seconds it is rotated next. */
  readonly ttl: number;
}

const definition: FunctionDefinition<SecretsClient, RoleName, GetStaticCredentialsResult> = {
  name: "secrets.directory.getStaticCredentials",
  service: secretsService,
  secret: true,
  schema: (z, dialect) =>
    z.strictObject({ mount: mountArgument(z, usualMount), roleName: engineNameArgument(z, dialect) }),

  async call(client, { mount, roleName }) {
    const missing = `There is no static role ${roleName} on the mount ${mount}.`;
    const request = {
      summary: `read the credentials of the static role ${roleName} of ${mount}`,
      path: path`/${mountPath(mount)}/static-cred/${roleName}`,
    };
    const data = await client
      .read({
        ...request,
        data: (z) =>
          z.looseObject({
            username: z.string(),
            dn: z.string().nullish(),
            password: z.string().nullish(),
            last_password: z.string().nullish(),
            rotation_period: durationInSeconds(z),
            ttl: durationInSeconds(z),
          }),
      })
      .catch((error: unknown) => {
        const unknown =
          ServiceError.isInstance(error) && error.words.some((text) => /unknown role/i.test(text));
        throw unknown ? new NotFoundError(missing) : error;
      });
    if (data === undefined) {
      throw new NotFoundError(missing);
    }
    const { username, dn = null, password, last_password: lastPassword = null } = data;
    processRedactor.register(password ?? undefined, lastPassword ?? undefined);
    if (password === undefined || password === null || password === "") {
      throw new TriviumError(
        `The service does not know the password of the static role ${roleName} of ${mount} yet: it was left as it ` +
          "was when the role was created, and has not been rotated since.",
        {
          hint: "Wait for the first rotation, or rotate it: StaticRoleRotation in a program, rotateStaticRole in a script.",
        },
      );
    }
    return {
      username,
      dn,
      password,
      lastPassword,
      lastRotation: lastRotationOf(data, client),
      rotationPeriod: data.rotation_period,
      ttl: data.ttl,
    };
  },
};

/**
 * Reads the password of a static role's entry. It is the same for everybody who asks, until its next rotation.
 *
 * @example
 * ```typescript
 * const { username, password } = await trivium.secrets.directory.getStaticCredentials({ roleName: "payments" });
 * ```
 *
 * @throws {@link errors.NotFoundError} when there is no such role; {@link errors.TriviumError} when its password was left alone at
 *   its creation and never rotated since
 */
export function getStaticCredentials(
  args: GetStaticCredentialsArgs,
  options?: FunctionOptions,
): Promise<GetStaticCredentialsResult> {
  return callFunction(definition, args, options);
}

/**
 * Reads the password of a static role's entry, with arguments that may be outputs of resources. The result is secret;
 * in a preview that still makes one of them, or one that `dependsOn` names, it is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getStaticCredentialsOutput(
  args: GetStaticCredentialsOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetStaticCredentialsResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
