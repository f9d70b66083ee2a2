/** A set of accounts to lend. */
export interface LibrarySetRecord {
  /** As written; in lower case in the hashicorp dialect. */
  readonly name: string;
  readonly serviceAccountNames: readonly string[];
  /** Seconds; 0 for no limit. */
  readonly ttl: number;
  /** Seconds; 0 for no limit. */
  readonly maxTtl: number;
  readonly disableCheckInEnforcement: boolean;
}

/** Who has an account at present. */
export interface CheckOutRecord {
  readonly leaseId: string;
  /** The hash of the borrower's token. */
  readonly borrowerClientToken: string;
  /** `null` for a borrower without an entity. */
  readonly borrowerEntityId: string | null;
  /** ISO 8601; `null` for a check-out without an end. */
  readonly expiresAt: string | null;
}

/** An account of a set. */
export interface LibraryAccountRecord {
  readonly name: string;
  readonly setName: string;
  /** In clear. */
  readonly password: string;
  /** `null` while it is available. */
  readonly checkOut: CheckOutRecord | null;
}
