import { mayHaveBeenProcessed, ServiceError, TriviumError } from "../../http/errors";
import type { Caller } from "../../resource/definition";
import type { SecretsClient } from "../client";
import { isKnownToBeOver } from "../leased";
import { refusesOthers } from "./check-out-attempt";
import { borrowerOf, describeHolders, fingerprintOf } from "./library-account";
import { readLibraryStatus } from "./library-status";
import { checkInAccounts, describeLibrarySet, type LibrarySetName, readLibrarySet } from "./library-wire";

/** An account that was checked out by a resource. */
export interface HeldAccount {
  readonly set: LibrarySetName;
  readonly serviceAccountName: string;
  /** The fingerprint of whom the status named when it was checked out; `undefined` where it is not known. */
  readonly borrower: string | undefined;
  /** It is certain that the borrower was this library. */
  readonly proven: boolean;
  /** When the check-out ends, ISO 8601; what is no time never ends. */
  readonly expiresAt?: unknown;
}

/**
 * Whether an account is still the one that was checked out: nobody has checked it in, or borrowed it since, and its
 * time is not over. Then the service has checked it in by itself, and whoever borrows it now is somebody else.
 */
export async function isStillHeld(
  client: SecretsClient,
  { set, serviceAccountName, borrower, expiresAt }: HeldAccount,
): Promise<boolean> {
  if (isKnownToBeOver(client, expiresAt)) {
    return false;
  }
  const status = await readLibraryStatus(client, set);
  if (isKnownToBeOver(client, expiresAt)) {
    return false;
  }
  const present = status === undefined ? undefined : borrowerOf(status, serviceAccountName);
  if (present === undefined || borrower === undefined) {
    return present !== undefined;
  }
  const now = fingerprintOf(present);
  if (now === undefined) {
    throw new TriviumError(
      `The status of the ${describeLibrarySet(set)} does not say who has checked out ${serviceAccountName}, as it ` +
        "did when this resource had.",
      { hint: "Whether it is still this resource's cannot be told. State is kept." },
    );
  }
  return now === borrower;
}

/** Whether an account is there for anybody to check out. */
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
 * @param force check it in whoever the caller is now, which takes the right to do so
 */
export async function returnAccount(
  client: SecretsClient,
  caller: Caller,
  held: HeldAccount,
  force: boolean,
): Promise<void> {
  const { set, serviceAccountName, proven } = held;
  if (!(await isStillHeld(client, held))) {
    return;
  }
  const account = `${serviceAccountName} of the ${describeLibrarySet(set)}`;
  if (!proven && !refusesOthers((await readLibrarySet(client, set)) ?? {})) {
    const status = (await readLibraryStatus(client, set)) ?? {};
    caller.announce(
      "warning",
      `It is not certain that ${account} was checked out by this resource, so it is left as it is: ` +
        `${describeHolders(status, [serviceAccountName])}. If nobody uses it, check it in with checkIn.`,
    );
    return;
  }
  try {
    await checkInAccounts(client, set, [serviceAccountName], force && proven);
  } catch (error) {
    if (mayHaveBeenProcessed(error)) {
      if (await isStillHeld(client.afterwards(), held)) {
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
    if (!proven) {
      caller.announce("information", `${account} was checked out by somebody else, and is left as it is.`);
      return;
    }
    throw new TriviumError(error.message, {
      hint:
        "The service lets only the token, or the entity, check it in that has checked it out. Use one of them, or set " +
        "force: true with a token that may use the manage path; or wait until the check-out has ended.",
    });
  }
}
