import {
  advisedOtherwise,
  mayHaveBeenProcessed,
  messageOf,
  ServiceError,
  TriviumError,
} from "../../base/errors";
import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { nameInResponse } from "../../resource/schemas";
import type { Lease } from "../response";
import type { SecretsClient } from "../client";
import { Turns } from "../../base/turns";
import { expiryAfter } from "../leased";
import {
  borrowerOf,
  describeHolders,
  fingerprintOf,
  hasFreeAccount,
  type LibraryAccounts,
  sameBorrower,
} from "./library-account";
import {
  type LibrarySetName,
  librarySets,
  type LibrarySetState,
  readLibraryStatus,
  readLibraryStatusIfAllowed,
  repeatedName,
} from "./library-set";

/** The outcome of an attempt to check out an account. */
export type CheckOutOutcome =
  | { readonly kind: "checked out"; readonly account: CheckedOutAccount; readonly askedAt: number }
  | {
      readonly kind: "none free";
      /** `undefined` where the token may not read them. */
      readonly accounts: LibraryAccounts | undefined;
      /** The service's refusal, where it was asked. */
      readonly error?: unknown;
    }
  | {
      /** An account was checked out according to the status, but its password is lost. */
      readonly kind: "response lost";
      readonly serviceAccountName: string;
      /** The fingerprint of whom the status names; `undefined` when it names nobody. */
      readonly borrower: string | undefined;
      /** The borrower is known to be this process; otherwise only the service can tell when it is checked in. */
      readonly proven: boolean;
      /** When it ends at the latest, ISO 8601; null for never. */
      readonly expiresAt: string | null;
      readonly error: unknown;
    };

/** An account that was just checked out. */
export interface CheckedOutAccount {
  readonly serviceAccountName: string;
  readonly password: string;
  readonly lease: Lease;
}

/**
 * Checks out a free account, in one request that is not retried once the service may have processed it.
 *
 * @param ttl in seconds; `undefined` or null for the set's own
 */
export async function checkOutAccount(
  client: SecretsClient,
  set: LibrarySetName,
  ttl: number | null | undefined,
): Promise<CheckedOutAccount> {
  const { data, lease } = await client.issue({
    summary: `check out an account of the ${librarySets.describe(set)}`,
    method: "POST",
    path: path`/${mountPath(set.mount)}/library/${set.name}/check-out`,
    body: { ...repeatedName(client, set), ...(ttl === undefined || ttl === null ? {} : { ttl }) },
    data: (z) => z.object({ service_account_name: nameInResponse(z), password: z.string() }),
  });
  processRedactor.register(data.password);
  return { serviceAccountName: data.service_account_name, password: data.password, lease };
}

/** What one process knows of its check-outs. */
export class CheckOuts {
  /**
   * One attempt at a time per set, so that an account that was taken in between does not belong to another
   * attempt of this process.
   */
  readonly turns = new Turns();
  /** The fingerprint of whom the status names as borrower when this process is. */
  borrower: string | undefined;
}

/**
 * Checks out an account, if one is free. The status before it tells what it has taken when its response is
 * lost; it is never repeated then. A token that may not read the status can check out nevertheless.
 *
 * @param ttl in seconds; `undefined` or null for the set's own
 * @throws TriviumError if the set does not exist, or when it cannot be found out what a lost response has
 *   brought
 */
