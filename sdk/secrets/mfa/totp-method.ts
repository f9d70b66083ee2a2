import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { ServiceError, TriviumError } from "../../base/errors";
import { isResource, TriviumResource } from "../../resource/base";
import { duration } from "../../resource/canonical";
import type { Dialect } from "../../base/settings";
import type { Validation } from "../../base/validation";
import { type ArgumentDefinition, type Desired, defineResource } from "../../resource/definition";
import { assertGetSupported } from "../../resource/get";
import { durationInSeconds } from "../../resource/schemas";
import type { SecretsClient } from "../client";
import { secretsDialects } from "../dialect";
import { TotpMethodCreations } from "./totp-method-creation";
import {
  readTotpMethod,
  type TotpAlgorithm,
  totpMethodBody,
  totpMethodPath,
  type WantedTotpMethod,
} from "./totp-method-wire";

/**
 * The arguments of a {@link TotpMethod}. Every change is made in place. Secrets that were generated before keep the
 * values of their time.
 */
export interface TotpMethodArgs {
  /** The name of the organization that issues keys, as authenticator apps show it. */
  issuer: pulumi.Input<string>;
  /**
   * How long a code is good for: whole seconds, as a number or as text such as `"30s"`. Longer than 0.
   *
   * @default 30
   */
  period?: pulumi.Input<string | number | null | undefined>;
  /**
   * The size of generated keys in bytes.
   *
   * @default 20
   */
  keySize?: pulumi.Input<number | null | undefined>;
  /**
   * The width and height of the QR code in pixels; 0 for none.
   *
   * @default 200
   */
  qrSize?: pulumi.Input<number | null | undefined>;
  /**
   * The hash by which codes are computed: `"SHA1"`, `"SHA256"` or `"SHA512"`. Many authenticator apps only know
   * `"SHA1"`.
   *
   * @default "SHA1"
   */
  algorithm?: pulumi.Input<TotpAlgorithm | null | undefined>;
  /**
   * How many digits a code has: 6 or 8.
   *
   * @default 6
   */
  digits?: pulumi.Input<number | null | undefined>;
  /**
   * How many periods a code may be late or early: 0 or 1.
   *
   * @default 1
   */
  skew?: pulumi.Input<number | null | undefined>;
  /**
   * How many wrong codes in a row are allowed: at least 1.
   *
   * @default 5
   */
  maxValidationAttempts?: pulumi.Input<number | null | undefined>;
}

/** The documents name no smallest values; the products refuse some. */
const schema = (z: Validation, dialect: Dialect) => {
  const { refusals } = secretsDialects[dialect];
  const least = refusals === "of the products" ? 1 : Number.NEGATIVE_INFINITY;
  const whole = z.number().int("must be a whole number");
  return {
    issuer: z.string().min(1, "must not be empty"),
    period: durationInSeconds(z)
      .refine(
        (seconds) => Number.isInteger(seconds) && seconds >= least,
        least === 1 ? "must be 1 second or more, in whole seconds" : "must be whole seconds",
      )
      .optional(),
    keySize: whole.min(least, "must be at least 1").optional(),
    qrSize: whole.optional(),
    algorithm: z.enum(["SHA1", "SHA256", "SHA512"]).optional(),
    digits: z.literal([6, 8]).optional(),
    skew: z.literal([0, 1]).optional(),
    maxValidationAttempts: whole.optional(),
  };
};

/** For numbers that the documents do not limit, and that hardly work below a limit. */
function below(least: number): NonNullable<ArgumentDefinition["warning"]> {
  return (value) =>
    typeof value === "number" && value < least
      ? `is less than ${least}, which is unlikely to work`
      : undefined;
}

/** Without what is left to the service. */
function wantedOf(desired: Desired<ReturnType<typeof schema>>): WantedTotpMethod {
  const { issuer, period, keySize, qrSize, algorithm, digits, skew, maxValidationAttempts } = desired;
  return { issuer, period, keySize, qrSize, algorithm, digits, skew, maxValidationAttempts };
}

