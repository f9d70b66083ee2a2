import type { SecretsDialect } from "../dialect";
import { Table } from "../table";

/** How codes are computed. */
export interface TotpParameters {
  readonly issuer: string;
  /** Seconds that a code is good for. */
  readonly period: number;
  readonly algorithm: TotpAlgorithm;
  readonly digits: number;
}

export type TotpAlgorithm = "SHA1" | "SHA256" | "SHA512";

/** Everything that can be set on a TOTP method. */
export interface TotpMethodSettings extends TotpParameters {
  /** Bytes. */
  readonly keySize: number;
  /** Pixels; 0 for no barcode. */
  readonly qrSize: number;
  /** Periods that a code may be early or late. */
  readonly skew: number;
  readonly maxValidationAttempts: number;
}

/** A TOTP method. */
export interface TotpMethodRecord extends TotpMethodSettings {
  readonly id: string;
}

/** What is not said about a method. */
export const defaultTotpSettings: Omit<TotpMethodSettings, "issuer"> = {
  period: 30,
  algorithm: "SHA1",
  digits: 6,
  keySize: 20,
  qrSize: 200,
  skew: 1,
  maxValidationAttempts: 5,
};

export function createTotpMethods(): Table<TotpMethodRecord> {
  return new Table("TOTP method", ({ id }) => id);
}

/** A method as reads and lists answer it. */
export function toTotpMethodData(
  method: TotpMethodRecord,
  { totpMethodMembers }: Pick<SecretsDialect, "totpMethodMembers">,
): Record<string, unknown> {
  return {
    ...totpMethodMembers,
    algorithm: method.algorithm,
    digits: method.digits,
    id: method.id,
    issuer: method.issuer,
    key_size: method.keySize,
    max_validation_attempts: method.maxValidationAttempts,
    period: method.period,
    qr_size: method.qrSize,
    skew: method.skew,
    type: "totp",
  };
}
