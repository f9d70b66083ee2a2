import {
  advisedOtherwise,
  adviceIfGone,
  InputError,
  onStatus,
  type ServiceError,
  TriviumError,
  unlessForbidden,
} from "../../base/errors";
import { path } from "../../base/path";
import { scriptForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { TriviumResource } from "../../resource/program/base";
import { afterRename, defineResource } from "../../resource/definition";
import { builtOnce, type Validation } from "../../base/schema";
import { Fields, output, snakeCase } from "../../resource/fields/field";
import { adopt, pathName, text, triggers } from "../../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf, ValuesOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { partsOf } from "../mount";
import { secretsService } from "../service";
import { totpMethods } from "./totp-method";

const secretRows = {
  /** The QR code for `url`: a PNG image in base64; empty if the method's `qrSize` is 0. Secret. */
  barcode: output(text({ secret: true })),
  /** The URL for authenticator apps: `otpauth://totp/...`. Secret. */
  url: output(text({ secret: true })),
  /** The key from `url` in base32, for manual entry. Secret. */
  secret: output(text({ secret: true })),
};

/** A generated secret, which the service only returns once. Secret. */
export interface TotpSecretResult extends ValuesOf<typeof secretRows> {}

const rows = {
  /** The ID of the TOTP method that the secret is for. A change replaces the secret. */
  methodId: pathName({ replaces: true }),
  /** The ID of the entity that the secret is stored on. A change replaces the secret. */
  entityId: pathName({ replaces: true }),
  /**
   * Arbitrary values. If one changes, the secret is destroyed and a new one is generated. Use the values that
   * the secret depends on, such as `{ digits: method.digits }`, or a date to rotate it manually.
   *
   * @default the secret is never generated again
   */
  triggers: triggers({ replaces: true, told: "never" }),
  /**
   * If the entity already has a secret for the method, destroy that secret and generate a new one, instead of
   * failing. The existing secret cannot be kept, because the service returns a secret only once; a user who
   * enrolled with it must enroll again. Only used at creation; a later change has no effect.
   *
   * @default false
   */
  adopt: adopt(),
  ...secretRows,
};

const fields = new Fields(rows, snakeCase);

/** The arguments of a {@link TotpSecret}. */
export interface TotpSecretArgs extends ArgsOf<typeof rows>, Named {}

function keyOf(id: string): AdminTotpSecretArgs {
  const [methodId, entityId, ...more] = partsOf(id);
  if (methodId === undefined || entityId === undefined || more.length > 0) {
    throw new InputError(
      `${JSON.stringify(id)} is not the ID of a TOTP secret; expected <method ID>/<entity ID>.`,
    );
  }
  return { methodId, entityId };
}

/** A response without a URL shows that a secret already exists. */
const generatedSecret = builtOnce((z) =>
  z
    .object({ barcode: z.string().nullish(), url: z.string().nullish() })
    .transform(({ barcode, url }, context) => {
      if (url === undefined || url === null || url === "") {
        return undefined;
      }
      const secret = URL.canParse(url) ? new URL(url).searchParams.get("secret") : null;
      if (secret === null) {
        context.addIssue({ code: "custom", path: ["url"], message: "no secret" });
        return z.NEVER;
      }
      return { barcode: barcode ?? "", url, secret };
    }),
);

/** Without an entity, the token's entity. */
type Enrollment = GenerateTotpSecretArgs & Partial<AdminTotpSecretArgs>;

function describe({ methodId, entityId }: Enrollment): string {
  const whose = entityId === undefined ? "the entity of the token" : `the entity ${entityId}`;
  return `TOTP secret of ${whose} for the method ${methodId}`;
}

/** @internal Never retried: the second response would be empty, and the secret of the first would be lost. */
export function generateSecret(client: SecretsClient, key: Enrollment, advice: string) {
  const { methodId: method_id, entityId: entity_id } = key;
  return client.act({
    summary: `generate a ${describe(key)}`,
    path:
      entity_id === undefined
        ? path`/identity/mfa/method/totp/generate`
        : path`/identity/mfa/method/totp/admin-generate`,
    body: { method_id, entity_id },
    data: generatedSecret,
    ifLost: `There might now be a ${describe(key)}, which the service does not return again. ${advice}`,
  });
}

/** @internal */
export async function adminDestroySecret(client: SecretsClient, key: AdminTotpSecretArgs): Promise<void> {
  const { methodId: method_id, entityId: entity_id } = key;
  // Not idempotent: a delayed request whose response was lost would destroy the next secret.
  await client.end({
    summary: `destroy the ${describe(key)}`,
    path: path`/identity/mfa/method/totp/admin-destroy`,
    body: { method_id, entity_id },
    listed: { lists: totpMethods.request("find", method_id).listed.lists },
  });
}

/** A secret is stored on its entity, and cannot be used without its method. */
async function isGone(client: SecretsClient, { methodId, entityId }: AdminTotpSecretArgs): Promise<boolean> {
  if ((await totpMethods.read(client, methodId)) === undefined) {
    return true;
  }
  const { entityPath } = client.dialect;
  const request = {
    summary: `read the entity ${entityId}`,
    id: entityId,
    data: (z: Validation) => z.object({ id: z.string() }),
  };
  const read = entityPath && client.read({ ...request, path: entityPath(entityId) });
  // If the token is not allowed to read the entity, nothing is proven.
  return read !== undefined && (await read.catch(unlessForbidden({ id: entityId }))) === undefined;
}

/** @internal */
export const totpSecretDefinition = defineResource(secretsService, fields)("secrets/mfa:TotpSecret", {
  identity: { arguments: ["methodId", "entityId"] },
  deleteBeforeReplace: true,

  async create({ client, others }, { methodId, entityId, adopt }) {
    const key = { methodId, entityId };
    const id = path`/${methodId}/${entityId}`.slice(1);
    const exists = `secrets/mfa:TotpSecret already exists (id ${id}), and the service does not return it again.`;
    const advice = "To destroy it and generate a new one, run `pulumi up` again with `adopt: true`.";
    const { existingSecret } = client.dialect;
    const mayExist = onStatus(existingSecret, (error): undefined => {
      if (adopt !== true) {
        throw error.status === 400 ? error : advisedOtherwise(error, `If it already exists: ${advice}`);
      }
      refusal = error;
    });
    let refusal: ServiceError | undefined;
    let generated = await generateSecret(client, key, advice).catch(mayExist);
    if (generated === undefined && adopt === true) {
      await adminDestroySecret(client, key).catch((error: unknown) => {
        throw refusal ?? error;
      });
      generated = await generateSecret(client, key, advice);
      if (generated === undefined) {
        const since = `${exists} It was destroyed, but another client has generated a new one since.`;
        throw new TriviumError(since, { advice: "Run `pulumi up` again." });
      }
    }
    if (generated === undefined) {
      others.refuse(id);
      throw new TriviumError(`${exists} Nothing was changed.`, {
        advice: `To destroy it and generate a new one, set \`adopt: true\`. A user who enrolled with it must then enroll again. ${afterRename}`,
      });
    }
    return { id, state: { ...key, ...generated } };
  },

  // The service cannot read a secret.
  async read({ client }, id) {
    const key = keyOf(id);
    return client.isAssumedGone(id) || (await isGone(client, key)) ? undefined : { ...key };
  },

  async delete({ client }, id) {
    const key = keyOf(id);
    const advice = `If the entity ${key.entityId} was deleted, its secret was too. ${adviceIfGone(id)}`;
    await adminDestroySecret(client, key).catch(
      onStatus([400, 500], async (error) => {
        if (!client.isAssumedGone(id) && !(await isGone(client, key))) {
          throw advisedOtherwise(error, advice);
        }
      }),
    );
  },
});

export interface TotpSecret extends OutputsOf<typeof rows> {}

/**
 * Generates a TOTP secret on an entity of the secrets service (Vault or OpenBao), with which the user can
 * enroll an authenticator app for a {@link TotpMethod}.
 *
 * Its ID is `methodId/entityId`. The service returns a secret only when it generates it, so `barcode`, `url`
 * and `secret` are stored in state, encrypted. A secret that was generated elsewhere can only be replaced
 * (`adopt`). Replacement destroys the former secret before it generates a new one; deletion destroys the
 * secret. If the response to a creation is lost, the request is not repeated, and the error says what to do.
 * If the response to a destruction is lost, a new secret is not generated in the same update, because a
 * delayed destruction would remove it: run `pulumi up` again.
 *
 * Drift is not detected. A refresh only checks whether the method still exists and, in the hashicorp dialect,
 * whether the entity does, if the token is allowed to read it.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as pulumi from "@pulumi/pulumi";
 * import * as trivium from "pulumi-trivium";
 *
 * const method = new trivium.secrets.mfa.TotpMethod("codes", { issuer: "Acme" });
 *
 * const enrollment = new trivium.secrets.mfa.TotpSecret("alice", {
 *   methodId: method.id,
 *   entityId: "7d2e3179-f69b-450c-7179-ac8ee8bd8ca9",
 *   triggers: { digits: method.digits, algorithm: method.algorithm },
 * });
 *
 * export const qrCode = pulumi.interpolate`data:image/png;base64,${enrollment.barcode}`;
 * ```
 */
export class TotpSecret extends TriviumResource<TotpSecretArgs> {
  /** @internal */
  static override readonly definition = totpSecretDefinition;
}

const methodRows = {
  /** The ID of the TOTP method. */
  methodId: pathName(),
};

const enrollmentRows = {
  ...methodRows,
  /** The ID of the entity that the secret is stored on. */
  entityId: pathName(),
};

/** The arguments of {@link generateTotpSecret}. */
export interface GenerateTotpSecretArgs extends PlainArgsOf<typeof methodRows>, Named {}

/** The arguments of {@link adminGenerateTotpSecret} and {@link adminDestroyTotpSecret}. */
export interface AdminTotpSecretArgs extends PlainArgsOf<typeof enrollmentRows>, Named {}

const replacement = "secrets.mfa.TotpSecret";
const destroyFirst = "Destroy it with adminDestroyTotpSecret, then generate another.";

async function generateOnce(client: SecretsClient, key: Enrollment): Promise<TotpSecretResult> {
  const secret = await generateSecret(client, key, destroyFirst);
  if (secret === undefined) {
    const exists = `There is already a ${describe(key)}, which the service does not return again.`;
    throw new TriviumError(exists, { advice: destroyFirst });
  }
  return secret;
}

const generateDefinition = defineFunction(secretsService, methodRows)(
  "secrets.mfa.generateTotpSecret",
  generateOnce,
);

/**
 * Generates a TOTP secret on the entity of the calling token. The service returns the secret only once. For
 * scripts only: in a program, use {@link TotpSecret}.
 *
 * @example
 * ```typescript
 * const { url } = await trivium.secrets.mfa.generateTotpSecret({ methodId: "1a2b4c15-6f3d-4a43-9d1b-1c8f2f8f6d11" });
 * ```
 *
 * @throws {@link errors.TriviumError} if the entity already has a secret, or the token has no entity;
 * {@link errors.InputError} inside a Pulumi program
 */
export const generateTotpSecret = scriptForm<GenerateTotpSecretArgs, TotpSecretResult>(
  generateDefinition,
  replacement,
);

const ofAnyEntity = defineFunction(secretsService, enrollmentRows);

const adminGenerateDefinition = ofAnyEntity("secrets.mfa.adminGenerateTotpSecret", generateOnce);

/**
 * Generates a TOTP secret on any entity. The service returns the secret only once. For scripts only: in a
 * program, use {@link TotpSecret}.
 *
 * @throws {@link errors.TriviumError} if the entity already has a secret; {@link errors.InputError} inside a
 * Pulumi program
 */
export const adminGenerateTotpSecret = scriptForm<AdminTotpSecretArgs, TotpSecretResult>(
  adminGenerateDefinition,
  replacement,
);

const adminDestroyDefinition = ofAnyEntity("secrets.mfa.adminDestroyTotpSecret", adminDestroySecret);

/**
 * Destroys the TOTP secret on an entity, if there is one. For scripts only: in a program, delete the
 * {@link TotpSecret}.
 *
 * @throws {@link errors.InputError} inside a Pulumi program
 */
export const adminDestroyTotpSecret = scriptForm<AdminTotpSecretArgs>(adminDestroyDefinition, replacement);
