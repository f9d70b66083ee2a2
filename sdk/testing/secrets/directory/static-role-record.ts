/** A static role: an entry whose password the engine keeps changing. */
export interface StaticRoleRecord {
  /** As written; in lower case in the hashicorp dialect. */
  readonly name: string;
  readonly username: string;
  /** Empty when the entry is found by `username`. */
  readonly dn: string;
  /** Seconds. */
  readonly rotationPeriod: number;
  /** In clear; `null` before the first rotation. */
  readonly password: string | null;
  /** The one before; `null` before the second rotation. */
  readonly lastPassword: string | null;
  /** ISO 8601; `null` before the first rotation. */
  readonly lastRotation: string | null;
}
