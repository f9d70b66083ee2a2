import { unlessForbidden } from "../../base/errors";
import { path, type Path } from "../../base/path";
import type { Dialect } from "../../base/settings";
import { outputForm, promiseForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { ReadableResource } from "../../resource/program/base";
import { defineResource, requiredWithout, type Rule } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import {
  type Desired,
  field,
  Fields,
  type Kind,
  output,
  snakeCase,
  type Given,
} from "../../resource/fields/field";
import {
  adopt,
  flag,
  isGiven,
  pathName,
  text,
  textComparedBy,
  untoldText,
} from "../../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { requireOffered, secretsDialects } from "../dialect";
import { secretsService } from "../service";
import { aliases } from "../identity/entity-alias";
import { IdentityMethods } from "./methods";
import { totpMethods } from "./totp-method";

const placeholders = {
  documented: {
    known: /(?<!\{)\{\{\s*(?:alias|entity)\.(?:name|metadata\.[^{}]*[^{}\s])\s*\}\}/g,
    allowed: "{{alias.name}}, {{entity.name}}, {{alias.metadata.<key>}} and {{entity.metadata.<key>}}",
  },
  /** The placeholders of methods without a mount, as in templates of policies. */
  ofIdentity: {
    known:
      /(?<!\{)\{\{\s*identity\.entity\.(?:aliases\.[^{}.\s]+\.)?(?:id|name|(?:custom_)?metadata\.[^{}]*[^{}\s])\s*\}\}/g,
    allowed:
      "{{identity.entity.name}}, {{identity.entity.id}}, {{identity.entity.metadata.<key>}}, " +
      "{{identity.entity.aliases.<accessor>.name}} and other members of an alias",
  },
} as const;

/** @internal Checks the placeholders: the service accepts any string, and logins then fail. */
export function usernameFormatProblem(format: string, of: keyof typeof placeholders = "documented") {
  const { known, allowed } = placeholders[of];
  const [wrong] = /\{\{.*?(?:\}\}|$)/s.exec(format.replace(known, " ")) ?? [];
  return wrong && `has ${JSON.stringify(wrong)}, which is not a placeholder; expected one of ${allowed}`;
}

const pushType = "pushauth";
const typeKind = (dialect: Dialect): Kind<string, string> => ({
  argument: (z) => z.string(),
  response: (z) =>
    z.string().transform((type) => (type === secretsDialects[dialect].pushMethod ? pushType : type)),
});

const rows = {
  /** The method's name, unique in the service. A change replaces the method. */
  name: pathName({ replaces: true }),
  /**
   * The accessor of the authentication mount whose alias names are used as user names at the provider.
   * Required in the documented dialect. In the hashicorp dialect, a method without an accessor is a login MFA
   * method of Duo (`identity/mfa/method/duo`), which all editions offer; a method with an accessor is at the
   * older path `sys/mfa/method/duo`. Adding or removing it replaces the method; any other change is made in
   * place.
   */
  mountAccessor: textComparedBy((accessor) => accessor)({
    least: 1,
    optional: { hashicorp: true },
    replaces: "presence",
  }),
  /**
   * The template of the user name at the provider. `{{alias.name}}`, `{{entity.name}}`, `{{alias.metadata.<key>}}`
   * and `{{entity.metadata.<key>}}` are replaced; the preview rejects other placeholders, and in the hashicorp
   * dialect only warns about them, because the products support more. Without `mountAccessor`, the placeholders are
   * `{{identity.entity.name}}`, `{{identity.entity.metadata.<key>}}`, `{{identity.entity.aliases.<accessor>.name}}`
   * and so on. The output is empty for the default. A change is made in place.
   *
   * @default the alias's name; without `mountAccessor` the entity's
   */
  usernameFormat: text({
    ...untoldText,
    check: (format, dialect) =>
      secretsDialects[dialect].knowsPlaceholders ? usernameFormatProblem(format) : undefined,
  }),
  /** The provider's secret key. Required without `mountAccessor`. Secret. A change is made in place. */
  secretKey: text({ ...untoldText, secret: true }),
  /** The provider's integration key. Required without `mountAccessor`. Secret. A change is made in place. */
  integrationKey: text({ ...untoldText, secret: true }),
  /**
   * The host name of the provider's API: `api-1234.example.com`. Required without `mountAccessor`. A change is made
   * in place.
   */
  apiHostname: text(untoldText),
  /**
   * Additional information that the provider shows with a push notification: `from=login%20portal`. A change
   * is made in place.
   */
  // Reads return it under the second name.
  pushInfo: text({ ...untoldText, wire: ["push_info", "pushinfo"] }),
  /**
   * Remind users to enter a passcode instead of confirming a push notification. A change is made in place.
   * Only in the hashicorp dialect.
   *
   * @default false
   */
  usePasscode: flag({ only: "hashicorp", cleared: false, told: "maybe" }),
  /**
   * Adopt the method with this name if it already exists, instead of failing. Only used at creation; a later
   * change has no effect.
   *
   * @default false
   */
  adopt: adopt(),
  /** The ID that the service assigned to the method. */
  methodId: output(text({ wire: "id" })),
  /** The type of the method: `pushauth` in both dialects. */
  type: output(field(typeKind, {})),
};

const fields = new Fields(rows, snakeCase);

/** The arguments of a {@link PushMethod}. */
export interface PushMethodArgs extends ArgsOf<typeof rows>, Named {}

/** @internal */
export const duoMethods = new IdentityMethods("duo", {
  what: "push method",
  path: path`/identity/mfa/method/duo`,
  at: (id) => path`/identity/mfa/method/duo/${id}`,
  fields,
  response: (z, dialect) => z.intersection(fields.response(z, dialect), z.object({ name: z.string() })),
});

type Place = { readonly mountAccessor?: unknown };

/** Whether a method is at the older path, where its ID is its name. */
function isNamed({ dialect }: SecretsClient, { mountAccessor }: Place): boolean {
  return !dialect.hasDuoMethods || isGiven(mountAccessor);
}

/**
 * For an object to import, the mount is not known: an ID in the form of the service's IDs is then one of
 * them.
 */
function isName(client: SecretsClient, id: string, place: Place): boolean {
  return isNamed(client, place) || !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}

const pathOf = ({ dialect }: SecretsClient, name: string): Path =>
  path`/sys/mfa/method/${dialect.pushMethod}/${name}`;

/**
 * Two lists, either of which shows that the service is there: there is no documented list of push methods.
 */
const otherLists = [totpMethods.path, aliases.path].map((list) => ({
  summary: "check whether the service responds",
  path: list,
}));

function requestFor(client: SecretsClient, verb: string, name: string) {
  const summary = `${verb} the push method ${JSON.stringify(name)}`;
  return {
    summary,
    path: pathOf(client, name),
    advice: { 404: client.dialect.withoutPushMethods },
    resource: name,
    listed: { lists: otherLists },
  };
}

async function readPushMethod(client: SecretsClient, name: string) {
  const state = await client.read({ ...requestFor(client, "read", name), data: fields.response });
  return state && { name, ...state };
}

async function find(client: SecretsClient, desired: Desired<typeof rows>) {
  const { name } = desired;
  if (!isNamed(client, desired)) {
    return duoMethods.find(client, name);
  }
  const state = await readPushMethod(client, name);
  return state && { id: name, state };
}

async function writePushMethod(client: SecretsClient, name: string, desired: Desired<typeof rows>) {
  const body = fields.in(client.dialect.name).request(desired);
  await client.write({ ...requestFor(client, "write", name), body });
}

const bodyOf = ({ dialect }: SecretsClient, desired: Desired<typeof rows>) => ({
  ...fields.in(dialect.name).request(desired, (name) => name !== "mountAccessor"),
  method_name: desired.name,
});

const rules: readonly Rule<Given<typeof rows>>[] = [
  ...(["secretKey", "integrationKey", "apiHostname"] as const).map((key) =>
    requiredWithout(key, "mountAccessor"),
  ),
  {
    between: ["usernameFormat"],
    check({ usernameFormat, ...others }, dialect) {
      // An unknown accessor will be one.
      const isOfIdentity = "mountAccessor" in others && !isGiven(others.mountAccessor);
      const reason =
        isGiven(usernameFormat) && !secretsDialects[dialect].knowsPlaceholders
          ? usernameFormatProblem(usernameFormat, isOfIdentity ? "ofIdentity" : "documented")
          : undefined;
      return reason !== undefined && { argument: "usernameFormat", reason, warning: true };
    },
  },
];

/** @internal */
export const pushMethodDefinition = defineResource(secretsService, fields)("secrets/mfa:PushMethod", {
  rules,
  identity: {
    idIs: "the method's name, or without mountAccessor the ID that the service assigns",
    arguments: ["name"],
  },
  updatesWholeObject: true,
  importedBy: {
    option: "mfa",
    ids: async (client) => (client.dialect.hasDuoMethods ? duoMethods.ownIds(client) : []),
  },

  // A write can create or change a method, so the second of two creations must see the first.
  turn: ({ client }, { name }) => pathOf(client, name),
  look: async ({ client }, desired) => ({ existing: await find(client.looking(), desired) }),
  recover: ({ client }, desired) => find(client, desired),

  async create({ client }, desired) {
    const { name } = desired;
    if (!isNamed(client, desired)) {
      const what = `push method ${JSON.stringify(name)}`;
      return { id: await duoMethods.create(client, what, bodyOf(client, desired), true), state: {} };
    }
    await writePushMethod(client, name, desired);
    return { id: name, state: {} };
  },

  read: ({ client }, id, current) =>
    isName(client, id, current) ? readPushMethod(client, id) : duoMethods.readAmong(client, id, current),

  async update({ client }, id, desired) {
    await (isName(client, id, desired)
      ? writePushMethod(client, id, desired)
      : duoMethods.update(client, id, bodyOf(client, desired)));
    return {};
  },

  delete: ({ client }, id, current) =>
    isName(client, id, current)
      ? client.delete(requestFor(client, "delete", id))
      : duoMethods.delete(client, id),
});

export interface PushMethod extends OutputsOf<typeof rows> {}

/**
 * A push MFA method of the secrets service (Vault or OpenBao): users confirm a login on their phone, with a
 * notification from a push provider.
 *
 * In the hashicorp dialect, this is a Duo Security method. Without `mountAccessor`, the resource is a login
 * MFA method (`identity/mfa/method/duo`), which all editions of Vault and OpenBao offer. The service assigns
 * its ID, and the method takes effect where a login enforcement names it. With `mountAccessor`, the method is
 * at the older path `sys/mfa/method/duo`, which only Vault Enterprise offers: with any other product or
 * edition, the creation fails with an error that explains this.
 *
 * With `mountAccessor`, the ID is the method's name. `secretKey` and `integrationKey` are secrets. With
 * `mountAccessor`, the service returns both keys, according to its documentation, so all drift is detected.
 * Without it, the service never returns them, so drift in these two is not detected.
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
export interface GetPushMethodArgs extends PlainArgsOf<typeof nameRows>, Named {}

/** The arguments of {@link getPushMethodOutput}. */
export type GetPushMethodOutputArgs = InputsOf<GetPushMethodArgs>;

/** A push method as functions return it; null for values that the service does not return. */
export type GetPushMethodResult = ResultOf<PushMethod, "id">;

const getDefinition = defineFunction(secretsService, nameRows)(
  "secrets.mfa.getPushMethod",
  async (client, { name }): Promise<GetPushMethodResult> => {
    const finding = client.dialect.hasDuoMethods ? duoMethods.idOf(client, name) : Promise.resolve(undefined);
    const id = await finding.catch(unlessForbidden(undefined));
    return client.get({
      ...(id === undefined ? requestFor(client, "read", name) : duoMethods.request("read", id)),
      // On a service without the older path, no method exists there.
      advice: undefined,
      what: `push method ${JSON.stringify(name)}`,
      fields,
      known: { name },
    });
  },
  { secret: true },
);

/**
 * Reads a push method. Its keys are secrets.
 *
 * @throws {@link errors.NotFoundError} if the method does not exist
 */
export const getPushMethod = promiseForm<GetPushMethodArgs, GetPushMethodResult>(getDefinition);

/**
 * Reads a push method, with arguments that can be outputs. The result is secret.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getPushMethodOutput = outputForm<GetPushMethodOutputArgs, GetPushMethodResult>(getDefinition);

/** {@link listPushMethods} takes no arguments. */
export type ListPushMethodsArgs = Record<string, never>;

/** {@link listPushMethodsOutput} takes no arguments. */
export type ListPushMethodsOutputArgs = Record<string, never>;

/** The result of {@link listPushMethods}. */
export interface ListPushMethodsResult {
  /** The IDs of the methods in the caller's namespace and those above it. */
  readonly ids: string[];
  /** The methods in the same order, with null for their keys; null if the service only returns their IDs. */
  readonly methods: ResultOf<PushMethod>[] | null;
}

const listDefinition = defineFunction(secretsService, {})(
  "secrets.mfa.listPushMethods",
  (client): Promise<ListPushMethodsResult> => {
    requireOffered(client.dialect.hasDuoMethods, "list of push methods");
    return duoMethods.details(client);
  },
);

/**
 * Lists the push methods without a mount (`identity/mfa/method/duo`), in the hashicorp dialect only. The
 * documented service cannot list push methods, and the products cannot list those at the older path.
 *
 * @throws {@link errors.TriviumError} in the documented dialect
 */
export const listPushMethods = promiseForm<ListPushMethodsArgs | undefined, ListPushMethodsResult>(
  listDefinition,
);

/**
 * Lists the push methods without a mount, once the resources in the options exist.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listPushMethodsOutput = outputForm<ListPushMethodsOutputArgs | undefined, ListPushMethodsResult>(
  listDefinition,
);
