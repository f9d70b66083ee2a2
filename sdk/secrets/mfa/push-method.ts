import { path, type Path } from "../../base/path";
import { KeyedMutex } from "../../base/timing";
import { outputForm, promiseForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { ReadableResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import { type Desired, Fields, output, outputAs, snakeCase } from "../../resource/fields/field";
import { adopt, pathName, text, unreportedText } from "../../resource/fields/kinds";
import type { ArgsOf, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { secretsDialects } from "../dialect";
import { secretsService } from "../service";

const allowed = "{{alias.name}}, {{entity.name}}, {{alias.metadata.<key>}} and {{entity.metadata.<key>}}";

/** @internal The service accepts any text, and logins then fail. */
export function usernameFormatProblem(format: string): string | undefined {
  const valid = /(?<!\{)\{\{\s*(?:alias|entity)\.(?:name|metadata\.[^{}]*[^{}\s])\s*\}\}/g;
  const [wrong] = /\{\{.*?(?:\}\}|$)/s.exec(format.replace(valid, " ")) ?? [];
  return wrong && `has ${JSON.stringify(wrong)}, which is not a placeholder; expected one of ${allowed}`;
}

const pushType = "pushauth";

const rows = {
  /** The method's name, unique in the service. A change replaces the method. */
  name: pathName({ replaces: true }),
  /**
   * The accessor of the authentication mount whose alias names are the user names at the provider. A change
   * is made in place.
   */
  mountAccessor: text({ least: 1 }),
  /**
   * The template of the user name at the provider. `{{alias.name}}`, `{{entity.name}}`, `{{alias.metadata.<key>}}` and
   * `{{entity.metadata.<key>}}` are replaced; the preview rejects other placeholders, and in the hashicorp dialect only
   * warns about them, because the products have more. The output is empty for the default. A change is made in place.
   *
   * @default the alias's name
   */
  usernameFormat: text({
    ...unreportedText,
    check(format, dialect) {
      const problem = usernameFormatProblem(format);
      return problem === undefined || secretsDialects[dialect].knowsPlaceholders
        ? problem
        : { warning: problem };
    },
  }),
  /** The provider's secret key. Secret. A change is made in place. */
  secretKey: text({ ...unreportedText, secret: true }),
  /** The provider's integration key. Secret. A change is made in place. */
  integrationKey: text({ ...unreportedText, secret: true }),
  /** The host name of the provider's API: `api-1234.example.com`. A change is made in place. */
  apiHostname: text(unreportedText),
  /**
   * Additional information that the provider shows with a push: `from=login%20portal`. A change is made in
   * place.
   */
  // Reads return it under the second name.
  pushInfo: text({ ...unreportedText, wire: ["push_info", "pushinfo"] }),
  /**
   * Adopt the method of this name if it already exists, instead of failing. Only used at creation; a later
   * change has no effect.
   *
   * @default false
   */
  adopt: adopt(),
  /** The service's own id of the method. */
  methodId: output(text({ wire: "id" })),
  /** The kind of method: `pushauth`, in both dialects. */
  type: outputAs((z, dialect) =>
    z.string().transform((type) => (type === secretsDialects[dialect].pushMethod ? pushType : type)),
  ),
};

const fields = new Fields(rows, snakeCase);

/** The arguments of a {@link PushMethod}. */
export interface PushMethodArgs extends ArgsOf<typeof rows> {}

const pathOf = ({ dialect }: SecretsClient, name: string): Path =>
  path`/sys/mfa/method/${dialect.pushMethod}/${name}`;

function requestFor(client: SecretsClient, verb: string, name: string) {
  const summary = `${verb} the push method ${JSON.stringify(name)}`;
  return {
    summary,
    path: pathOf(client, name),
    advice: { 404: client.dialect.withoutPushMethods },
    resource: name,
  };
}

async function readPushMethod(client: SecretsClient, name: string) {
  const state = await client.read({ ...requestFor(client, "read", name), data: fields.response });
  return state && { name, ...state };
}

async function writePushMethod(client: SecretsClient, name: string, desired: Desired<typeof rows>) {
  const body = fields.request(desired, client.dialect.name);
  await client.write({ ...requestFor(client, "write", name), body });
}

/** @internal */
export const pushMethodDefinition = defineResource(secretsService, fields)("secrets/mfa:PushMethod", {
  identity: { idIs: "the method's name", arguments: ["name"] },
  updatesWholeObject: true,

  // A write may create or change: the second of two creations must see the first.
  serialize: ({ client }, { name }, work) => client.sharedState(KeyedMutex).run(pathOf(client, name), work),

  async find({ client }, { name }) {
    const state = await readPushMethod(client, name);
    return { existing: state && { id: name, state } };
  },

  async create({ client }, desired) {
    await writePushMethod(client, desired.name, desired);
    return { id: desired.name, state: {} };
  },

  read: ({ client }, id) => readPushMethod(client, id),

  async update({ client }, id, desired) {
    await writePushMethod(client, id, desired);
    return {};
  },

  delete: ({ client }, id) => client.delete(requestFor(client, "delete", id)),
});

export interface PushMethod extends OutputsOf<typeof rows> {}

/**
 * An MFA method of the secrets service (Vault or OpenBao): users confirm a login on their phone, through a push notification
 * provider.
 *
 * In the hashicorp dialect this is a method of Duo Security under `/sys/mfa/method/duo`, which only Vault Enterprise
 * offers: with any other product or edition, the creation fails and says so.
 *
 * Its id is its name. `secretKey` and `integrationKey` are secrets. The service returns them, so all drift is
 * detected; plans do not show the keys.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as pulumi from "@pulumi/pulumi";
 * import * as trivium from "pulumi-trivium";
 *
 * const config = new pulumi.Config();
 *
 * const push = new trivium.secrets.mfa.PushMethod("push", {
 *   name: "push",
 *   mountAccessor: "auth_userpass_e50b1a44",
 *   usernameFormat: "{{alias.name}}@example.com",
 *   secretKey: config.requireSecret("secretKey"),
 *   integrationKey: config.requireSecret("integrationKey"),
 *   apiHostname: "api-1234.example.com",
 * });
 * ```
 */
export class PushMethod extends ReadableResource<PushMethodArgs> {
  /** @internal */
  static override readonly definition = pushMethodDefinition;
}

const nameRows = {
  /** The method's name. */
  name: pathName(),
};

/** The arguments of {@link getPushMethod}. */
export interface GetPushMethodArgs extends PlainArgsOf<typeof nameRows> {}

/** The arguments of {@link getPushMethodOutput}. */
export type GetPushMethodOutputArgs = InputsOf<GetPushMethodArgs>;

/** A push method as functions return it; null for values that the service does not return. */
export type GetPushMethodResult = ResultOf<PushMethod, "id">;

const getDefinition = defineFunction(secretsService, nameRows)(
  "secrets.mfa.getPushMethod",
  (client, { name }): Promise<GetPushMethodResult> =>
    client.get({
      ...requestFor(client, "read", name),
      what: `push method ${JSON.stringify(name)}`,
      fields,
      known: { name },
    }),
  { secret: true },
);

/**
 * Reads one push-authentication method. Its keys are secrets.
 *
 * @throws {@link errors.NotFoundError} when there is none; {@link errors.TriviumError} when the service does not offer such methods
 */
export const getPushMethod = promiseForm<GetPushMethodArgs, GetPushMethodResult>(getDefinition);

/**
 * Reads one push-authentication method, with arguments that may be outputs. The result is secret.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export const getPushMethodOutput = outputForm<GetPushMethodOutputArgs, GetPushMethodResult>(getDefinition);
