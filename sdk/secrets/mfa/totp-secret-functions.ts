import { secretsService } from "../service";
import { callInScript, type ScriptFunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import { TriviumError } from "../../base/errors";
import type { SecretsClient } from "../client";
import { explainLostAnswer } from "../leased";
import { nameInPath } from "../../resource/schemas";
import {
  adminDestroySecret,
  adminGenerateSecret,
  generateSecret,
  type TotpSecretKey,
  type TotpSecretResult,
} from "./totp-secret-wire";

/** The arguments of {@link generateTotpSecret}. */
export interface GenerateTotpSecretArgs {
  /** The id of the TOTP method. */
  methodId: string;
}

/** The arguments of {@link adminGenerateTotpSecret} and {@link adminDestroyTotpSecret}. */
export interface AdminTotpSecretArgs {
  /** The id of the TOTP method. */
  methodId: string;
  /** The id of the entity that the secret is stored on. */
  entityId: string;
}

/** What a program uses instead of these functions. */
const resource = "secrets.mfa.TotpSecret";

/** @param whose the entity, as a sentence names it */
async function generated(
  request: Promise<TotpSecretResult | undefined>,
  { whose, methodId }: { readonly whose: string; readonly methodId: string },
): Promise<TotpSecretResult> {
  const secret = await request.catch((error: unknown) => {
    throw explainLostAnswer(
      error,
      `${whose} may have a TOTP secret for the method ${methodId} now, which the service does not show again: ` +
        "destroy it with adminDestroyTotpSecret, then generate another.",
    );
  });
  if (secret === undefined) {
    throw new TriviumError(`${whose} has a TOTP secret for the method ${methodId} already.`, {
      hint: "The service does not show it again: destroy it with adminDestroyTotpSecret, then generate another.",
    });
  }
  return secret;
}

const generateDefinition: FunctionDefinition<SecretsClient, GenerateTotpSecretArgs, TotpSecretResult> = {
  name: "secrets.mfa.generateTotpSecret",
  service: secretsService,
  schema: (z) => z.strictObject({ methodId: nameInPath(z) }),
  call: (client, { methodId }) =>
    generated(generateSecret(client, { methodId }), { whose: "The token's entity", methodId }),
};

/**
 * Generates a TOTP secret on the entity of the calling token. For scripts: a program uses {@link TotpSecret}. What it
 * answers is secret, and shown this once.
 *
 * @example
 * ```typescript
 * const { url } = await trivium.secrets.mfa.generateTotpSecret({ methodId: "1a2b4c15-6f3d-4a43-9d1b-1c8f2f8f6d11" });
 * ```
 *
 * @throws {@link errors.TriviumError} when the entity has one already or the token has no entity; {@link errors.InputError} inside a Pulumi program
 */
export function generateTotpSecret(
  args: GenerateTotpSecretArgs,
  options?: ScriptFunctionOptions,
): Promise<TotpSecretResult> {
  return callInScript(generateDefinition, resource, args, options);
}

const adminGenerateDefinition: FunctionDefinition<SecretsClient, TotpSecretKey, TotpSecretResult> = {
  name: "secrets.mfa.adminGenerateTotpSecret",
  service: secretsService,
  schema: (z) =>
    z.strictObject({
      methodId: nameInPath(z),
      entityId: nameInPath(z),
    }),
  call: (client, { methodId, entityId }) =>
    generated(adminGenerateSecret(client, { methodId, entityId }), {
      whose: `The entity ${entityId}`,
      methodId,
    }),
};

/**
 * Generates a TOTP secret on any entity. For scripts: a program uses {@link TotpSecret}. What it answers is secret,
 * and shown this once.
 *
 * @throws {@link errors.TriviumError} when the entity has one already; {@link errors.InputError} inside a Pulumi program
 */
export function adminGenerateTotpSecret(
  args: AdminTotpSecretArgs,
  options?: ScriptFunctionOptions,
): Promise<TotpSecretResult> {
  return callInScript(adminGenerateDefinition, resource, args, options);
}

const adminDestroyDefinition: FunctionDefinition<SecretsClient, TotpSecretKey, void> = {
  ...adminGenerateDefinition,
  name: "secrets.mfa.adminDestroyTotpSecret",
  call: (client, key) => adminDestroySecret(client, key),
};

/**
 * Destroys the TOTP secret on an entity; that there is none is fine. For scripts: a program uses {@link TotpSecret}.
 *
 * @throws {@link errors.InputError} inside a Pulumi program
 */
export function adminDestroyTotpSecret(
  args: AdminTotpSecretArgs,
  options?: ScriptFunctionOptions,
): Promise<void> {
  return callInScript(adminDestroyDefinition, resource, args, options);
}