export function attemptCheckOut(
  client: SecretsClient,
  set: LibrarySetName,
  ttl: number | null | undefined,
): Promise<CheckOutOutcome> {
  const checkOuts = client.part(CheckOuts);
  return checkOuts.turns.run(librarySets.describe(set), async () => {
    const before = await readLibraryStatusIfAllowed(client, set);
    if (before === undefined) {
      throw librarySets.missing(set);
    }
    if (before !== "not allowed" && !hasFreeAccount(before)) {
      return { kind: "none free", accounts: before };
    }
    const askedAt = Date.now();
    try {
      return { kind: "checked out", account: await checkOutAccount(client, set, ttl), askedAt };
    } catch (error) {
      if (mayHaveBeenProcessed(error) && before === "not allowed") {
        throw explain(
          error,
          `An account of the ${librarySets.describe(set)} may nevertheless be checked out until it expires. ` +
            "The library cannot find out which: the token may not read the status of the set.",
        );
      }
      if (mayHaveBeenProcessed(error) && before !== "not allowed") {
        return whatWasTaken(client.afterwards(), { set, ttl, askedAt, before, error });
      }
      // Another client may have taken the last free account.
      if (ServiceError.isInstance(error) && error.status === 400 && before === "not allowed") {
        // Some services return the same status for a missing set.
        if (error.words.some((text) => /doesn't exist|does not exist/i.test(text))) {
          throw error;
        }
        return { kind: "none free", accounts: undefined, error };
      }
      if (ServiceError.isInstance(error) && error.status === 400) {
        const accounts = await readLibraryStatus(client, set);
        if (accounts !== undefined && !hasFreeAccount(accounts)) {
          return { kind: "none free", accounts };
        }
      }
      throw error;
    }
  });
}

/** A check-out whose response was lost. */
interface LostCheckOut {
  readonly set: LibrarySetName;
  readonly ttl: number | null | undefined;
  readonly askedAt: number;
  readonly before: LibraryAccounts;
  readonly error: unknown;
}

async function whatWasTaken(
  client: SecretsClient,
  { set, ttl, askedAt, before, error }: LostCheckOut,
): Promise<CheckOutOutcome> {
  const mine = client.part(CheckOuts).borrower;
  let after: LibraryAccounts;
  let fields: LibrarySetState;
  try {
    after = (await readLibraryStatus(client, set)) ?? {};
    fields = (await librarySets.read(client, set)) ?? {};
  } catch (lookup) {
    throw explain(
      error,
      `An account of the ${librarySets.describe(set)} may nevertheless be checked out, and the search for it failed: ` +
        `${messageOf(lookup)} Check the status of the set (getLibraryStatus) before you try again.`,
    );
  }
  const taken = Object.keys(after).filter((name) => {
    const [former, present] = [borrowerOf(before, name), borrowerOf(after, name)];
    return present !== undefined && (former === undefined || !sameBorrower(former, present));
  });
  const certain = taken.filter((name) => {
    const borrower = borrowerOf(after, name);
    return mine !== undefined && borrower !== undefined && fingerprintOf(borrower) === mine;
  });
  const [serviceAccountName, ...others] = certain.length > 0 ? certain : taken;
  if (serviceAccountName === undefined) {
    throw explain(
      error,
      `According to its status, the request checked out no account of the ${librarySets.describe(set)}. ` +
        "Try again.",
    );
  }
  const borrower = borrowerOf(after, serviceAccountName);
  const proven = certain.length === 1;
  if (others.length > 0 || !(proven || refusesOthers(fields)) || borrower === undefined) {
    throw explain(
      error,
      `These accounts of the ${librarySets.describe(set)} were checked out in the meantime, and the library cannot find out ` +
        `which of them by this request: ${describeHolders(after, taken)}. The password is lost with the response: ` +
        "check in (checkIn) the account that is not in use, and try again.",
    );
  }
  const expiresAt = expiryAfter(client.clock.at(askedAt), shorter(ttl, fields.ttl));
  return {
    kind: "response lost",
    serviceAccountName,
    borrower: fingerprintOf(borrower),
    proven,
    expiresAt,
    error,
  };
}

/** The shorter of two times in seconds, of which 0 is unlimited. */
function shorter(...times: readonly (number | null | undefined)[]): number {
  const limited = times.filter((time): time is number => typeof time === "number" && time > 0);
  return limited.length === 0 ? 0 : Math.min(...limited);
}

/** Whether the service refuses a check-in by anybody but the borrower. */
export function refusesOthers({ disableCheckInEnforcement }: LibrarySetState): boolean {
  return disableCheckInEnforcement === false;
}

function explain(error: unknown, hint: string): TriviumError {
  return TriviumError.isInstance(error)
    ? advisedOtherwise(error, hint)
    : new TriviumError(messageOf(error), { hint, mayHaveBeenProcessed: true });
}
