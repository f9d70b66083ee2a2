/** A dynamic role: how accounts are made and removed. Texts are empty and times 0 when they are not set. */
export interface DynamicRoleRecord {
  /** As written; in lower case in the hashicorp dialect. */
  readonly name: string;
  /** Templates of LDIF, decoded where they came in base64. */
  readonly creationLdif: string;
  readonly deletionLdif: string;
  readonly rollbackLdif: string;
  readonly usernameTemplate: string;
  /** Seconds. */
  readonly defaultTtl: number;
  /** Seconds. */
  readonly maxTtl: number;
}

/** An account that was made for somebody. */
export interface IssuedAccountRecord {
  readonly leaseId: string;
  readonly roleName: string;
  readonly username: string;
  readonly distinguishedNames: readonly string[];
  /** Why it is still there although its lease has ended; `null` while nothing went wrong. */
  readonly deletionFailure: string | null;
}
