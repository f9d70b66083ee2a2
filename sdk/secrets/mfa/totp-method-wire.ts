import { path, type Path } from "../../base/path";
import { builtOnce } from "../../base/validation";
import { parseDuration } from "../../base/duration";
import { textIfGiven } from "../answer";
import type { SecretsClient } from "../client";
import type { SecretsDialect } from "../dialect";

/** The algorithms by which codes are computed. */
export type TotpAlgorithm = "SHA1" | "SHA256" | "SHA512" | (string & {});

/**
 * The path of all methods.
 *
 * @internal
 */
export const totpMethods: Path = path`/identity/mfa/method/totp`;

/**
 * The path of one method.
 *
 * @internal
 */
export function totpMethodPath(id: string): Path {
  return path`/identity/mfa/method/totp/${id}`;
}

/**
 * A method as the service answers it.
 *
 * @internal
 */
const totpMethodShape = builtOnce((z, { totpNamespace }: SecretsDialect) => {
  const number = z.number().optional();
  const text = textIfGiven(z);
  return z
    .looseObject({
      issuer: z.string(),
      period: z.union([z.number(), z.string()]).optional(),
      key_size: number,
      qr_size: number,
      algorithm: z.string().optional(),
      digits: number,
      skew: number,
      max_validation_attempts: number,
      type: text,
    })
    .transform((method) => ({
      issuer: method.issuer,
      period: parseDuration(method.period),
      keySize: method.key_size,
      qrSize: method.qr_size,
      algorithm: method.algorithm,
      digits: method.digits,
      skew: method.skew,
      maxValidationAttempts: method.max_validation_attempts,
      type: method.type,
      namespace: totpNamespace
        .map((name) => method[name])
        .find((value): value is string => typeof value === "string"),
    }));
});

/**
 * What an answer says of a method.
 *
 * @internal
 */
export type TotpMethodState = ReturnType<ReturnType<typeof totpMethodShape>["parse"]>;

/**
 * @returns `undefined` when there is no such method
 *
 * @internal
 */
export function readTotpMethod(client: SecretsClient, id: string): Promise<TotpMethodState | undefined> {
  return client.read({
    summary: `read the TOTP method ${id}`,
    path: totpMethodPath(id),
    id,
    data: (z) => totpMethodShape(z, client.dialect),
  });
}

/**
 * The ids of all methods.
 *
 * @internal
 */
export function listTotpMethodIds(client: SecretsClient): Promise<string[]> {
  return client.list({ summary: "list the TOTP methods", path: totpMethods });
}

/**
 * A method as it is wanted; what is missing is left to the service.
 *
 * @internal
 */
export interface WantedTotpMethod {
  readonly issuer: string;
  readonly period?: number | undefined;
  readonly keySize?: number | undefined;
  readonly qrSize?: number | undefined;
  readonly algorithm?: TotpAlgorithm | undefined;
  readonly digits?: number | undefined;
  readonly skew?: number | undefined;
  readonly maxValidationAttempts?: number | undefined;
}

/**
 * Fields of a request. An update replaces the whole method: a field that it lacks gets its default back.
 *
 * @internal
 */
export function totpMethodBody(method: WantedTotpMethod): Readonly<Record<string, unknown>> {
  return {
    issuer: method.issuer,
    period: method.period,
    key_size: method.keySize,
    qr_size: method.qrSize,
    algorithm: method.algorithm,
    digits: method.digits,
    skew: method.skew,
    max_validation_attempts: method.maxValidationAttempts,
  };
}
