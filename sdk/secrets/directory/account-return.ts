import { advisedOtherwise, mayHaveBeenProcessed, ServiceError, TriviumError } from "../../base/errors";
import type { Caller } from "../../base/caller";
import type { SecretsClient } from "../client";
import { isKnownToBeOver } from "../leased";
import { refusesOthers } from "./check-out-attempt";
import { borrowerOf, describeHolders, fingerprintOf } from "./library-account";
import { checkInAccounts } from "./check-in";
import {
  type LibrarySetName,
  librarySets,
  readLibraryStatus,
  readLibraryStatusIfAllowed,
} from "./library-set";

/** An account that was checked out by a resource. */
export interface HeldAccount {
  readonly set: LibrarySetName;
  readonly serviceAccountName: string;
  /** The fingerprint of whom the status named when it was checked out; `undefined` where it is not known. */
  readonly borrower: string | undefined;
  /** The borrower was certainly this library. */
  readonly proven: boolean;
  /** When the check-out ends, ISO 8601; what is no time never ends. */
  readonly expiresAt?: unknown;
}

/** What the status returns about a check-out; `"not allowed"` where the token may not read it. */
export type Holding = "held" | "ended" | "not allowed";

/**
 * Whether an account is still the one that was checked out: nobody has checked it in, or borrowed it since,
 * and its time is not over. Then the service has checked it in, and the current borrower is another client.
 */
export async function holdingOf(
  client: SecretsClient,
  { set, serviceAccountName, borrower, expiresAt }: HeldAccount,
): Promise<Holding> {
  if (isKnownToBeOver(client, expiresAt)) {
    return "ended";
  }
  const status = await readLibraryStatusIfAllowed(client, set);
  if (isKnownToBeOver(client, expiresAt)) {
    return "ended";
  }
  if (status === "not allowed") {
    return status;
  }
  const present = status === undefined ? undefined : borrowerOf(status, serviceAccountName);
  if (present === undefined || borrower === undefined) {
    return present === undefined ? "ended" : "held";
  }
  const now = fingerprintOf(present);
  if (now === undefined) {
    throw new TriviumError(
      `The status of the ${librarySets.describe(set)} no longer names the borrower of ${serviceAccountName}, as it ` +
        "did when this resource checked it out.",
      {
        hint: "The library cannot verify that the check-out still belongs to this resource. State is unchanged.",
      },
    );
  }
  return now === borrower ? "held" : "ended";
}

/** Whether an account is available. */
export async function isAvailable(
  client: SecretsClient,
  { set, serviceAccountName }: HeldAccount,
): Promise<boolean> {
  const status = (await readLibraryStatus(client, set)) ?? {};
  return Object.hasOwn(status, serviceAccountName) && status[serviceAccountName]?.available === true;
}

/**
 * Checks an account in if it is still held, and no other one. Where it is not certain who holds it, the service
 * decides: it refuses a check-in by anybody else.
 *
 * @param force check it in as a privileged caller, even with another token
 */
export async function returnAccount(
  client: SecretsClient,
  caller: Caller,
  held: HeldAccount,
  force: boolean,
): Promise<void> {
  const { set, serviceAccountName } = held;
  const holding = await holdingOf(client, held);
  if (holding === "ended") {
    return;
  }
  const account = `${serviceAccountName} of the ${librarySets.describe(set)}`;
  const proven = held.proven && holding === "held";
  if (holding === "not allowed") {
    caller.announce(
      "warning",
      `The token may not read the status of the ${librarySets.describe(set)}, so the library cannot verify that ` +
        `${serviceAccountName} is still checked out by this resource. The service decides whether to check it in.`,
    );
    if (await letsOthersCheckIn(client, set)) {
      caller.announce(
        "warning",
        `${account} stays checked out: the set lets any caller check it in, which would take it from its current ` +
          "borrower. It is checked in when its check-out expires, or with checkIn.",
      );
      return;
    }
  } else if (!proven && !refusesOthers((await librarySets.read(client, set)) ?? {})) {
    const status = (await readLibraryStatus(client, set)) ?? {};
    caller.announce(
      "warning",
      `The library cannot verify that ${account} was checked out by this resource, so it stays checked out: ` +
        `${describeHolders(status, [serviceAccountName])}. If it is not in use, check it in with checkIn.`,
    );
    return;
  }
  try {
    await checkInAccounts(client, set, [serviceAccountName], force && proven);
  } catch (error) {
    if (mayHaveBeenProcessed(error)) {
      if ((await holdingOf(client.afterwards(), held)) !== "ended") {
        throw error;
      }
      return;
    }
    // With which status the service refuses is not documented; 403 may also mean that the token has no right at all.
    if (
      !ServiceError.isInstance(error) ||
      ![400, 409, 422, ...(proven ? [403] : [])].includes(error.status)
    ) {
      throw error;
    }
    if (holding === "not allowed") {
      caller.announce("warning", `${account} stays checked out: ${error.message}`);
      return;
    }
    if (!proven) {
      caller.announce("information", `${account} was checked out by another caller and stays checked out.`);
      return;
    }
    throw advisedOtherwise(
      error,
      "Only the token or the entity that checked it out can check it in. Use one of them, or set " +
        "force: true with a token that may use the manage path, or wait until the check-out expires.",
    );
  }
}

/** Whether it is known that anybody may check in the accounts of a set; a set that may not be read enforces it, as is usual. */
async function letsOthersCheckIn(client: SecretsClient, set: LibrarySetName): Promise<boolean> {
  try {
    const fields = await librarySets.read(client, set);
    return fields?.disableCheckInEnforcement === true;
  } catch (error) {
    if (ServiceError.isInstance(error) && error.status === 403) {
      return false;
    }
    throw error;
  }
}
