import { CancelledError, messageOf, TriviumError } from "../../base/errors";
import type { Caller } from "../../base/caller";
import { systemRuntime, type WaitRuntime } from "../../base/runtime";
import type { SecretsClient } from "../client";
import { attemptCheckOut, type CheckOutOutcome } from "./check-out-attempt";
import { describeHolders } from "./library-account";
import { type LibrarySetName, librarySets } from "./library-set";

const firstInterval = 1;
const longestInterval = 10;

/** What to check out, and how long to wait for it. */
export interface CheckOutRequest {
  readonly set: LibrarySetName;
  /** In seconds; `undefined` or null for the set's own. */
  readonly ttl: number | null | undefined;
  /** For a free account, in seconds; `undefined` or null: not at all. */
  readonly waitFor: number | null | undefined;
}

/**
 * Checks out an account and optionally waits for a free one. No lock is held between attempts, so that others
 * get their turn.
 *
 * @throws TriviumError saying who holds what, when no account gets free in time
 */
export async function checkOutWhenFree(
  client: SecretsClient,
  caller: Caller,
  { set, ttl, waitFor }: CheckOutRequest,
  { now, sleep }: WaitRuntime = systemRuntime,
): Promise<Exclude<CheckOutOutcome, { readonly kind: "none free" }>> {
  const begun = now();
  for (let attempts = 1; ; attempts++) {
    const outcome = await attemptCheckOut(client, set, ttl);
    if (outcome.kind !== "none free") {
      if (attempts > 1) {
        // The last progress message stays on the resource's line.
        caller.progress("an account was free");
      }
      return outcome;
    }
    const seconds = (now() - begun) / 1000;
    const waited = Math.round(seconds);
    const left = (waitFor ?? 0) - seconds;
    if (left <= 0) {
      throw noneFree(set, outcome, waitFor ? { waited, waitFor } : undefined);
    }
    caller.progress(`waiting for a free account of ${set.name} (${waited} s of ${String(waitFor)} s)`);
    const interval = Math.min(firstInterval * 2 ** (attempts - 1), longestInterval, left);
    await sleep(interval * 1000, caller.signal).catch(() => {
      throw new CancelledError(
        `Cancelled while waiting for a free account of the ${librarySets.describe(set)}. None was checked out.`,
      );
    });
  }
}

/**
 * What to throw when every account of a set is checked out.
 *
 * @param wait in seconds, where it was waited
 */
function noneFree(
  set: LibrarySetName,
  { accounts, error }: Extract<CheckOutOutcome, { readonly kind: "none free" }>,
  wait?: { readonly waited: number; readonly waitFor: number },
): TriviumError {
  const holders = accounts === undefined ? "" : describeHolders(accounts);
  const which =
    accounts === undefined
      ? `the token may not read the borrowers. ${messageOf(error)}`
      : holders === ""
        ? "it has no accounts"
        : holders;
  return new TriviumError(
    `No account of the ${librarySets.describe(set)} is free: ${which.replace(/\.$/, "")}.`,
    {
      hint:
        wait === undefined
          ? "Wait until an account is checked in, or add accounts to the set. To wait in a program, set waitFor of LibraryCheckout."
          : `No account became free within ${wait.waited} s. To wait longer, raise waitFor (now ${wait.waitFor} s).`,
    },
  );
}
