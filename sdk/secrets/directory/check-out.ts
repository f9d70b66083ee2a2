import { createHash } from "node:crypto";
import type { Caller } from "../../base/caller";
import {
  advisedOtherwise,
  CancelledError,
  mayHaveBeenProcessed,
  messageOf,
  ServiceError,
  TriviumError,
} from "../../base/errors";
import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { systemRuntime, type WaitRuntime } from "../../base/runtime";
import { Turns } from "../../base/turns";
import { nameInResponse } from "../../resource/fields/schemas";
import type { SecretsClient } from "../client";
import { expiryAfter, explainLostResponse, isKnownToBeOver } from "../leased";
import type { Lease } from "../response";
import {
  borrowed,
  describeHolders,
  type LibraryAccount,
  type LibraryAccounts,
  type LibrarySetName,
  librarySets,
  readLibraryStatus,
  readLibraryStatusIfAllowed,
  repeatedName,
} from "./library-set";

export interface HeldAccount {
  readonly set: LibrarySetName;
  readonly serviceAccountName: string;
  /** The borrower's fingerprint in the status after the check-out; `undefined` if not known. */
  readonly borrower: string | undefined;
  /** Certainly checked out by this library; otherwise only the service can decide at check-in. */
  readonly proven: boolean;
  /** ISO 8601; anything else never expires. */
  readonly expiresAt?: unknown;
}

type CheckOutOutcome =
  | { readonly account: CheckedOutAccount; readonly askedAt: number }
  | { readonly lost: HeldAccount; readonly error: unknown };

/** State shared by this process's check-outs. */
export class CheckOuts {
  /** One attempt at a time per set, so that this process can tell its own check-outs apart. */
  readonly turns = new Turns();
  /** The fingerprint of this process's check-outs. */
  borrower: string | undefined;
}

/** Hashed: no document promises that the borrower in the status is not the token itself. */
export function fingerprintOf(account: LibraryAccount | undefined): string | undefined {
  const borrower = [account?.borrowerClientToken ?? null, account?.borrowerEntityId ?? null];
  return borrower.every((part) => part === null)
    ? undefined
    : createHash("sha256").update(JSON.stringify(borrower)).digest("base64url").slice(0, 16);
}

interface CheckedOutAccount {
  readonly serviceAccountName: string;
  readonly password: string;
  readonly lease: Lease;
}

/** Not retried once the service may have processed it. */
export async function checkOutAccount(
  client: SecretsClient,
  set: LibrarySetName,
  ttl: number | null | undefined,
): Promise<CheckedOutAccount> {
  const { data, lease } = await client.issue({
    summary: `check out an account of the ${librarySets.describe(set)}`,
    method: "POST",
    path: path`/${mountPath(set.mount)}/library/${set.name}/check-out`,
    body: { ...repeatedName(client, set), ...(typeof ttl === "number" ? { ttl } : {}) },
    data: (z) => z.object({ service_account_name: nameInResponse(z), password: z.string() }),
  });
  processRedactor.register(data.password);
  return { serviceAccountName: data.service_account_name, password: data.password, lease };
}

export interface CheckOutRequest {
  readonly set: LibrarySetName;
  /** In seconds; the set's own by default. */
  readonly ttl: number | null | undefined;
  /** In seconds; no wait by default. */
  readonly waitFor: number | null | undefined;
}

/** In seconds; pauses double from one second. */
const longestInterval = 10;

/** Holds no lock between attempts. A lost check-out is not retried: the status shows which account it took. */
export async function checkOutWhenFree(
  client: SecretsClient,
  caller: Caller,
  { set, ttl, waitFor }: CheckOutRequest,
  { now, sleep }: WaitRuntime = systemRuntime,
): Promise<CheckOutOutcome> {
  const name = librarySets.describe(set);
  const begun = now();
  for (let interval = 1; ; interval = Math.min(2 * interval, longestInterval)) {
    const outcome = await client.part(CheckOuts).turns.run(name, () => attemptCheckOut(client, set, ttl));
    if (!("noneFree" in outcome)) {
      if (interval > 1) {
        // The CLI keeps showing the last progress message.
        caller.progress("an account was free");
      }
      return outcome;
    }
    const seconds = (now() - begun) / 1000;
    const waited = Math.round(seconds);
    const left = (waitFor ?? 0) - seconds;
    if (left <= 0) {
      throw new TriviumError(`No account of the ${name} is free: ${outcome.noneFree}.`, {
        advice: waitFor
          ? `No account became free within ${waited} s. To wait longer, raise waitFor (now ${waitFor} s).`
          : "Wait until an account is checked in, or add accounts to the set. To wait in a program, set waitFor of LibraryCheckout.",
      });
    }
    caller.progress(`waiting for a free account of ${set.name} (${waited} s of ${String(waitFor)} s)`);
    await sleep(Math.min(interval, left) * 1000, caller.signal).catch(() => {
      throw new CancelledError(
        `Cancelled while waiting for a free account of the ${name}. None was checked out.`,
      );
    });
  }
}

