import { ServiceError } from "../../base/errors";
import { path } from "../../base/path";
import type { Validation } from "../../base/validation";
import { textIfGiven } from "../answer";
import type { SecretsClient } from "../client";
import { readTotpMethod } from "./totp-method";

/**
 * For whom a secret is.
 *
 * @internal
 */
export interface TotpSecretKey {
  readonly methodId: string;
  readonly entityId: string;
}

/** A generated secret, which the service shows only this once. Secret. */
export interface TotpSecretResult {
  /** The QR code of `url`: a PNG image in base64; empty when the method's `qrSize` is 0. */
  readonly barcode: string;
  /** What authenticator apps take in: `otpauth://totp/...`. */
  readonly url: string;
  /** The key in `url` by itself, in base 32, for typing it in. */
  readonly secret: string;
}

/**
 * @returns `undefined` when the calling token's entity has a secret already
 *
 * @internal
 */
export function generateSecret(
  client: SecretsClient,
  { methodId }: Pick<TotpSecretKey, "methodId">,
): Promise<TotpSecretResult | undefined> {
  return generate(client, {
    summary: `generate a TOTP secret for the caller's entity and the method ${methodId}`,
    path: path`/identity/mfa/method/totp/generate`,
    body: { method_id: methodId },
  });
}

/**
 * @returns `undefined` when the entity has a secret already
 *
 * @internal
 */
export function adminGenerateSecret(
  client: SecretsClient,
  { methodId, entityId }: TotpSecretKey,
): Promise<TotpSecretResult | undefined> {
  return generate(client, {
    summary: `generate a TOTP secret for the entity ${entityId} and the method ${methodId}`,
    path: path`/identity/mfa/method/totp/admin-generate`,
    body: { method_id: methodId, entity_id: entityId },
  });
}

/**
 * Takes an entity's secret away; that there is none is fine.
 *
 * @internal
 */
export async function adminDestroySecret(
  client: SecretsClient,
  { methodId, entityId }: TotpSecretKey,
): Promise<void> {
  const request = {
    summary: `destroy the TOTP secret of the entity ${entityId} for the method ${methodId}`,
    path: path`/identity/mfa/method/totp/admin-destroy`,
    body: { method_id: methodId, entity_id: entityId },
    data: (z: Validation) => z.unknown(),
  };
  try {
    // One whose answer is lost may still be done later, and would then destroy the secret that comes after it.
    await client.act(request);
  } catch (error) {
    if (!ServiceError.isInstance(error) || error.status !== 404) {
      throw error;
    }
    // There is no such secret, or nobody here who knows of secrets: then this read fails too.
    await readTotpMethod(client, methodId);
  }
}

async function generate(
  client: SecretsClient,
  request: Pick<Parameters<SecretsClient["act"]>[0], "summary" | "path" | "body">,
): Promise<TotpSecretResult | undefined> {
  // It would answer nothing the second time, and the secret of the first would be lost: never repeated.
  const generated = await client.act({
    ...request,
    data: (z) =>
      z
        .object({ barcode: textIfGiven(z), url: textIfGiven(z) })
        .transform(({ barcode = "", url = "" }, context) => {
          if (url === "") {
            return undefined;
          }
          const secret = secretIn(url);
          if (secret === null) {
            context.addIssue({ code: "custom", path: ["url"], message: "no secret" });
            return z.NEVER;
          }
          return { barcode, url, secret };
        }),
  });
  return generated;
}

function secretIn(url: string): string | null {
  return URL.canParse(url) ? new URL(url).searchParams.get("secret") : null;
}
