import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { isResource, TriviumResource } from "../../resource/base";
import { nothingIsNull } from "../../resource/canonical";
import type { ArgumentDefinition } from "../../resource/argument";
import { defineResourceBySchema } from "../../resource/definition";
import { assertGetSupported } from "../../resource/get";
import type { SecretsClient } from "../client";
import { Turns } from "../../base/turns";
import { nameInPath } from "../../resource/schemas";
import { pushMethodPath, readPushMethod, writePushMethod } from "./push-method-wire";
import { usernameFormatDoubt, usernameFormatProblem } from "./username-format";

/** The arguments of a {@link PushMethod}. */
export interface PushMethodArgs {
  /** The method's name, unique in the service. A change replaces the method. */
  name: pulumi.Input<string>;
  /**
   * The accessor of the authentication mount whose alias names the provider knows people by. A change is made in
   * place.
   */
  mountAccessor: pulumi.Input<string>;
  /**
   * How the name is made that the provider knows people by. `{{alias.name}}`, `{{entity.name}}`,
   * `{{alias.metadata.<key>}}` and `{{entity.metadata.<key>}}` are replaced; the preview refuses others. A change is
   * made in place.
   *
   * @default the alias's name
   */
  usernameFormat?: pulumi.Input<string | null | undefined>;
  /** The provider's secret key. Kept secret. A change is made in place. */
  secretKey?: pulumi.Input<string | null | undefined>;
  /** The provider's integration key. Kept secret. A change is made in place. */
  integrationKey?: pulumi.Input<string | null | undefined>;
  /** The host name of the provider's interface: `api-1234.example.com`. A change is made in place. */
  apiHostname?: pulumi.Input<string | null | undefined>;
  /** What the provider is to show beside a push: `from=login%20portal`. A change is made in place. */
  pushInfo?: pulumi.Input<string | null | undefined>;
  /**
   * Take over the method of this name if there is one already, instead of failing. Counts at creation only; a change
   * does nothing.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

const optionalText: ArgumentDefinition = { canonical: nothingIsNull(), cleared: "" };

/** @internal */
export const pushMethodDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/mfa:PushMethod",
  service: secretsService,
  identifiedBy: ["name"],
  schema: (z) => ({
    name: nameInPath(z),
    mountAccessor: z.string().min(1, "must not be empty"),
    usernameFormat: z
      .string()
      .superRefine((format, context) => {
        const message = usernameFormatProblem(format);
        if (message !== undefined) {
          context.addIssue({ code: "custom", message });
        }
      })
      .optional(),
    secretKey: z.string().optional(),
    integrationKey: z.string().optional(),
    apiHostname: z.string().optional(),
    pushInfo: z.string().optional(),
    adopt: z.boolean().optional(),
  }),
  arguments: {
    name: { replaces: true },
    mountAccessor: {},
    usernameFormat: {
      ...optionalText,
      warning: (format) => (typeof format === "string" ? usernameFormatDoubt(format) : undefined),
    },
    secretKey: { ...optionalText, secret: true },
    integrationKey: { ...optionalText, secret: true },
    apiHostname: optionalText,
    pushInfo: optionalText,
    adopt: { role: "creation" },
  },
  outputs: { methodId: {}, type: {} },
  updatesWholeObject: true,

  // A write makes a method or changes the one that is there, without saying which.
  inTurn: ({ client }, { name }, work) => client.part(Turns).run(pushMethodPath(client, name), work),

  async find({ client }, { name }) {
    const state = await readPushMethod(client, name);
    return state === undefined ? undefined : { id: name, state: { name, ...state } };
  },

  async create({ client }, wanted) {
    await writePushMethod(client, wanted.name, wanted);
    return { id: wanted.name, state: {} };
  },

  async read({ client }, id) {
    const state = await readPushMethod(client, id);
    return state === undefined ? undefined : { name: id, ...state };
  },

  async update({ client }, id, wanted) {
    await writePushMethod(client, id, wanted);
    return {};
  },

  async delete({ client }, id) {
    await client.delete({
      summary: `delete the push method ${JSON.stringify(id)}`,
      path: pushMethodPath(client, id),
    });
  },
});

/**
 * A method of the secrets service by which people confirm a login on their phone, through a provider of push
 * messages.
 *
 * In the hashicorp dialect this is a method of Duo Security under `/sys/mfa/method/duo`, which only Vault Enterprise
 * offers: with another product, or edition, the creation fails and says so.
 *
 * Its id is its name. `secretKey` and `integrationKey` are secrets. The service answers them, so that their drift is
 * visible as all other drift is: without the keys themselves.
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
 *
 * Documented under "Push-authentication MFA method" in the secrets service's interface.
 */
export class PushMethod extends TriviumResource {
  /** @internal */
  static override readonly definition = pushMethodDefinition;

  /** The method's name. */
  declare readonly name: pulumi.Output<string>;
  /** The accessor of the authentication mount whose alias names the provider knows people by. */
  declare readonly mountAccessor: pulumi.Output<string>;
  /** How the name is made that the provider knows people by; empty for the alias's name. */
  declare readonly usernameFormat: pulumi.Output<string | null | undefined>;
  /** The provider's secret key. Secret. */
  declare readonly secretKey: pulumi.Output<string | null | undefined>;
  /** The provider's integration key. Secret. */
  declare readonly integrationKey: pulumi.Output<string | null | undefined>;
  /** The host name of the provider's interface. */
  declare readonly apiHostname: pulumi.Output<string | null | undefined>;
  /** What the provider shows beside a push. */
  declare readonly pushInfo: pulumi.Output<string | null | undefined>;
  /** The service's own id of the method. */
  declare readonly methodId: pulumi.Output<string>;
  /** The kind of method: `pushauth`, in every dialect. */
  declare readonly type: pulumi.Output<string>;

  /**
   * Reads an existing method without managing it: it is never changed nor deleted.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the method's name
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): PushMethod {
    assertGetSupported("secrets.mfa.PushMethod");
    return new PushMethod(name, undefined, { ...options, id });
  }

  /** Whether a value is a push method, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is PushMethod {
    return isResource(value, pushMethodDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args what the method is to be
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: PushMethodArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: PushMethodArgs | undefined, options?: pulumi.CustomResourceOptions);
  constructor(name: string, args: PushMethodArgs | undefined, options?: pulumi.CustomResourceOptions) {
    super(pushMethodDefinition, name, args, options);
  }
}
