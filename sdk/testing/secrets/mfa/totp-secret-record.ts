import { randomBytes } from "node:crypto";
import { Table } from "../table";
import { toBase32 } from "./base32";
import type { TotpMethodRecord, TotpParameters } from "./totp-method-record";

/** A secret for one method on one entity. It keeps the parameters with which it was generated. */
export interface TotpSecretRecord extends TotpParameters {
  readonly methodId: string;
  readonly entityId: string;
  /** The shared key, in base 32 without padding. */
  readonly key: string;
  /** What an authenticator reads. */
  readonly url: string;
}

export function createTotpSecrets(): Table<TotpSecretRecord> {
  return new Table("TOTP secret", ({ methodId, entityId }) => totpSecretKey(methodId, entityId));
}

/** What a secret is found by. */
export function totpSecretKey(methodId: string, entityId: string): string {
  return `${methodId}/${entityId}`;
}

/** A new secret with the parameters that the method has at the moment. */
export function newTotpSecret(method: TotpMethodRecord, entityId: string): TotpSecretRecord {
  const { issuer, period, algorithm, digits } = method;
  const key = toBase32(randomBytes(method.keySize));
  const query = Object.entries({ algorithm, digits, issuer, period, secret: key })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  const url = `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(entityId)}?${query}`;
  return { methodId: method.id, entityId, issuer, period, algorithm, digits, key, url };
}
