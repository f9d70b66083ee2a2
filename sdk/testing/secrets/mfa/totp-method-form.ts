import type { Fields } from "../fields";
import { badRequest } from "../refusal";
import { defaultTotpSettings, type TotpAlgorithm, type TotpMethodSettings } from "./totp-method-record";

export const totpMethodFields: readonly string[] = [
  "issuer",
  "period",
  "key_size",
  "qr_size",
  "algorithm",
  "digits",
  "skew",
  "max_validation_attempts",
];

const algorithms: readonly TotpAlgorithm[] = ["SHA1", "SHA256", "SHA512"];

/** @throws Refusal 400 when there is no issuer, or a value is out of bounds */
export function readTotpMethod(fields: Fields): TotpMethodSettings {
  const issuer = fields.text("issuer") ?? "";
  const algorithmName = fields.text("algorithm") ?? defaultTotpSettings.algorithm;
  const algorithm = algorithms.find((known) => known === algorithmName);
  const period = fields.duration("period") ?? defaultTotpSettings.period;
  const keySize = fields.integer("key_size") ?? defaultTotpSettings.keySize;
  const qrSize = fields.integer("qr_size") ?? defaultTotpSettings.qrSize;
  const digits = fields.integer("digits") ?? defaultTotpSettings.digits;
  const skew = fields.integer("skew") ?? defaultTotpSettings.skew;
  const attempts = fields.integer("max_validation_attempts") ?? defaultTotpSettings.maxValidationAttempts;
  if (issuer === "") {
    throw badRequest("issuer must be set");
  }
  if (algorithm === undefined) {
    throw badRequest("unrecognized algorithm");
  }
  requireRule(period > 0, "period must be greater than zero");
  requireRule(keySize > 0, "key_size must be greater than zero");
  requireRule(qrSize >= 0, "qr_size must be zero or greater");
  requireRule(digits === 6 || digits === 8, "digits can only be 6 or 8");
  requireRule(skew === 0 || skew === 1, "skew must be 0 or 1");
  requireRule(attempts >= 0, "max_validation_attempts must be zero or greater");
  return {
    issuer,
    period,
    keySize,
    qrSize,
    algorithm,
    digits,
    skew,
    // Zero attempts would lock everybody out: the service takes it as not set.
    maxValidationAttempts: attempts === 0 ? defaultTotpSettings.maxValidationAttempts : attempts,
  };
}

function requireRule(fulfilled: boolean, rule: string): void {
  if (!fulfilled) {
    throw badRequest(rule);
  }
}
