import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { InputError, ServiceError, TriviumError } from "../../base/errors";
import { path } from "../../base/path";
import { isResource, TriviumResource } from "../../resource/base";
import { defineResourceBySchema } from "../../resource/definition";
import { type Triggers, triggersArgument, triggersDefinition } from "../../resource/triggers";
import type { SecretsClient } from "../client";
import { explainLostAnswer } from "../leased";
import { nameInPath } from "../../resource/schemas";
import { readTotpMethod } from "./totp-method";
import {
  adminDestroySecret,
  adminGenerateSecret,
  type TotpSecretKey,
  type TotpSecretResult,
} from "./totp-secret-wire";

/** The arguments of a {@link TotpSecret}. */
export interface TotpSecretArgs {
  /** The id of the TOTP method that the secret is for. A change replaces the secret. */
  methodId: pulumi.Input<string>;
  /** The id of the entity that the secret is stored on. A change replaces the secret. */
  entityId: pulumi.Input<string>;
  /**
   * Any values: when one changes, the secret is destroyed and a new one generated. Name here what it has to follow,
   * such as `{ digits: method.digits }`, or a date to rotate it by hand.
   *
   * @default never generated anew
   */
  triggers?: pulumi.Input<Record<string, pulumi.Input<string | number | boolean>> | null | undefined>;
  /**
   * If the entity has a secret for the method already, destroy it and generate a new one, instead of failing: the
   * service shows none a second time. Whoever has enrolled with the former one has to enrol again. Counts at
   * creation only; a change does nothing.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

function idOf({ methodId, entityId }: TotpSecretKey): string {
  return path`/${methodId}/${entityId}`.slice(1);
}

/** Takes an id apart. */
function keyOf(id: string): TotpSecretKey {
  try {
    const [methodId, entityId, ...more] = id.split("/").map(decodeURIComponent);
    if (methodId !== undefined && entityId !== undefined && more.length === 0) {
      return { methodId, entityId };
    }
  } catch {
    // A percent sign that does not begin the code of a character.
  }
  throw new InputError(`${JSON.stringify(id)} is no id of a TOTP secret: it is <method id>/<entity id>.`);
}

async function generate(client: SecretsClient, key: TotpSecretKey): Promise<TotpSecretResult | undefined> {
  try {
    return await adminGenerateSecret(client, key);
  } catch (error) {
    throw explainLostAnswer(
      error,
      `The entity ${key.entityId} may have a TOTP secret for the method ${key.methodId} now, which the service does ` +
        "not show again. To destroy it and generate a new one, run `pulumi up` again with `adopt: true`.",
    );
  }
}

/** @internal */
export const totpSecretDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/mfa:TotpSecret",
  service: secretsService,
  identifiedBy: ["methodId", "entityId"],
  schema: (z) => ({
    methodId: nameInPath(z),
    entityId: nameInPath(z),
    triggers: triggersArgument(z),
    adopt: z.boolean().optional(),
  }),
  arguments: {
    methodId: { replaces: true },
    entityId: { replaces: true },
    triggers: { ...triggersDefinition, replaces: true, writeOnly: true },
    adopt: { role: "creation" },
  },
  outputs: { barcode: { secret: true }, url: { secret: true }, secret: { secret: true } },
  deleteBeforeReplace: true,

  async create({ client, others }, { methodId, entityId, adopt }) {
    const key = { methodId, entityId };
    const id = idOf(key);
    let generated = await generate(client, key);
    if (generated === undefined) {
      const exists = `secrets/mfa:TotpSecret already exists (id ${id}): the service does not show it again.`;
      if (adopt !== true) {
        others?.refuse(id);
        throw new TriviumError(`${exists} Nothing was changed.`, {
          hint: "Set adopt to destroy it and generate a new one: whoever has enrolled with it has to enrol again.",
        });
      }
      await adminDestroySecret(client, key);
      generated = await generate(client, key);
      if (generated === undefined) {
        throw new TriviumError(`${exists} It was destroyed, but somebody else has generated another since.`, {
          hint: "Run `pulumi up` again.",
        });
      }
    }
    return { id, state: { ...key, ...generated } };
  },

  // The service shows nothing of a secret. Without its method it is good for nothing.
  async read({ client }, id) {
    const key = keyOf(id);
    return (await readTotpMethod(client, key.methodId)) === undefined ? undefined : { ...key };
  },

  update: () => Promise.resolve({}),

  async delete({ client }, id) {
    const key = keyOf(id);
    try {
      await adminDestroySecret(client, key);
    } catch (error) {
      if (!ServiceError.isInstance(error) || ![400, 500].includes(error.status)) {
        throw error;
      }
      if ((await readTotpMethod(client, key.methodId)) === undefined) {
        return;
      }
      throw new TriviumError(error.message, {
        hint:
          `If the entity ${key.entityId} is gone, so is its secret: then remove the resource from state with ` +
          "`pulumi state delete`.",
      });
    }
  },
});

/**
 * A TOTP secret that is stored on an entity, so that the person behind it can enrol an authenticator app for a
 * {@link TotpMethod}.
 *
 * Its id is `methodId/entityId`. The service shows a secret only when it generates one: `barcode`, `url` and
 * `secret` are kept in state, encrypted, and a secret that was generated elsewhere cannot be taken over, only
 * replaced (`adopt`). Replacement destroys the former secret first, deletion destroys it. If the answer to a
 * creation is lost, none is generated a second time: the error says how to go on. If the answer to a destruction is
 * lost, no new secret is generated in the same run, as a destruction that comes late would take it away: run
 * `pulumi up` again.
 *
 * Drift cannot be seen: a refresh only finds out whether the method still exists.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as pulumi from "@pulumi/pulumi";
 * import * as trivium from "pulumi-trivium";
 *
 * const method = new trivium.secrets.mfa.TotpMethod("codes", { issuer: "Acme" });
 *
 * const enrolment = new trivium.secrets.mfa.TotpSecret("alice", {
 *   methodId: method.id,
 *   entityId: "7d2e3179-f69b-450c-7179-ac8ee8bd8ca9",
 *   triggers: { digits: method.digits, algorithm: method.algorithm },
 * });
 *
 * export const qrCode = pulumi.interpolate`data:image/png;base64,${enrolment.barcode}`;
 * ```
 *
 * Documented under "TOTP secret" in the secrets service's interface.
 */
export class TotpSecret extends TriviumResource {
  /** @internal */
  static override readonly definition = totpSecretDefinition;

  /** The id of the TOTP method that the secret is for. */
  declare readonly methodId: pulumi.Output<string>;
  /** The id of the entity that the secret is stored on. */
  declare readonly entityId: pulumi.Output<string>;
  /** The values with which it was generated. */
  declare readonly triggers: pulumi.Output<Triggers | null | undefined>;
  /** The QR code of `url`: a PNG image in base64; empty when the method's `qrSize` is 0. Secret. */
  declare readonly barcode: pulumi.Output<string>;
  /** What authenticator apps take in: `otpauth://totp/...`. Secret. */
  declare readonly url: pulumi.Output<string>;
  /** The key in `url` by itself, in base 32, for typing it in. Secret. */
  declare readonly secret: pulumi.Output<string>;

  /** Whether a value is a TOTP secret, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is TotpSecret {
    return isResource(value, totpSecretDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args for whom the secret is
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: TotpSecretArgs, options?: pulumi.CustomResourceOptions) {
    super(totpSecretDefinition, name, args, options);
  }
}
