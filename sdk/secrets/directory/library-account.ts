import { createHash } from "node:crypto";

/** Whether an account of a library can be had, and who has it. */
export interface LibraryAccount {
  /** Nobody has checked it out. */
  readonly available: boolean;
  /** A salted hash of the borrower's token. */
  readonly borrowerClientToken?: string;
  /** The id of the borrower's entity; missing where the borrower's token belongs to none. */
  readonly borrowerEntityId?: string;
}

/** The accounts of a library set by name. */
export type LibraryAccounts = Record<string, LibraryAccount>;

/**
 * The borrower of an account, as the service returns it. It stays the same for as long as the check-out
 * lasts.
 */
export interface Borrower {
  readonly clientToken: string | null;
  readonly entityId: string | null;
}

/** The borrower of an account; `undefined` if it is available or not in the set. */
export function borrowerOf(accounts: LibraryAccounts, name: string): Borrower | undefined {
  const account = Object.hasOwn(accounts, name) ? accounts[name] : undefined;
  return account === undefined || account.available
    ? undefined
    : { clientToken: account.borrowerClientToken ?? null, entityId: account.borrowerEntityId ?? null };
}

/**
 * Whether two check-outs have the same borrower. That the entity is the same is not enough: it may have come
 * back with another token and borrowed the account again.
 */
export function sameBorrower(left: Borrower, right: Borrower): boolean {
  return left.clientToken === right.clientToken && left.entityId === right.entityId;
}

/**
 * What can be remembered of a borrower in clear text, to know it again: the same for the same borrower, and
 * nothing of what it is made from. Services show a hash of the token, but no document promises that it is not
 * the token.
 *
 * @returns `undefined` when the service names nobody: that fits everybody
 */
export function fingerprintOf({ clientToken, entityId }: Borrower): string | undefined {
  return clientToken === null && entityId === null
    ? undefined
    : createHash("sha256")
        .update(JSON.stringify([clientToken, entityId]))
        .digest("base64url")
        .slice(0, 16);
}

/** Whether a set has an account that nobody has checked out. */
export function hasFreeAccount(accounts: LibraryAccounts): boolean {
  return Object.values(accounts).some(({ available }) => available);
}

/** The borrowers of accounts, for messages; available accounts are omitted. */
export function describeHolders(
  accounts: LibraryAccounts,
  names: readonly string[] = Object.keys(accounts),
): string {
  return names
    .flatMap((name) => {
      const borrower = borrowerOf(accounts, name);
      return borrower === undefined ? [] : [`${name} (checked out by ${describeBorrower(borrower)})`];
    })
    .join(", ");
}

function describeBorrower({ clientToken, entityId }: Borrower): string {
  if (entityId !== null) {
    return `the entity ${entityId}`;
  }
  // As much as tells one from another: should it be the token itself, it must not be told.
  return clientToken === null
    ? "a borrower that the service does not name"
    : `a token with the hash ${clientToken.slice(0, 8)}`;
}