function noneFreeOf(accounts: LibraryAccounts): string | undefined {
  const isFree = Object.values(accounts).some(({ available }) => available);
  return isFree ? undefined : describeHolders(accounts) || "it has no accounts";
}

async function attemptCheckOut(
  client: SecretsClient,
  set: LibrarySetName,
  ttl: number | null | undefined,
): Promise<CheckOutOutcome | { readonly noneFree: string }> {
  const before = await readLibraryStatusIfAllowed(client, set);
  if (before === undefined) {
    throw librarySets.missing(set);
  }
  const noneFree = before === "not allowed" ? undefined : noneFreeOf(before);
  if (noneFree !== undefined) {
    return { noneFree };
  }
  const askedAt = Date.now();
  try {
    return { account: await checkOutAccount(client, set, ttl), askedAt };
  } catch (error) {
    if (mayHaveBeenProcessed(error)) {
      return { lost: await whatWasTaken(client.afterwards(), { set, ttl, askedAt, before, error }), error };
    }
    const mayBeNone = ServiceError.isInstance(error) && error.status === 400;
    // Some services return 400 for a missing set too.
    if (!mayBeNone || error.messages.some((text) => /doesn't exist|does not exist/i.test(text))) {
      throw error;
    }
    if (before === "not allowed") {
      return { noneFree: `the token may not read the borrowers. ${messageOf(error).replace(/\.$/, "")}` };
    }
    // Another client may have taken the last free account.
    const quicker = noneFreeOf((await readLibraryStatus(client, set)) ?? {});
    if (quicker === undefined) {
      throw error;
    }
    return { noneFree: quicker };
  }
}

interface LostCheckOut {
  readonly set: LibrarySetName;
  readonly ttl: number | null | undefined;
  readonly askedAt: number;
  readonly before: LibraryAccounts | "not allowed";
  readonly error: unknown;
}

async function whatWasTaken(
  client: SecretsClient,
  { set, ttl, askedAt, before, error }: LostCheckOut,
): Promise<HeldAccount> {
  const name = librarySets.describe(set);
  const maybe = `An account of the ${name} may nevertheless be checked out`;
  if (before === "not allowed") {
    throw explainLostResponse(
      error,
      `${maybe} until it expires. The library cannot find out which: the token may not read the status of the set.`,
    );
  }
  const [after = {}, fields] = await Promise.all([
    readLibraryStatus(client, set),
    librarySets.read(client, set),
  ]).catch((lookup: unknown): never => {
    throw explainLostResponse(
      error,
      `${maybe}, and the search for it failed: ${messageOf(lookup)} ` +
        "Check the status of the set (getLibraryStatus) before you try again.",
    );
  });
  const borrowerOf = (account: string): string | undefined => fingerprintOf(borrowed(after, account));
  const taken = Object.keys(after).filter((account) => {
    const former = borrowed(before, account);
    const isSame = former !== undefined && fingerprintOf(former) === borrowerOf(account);
    return borrowed(after, account) !== undefined && !isSame;
  });
  const ours = client.part(CheckOuts).borrower;
  const certain = taken.filter((account) => ours !== undefined && borrowerOf(account) === ours);
  const proven = certain.length > 0;
  const [serviceAccountName, ...others] = proven ? certain : taken;
  if (serviceAccountName === undefined) {
    throw explainLostResponse(
      error,
      `According to its status, the request checked out no account of the ${name}. Try again.`,
    );
  }
  if (others.length > 0 || !(proven || fields?.disableCheckInEnforcement === false)) {
    throw explainLostResponse(
      error,
      `These accounts of the ${name} were checked out in the meantime, and the library cannot find out ` +
        `which of them by this request: ${describeHolders(after, taken)}. The password is lost with the response: ` +
        "check in (checkIn) the account that is not in use, and try again.",
    );
  }
  const limits = [ttl, fields?.ttl].flatMap((limit) => limit || []);
  const expiresAt = expiryAfter(client.clock.at(askedAt), limits.length > 0 ? Math.min(...limits) : 0);
  return { set, serviceAccountName, borrower: borrowerOf(serviceAccountName), proven, expiresAt };
}

type Holding = "held" | "ended" | "not allowed";

/** Ended: the check-out has expired, or somebody has checked the account in or out since. */
export async function holdingOf(
  client: SecretsClient,
  { set, serviceAccountName, borrower, expiresAt }: HeldAccount,
): Promise<Holding> {
  if (isKnownToBeOver(client, expiresAt)) {
    return "ended";
  }
  const status = await readLibraryStatusIfAllowed(client, set);
  // Only this response may have told the service's time.
  if (isKnownToBeOver(client, expiresAt)) {
    return "ended";
  }
  if (status === "not allowed") {
    return status;
  }
  const present = borrowed(status, serviceAccountName);
  if (present === undefined || borrower === undefined) {
    return present === undefined ? "ended" : "held";
  }
  const now = fingerprintOf(present);
  if (now === undefined) {
    throw new TriviumError(
      `The status of the ${librarySets.describe(set)} no longer names the borrower of ${serviceAccountName}, as it ` +
        "did when this resource checked it out.",
      {
        advice:
          "The library cannot verify that the check-out still belongs to this resource. State is unchanged.",
      },
    );
  }
  return now === borrower ? "held" : "ended";
}

/**
 * Not retried once the service may have processed it: another client may have borrowed the accounts since.
 *
 * @param accounts `undefined` for the only one that is checked out
 * @param manage use the path for privileged callers, where the borrower does not matter
 */
export async function checkInAccounts(
  client: SecretsClient,
  set: LibrarySetName,
  accounts: readonly string[] | undefined,
  manage: boolean,
): Promise<readonly string[]> {
  const mount = mountPath(set.mount);
  const names = accounts?.join(", ") ?? "the account";
  const what = names.length > 200 ? `${accounts?.length ?? 0} accounts` : names;
  const data = await client.act({
    summary: `check in ${what} of the ${librarySets.describe(set)}`,
    path: manage
      ? path`/${mount}/library/manage/${set.name}/check-in`
      : path`/${mount}/library/${set.name}/check-in`,
    body: {
      ...repeatedName(client, set),
      ...(accounts === undefined ? {} : { service_account_names: accounts }),
    },
    data: (z) => z.object({ check_ins: z.array(z.string()).nullish() }),
  });
  return data?.check_ins ?? [];
}

/** If the borrower is not certain, the service decides: it rejects a check-in by anybody else. */
export async function returnAccount(
  client: SecretsClient,
  { announce }: Caller,
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
  if (!proven && !(await refusesOthers(client, set, holding))) {
    const message = `The library cannot verify that ${account} was checked out by this resource, so it stays checked out.`;
    announce("warning", `${message} If it is not in use, check it in with checkIn.`);
    return;
  }
  if (holding === "not allowed") {
    announce("warning", withoutProof(set, serviceAccountName));
  }
  try {
    await checkInAccounts(client, set, [serviceAccountName], force && proven);
  } catch (error) {
    if (mayHaveBeenProcessed(error) && (await holdingOf(client.afterwards(), held)) === "ended") {
      return;
    }
    // The status of a rejection is not documented; 403 may also mean that the token has no permission at all.
    const refusals = [400, 409, 422, ...(proven ? [403] : [])];
    if (!ServiceError.isInstance(error) || !refusals.includes(error.status)) {
      throw error;
    }
    if (proven) {
      throw advisedOtherwise(
        error,
        "Only the token or the entity that checked it out can check it in. Use one of them, or set " +
          "force: true with a token that may use the manage path, or wait until the check-out expires.",
      );
    }
    announce("warning", `${account} stays checked out: ${error.message}`);
  }
}

/** A set that may not be read counts as enforcing check-in by the borrower, the default. */
async function refusesOthers(client: SecretsClient, set: LibrarySetName, holding: Holding): Promise<boolean> {
  try {
    const fields = await librarySets.read(client, set);
    return fields?.disableCheckInEnforcement === false;
  } catch (error) {
    if (holding === "not allowed" && ServiceError.isInstance(error) && error.status === 403) {
      return true;
    }
    throw error;
  }
}

export function withoutProof(set: LibrarySetName, account: string): string {
  return (
    `The token may not read the status of the ${librarySets.describe(set)}, so the library cannot verify who checked out ${account}: ` +
    "until it expires, it counts as checked out, and the service decides who may check it in."
  );
}