/** @internal */
export const totpMethodDefinition = defineResource<SecretsClient>()({
  type: "secrets/mfa:TotpMethod",
  service: secretsService,
  schema,
  arguments: {
    issuer: {},
    period: { canonical: duration, cleared: 30, warning: below(1) },
    keySize: { cleared: 20, warning: below(1) },
    qrSize: { cleared: 200, warning: below(0) },
    algorithm: { cleared: "SHA1" },
    digits: { cleared: 6 },
    skew: { cleared: 1 },
    maxValidationAttempts: { cleared: 5, warning: below(1) },
  },
  outputs: { type: {}, namespace: { optional: true } },
  updatesWholeObject: true,

  async create({ client }, desired) {
    const id = await client.part(TotpMethodCreations).create(client, wantedOf(desired));
    return { id, state: {} };
  },

  read: ({ client }, id) => readTotpMethod(client, id),

  // The service answers success for a method that is not there; it is read after every update, which tells.
  async update({ client }, id, desired) {
    await client.write({
      summary: `update the TOTP method ${id}`,
      path: totpMethodPath(id),
      body: totpMethodBody(wantedOf(desired)),
      data: (z) => z.unknown(),
    });
    return {};
  },

  async delete({ client }, id) {
    try {
      await client.delete({ summary: `delete the TOTP method ${id}`, path: totpMethodPath(id) });
    } catch (error) {
      if (!ServiceError.isInstance(error) || [401, 403].includes(error.status)) {
        throw error;
      }
      throw new TriviumError(error.message, {
        hint: "A method that a login enforcement uses cannot be deleted: take it out of the enforcement first.",
      });
    }
  },
});

/**
 * A method of the secrets service by which people confirm a login with a code from an authenticator app (TOTP:
 * time-based one-time passwords).
 *
 * Its id is the service's own. It has no name, so two methods with the same arguments are two methods, and there is
 * nothing to adopt. A method that a login enforcement uses cannot be deleted. All drift is visible.
 *
 * A change does not reach people who have enrolled already: their apps and their secrets keep the former values
 * until a {@link TotpSecret} is generated anew.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const method = new trivium.secrets.mfa.TotpMethod("codes", {
 *   issuer: "Acme",
 *   period: "30s",
 *   digits: 6,
 * });
 *
 * export const methodId = method.id;
 * ```
 *
 * Documented under "TOTP MFA methods" in the secrets service's interface.
 */
export class TotpMethod extends TriviumResource {
  /** @internal */
  static override readonly definition = totpMethodDefinition;

  /** The name of the organization that issues keys. */
  declare readonly issuer: pulumi.Output<string>;
  /** How many seconds a code is good for. */
  declare readonly period: pulumi.Output<number>;
  /** The size of generated keys in bytes. */
  declare readonly keySize: pulumi.Output<number>;
  /** The width and height of the QR code in pixels. */
  declare readonly qrSize: pulumi.Output<number>;
  /** The hash by which codes are computed. */
  declare readonly algorithm: pulumi.Output<TotpAlgorithm>;
  /** How many digits a code has. */
  declare readonly digits: pulumi.Output<number>;
  /** How many periods a code may be late or early. */
  declare readonly skew: pulumi.Output<number>;
  /** How many wrong codes in a row are allowed. */
  declare readonly maxValidationAttempts: pulumi.Output<number>;
  /** Always `totp`. */
  declare readonly type: pulumi.Output<string>;
  /** The namespace that it belongs to: its id, such as `root`, where it has one. */
  declare readonly namespace: pulumi.Output<string | undefined>;

  /**
   * Reads an existing method without managing it: it is never changed nor deleted.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the method's id
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TotpMethod {
    assertGetSupported("secrets.mfa.TotpMethod");
    return new TotpMethod(name, undefined, { ...options, id });
  }

  /** Whether a value is a TOTP method, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is TotpMethod {
    return isResource(value, totpMethodDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args what the method is to be
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: TotpMethodArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: TotpMethodArgs | undefined, options?: pulumi.CustomResourceOptions);
  constructor(name: string, args: TotpMethodArgs | undefined, options?: pulumi.CustomResourceOptions) {
    super(totpMethodDefinition, name, args, options);
  }
}
