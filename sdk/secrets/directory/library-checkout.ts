import { createHash } from "node:crypto";
import type * as pulumi from "@pulumi/pulumi";
import {
  advisedOtherwise,
  CancelledError,
  mayHaveBeenProcessed,
  messageOf,
  onStatus,
  ServiceError,
  TriviumError,
  unlessForbidden,
} from "../../base/errors";
import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { builtOnce } from "../../base/schema";
import { systemRuntime, KeyedMutex, type WaitRuntime } from "../../base/timing";
import { scriptForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import {
  defineResource,
  type Look,
  type PrivateStateOf,
  type RemoteObject,
  type RemoteState,
} from "../../resource/definition";
import { type Current, type Desired, Fields, output, snakeCase } from "../../resource/fields/field";
import { commaSeparated, flag, nameInResponse, text, isGiven } from "../../resource/fields/kinds";
import { seconds, writtenSeconds } from "../seconds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf, ValuesOf } from "../../resource/fields/rows";
import { TriviumResource } from "../../resource/program/base";
import type { SecretsClient } from "../client";
import { endOf, expiryAfter, hasLease, isKnownToBeOver, leaseEnd, revokeLease } from "../leased";
import { libraryDuration } from "../shared-rows";
import { mountedId } from "../mount";
import { secretsService } from "../service";
import {
  accountNames,
  borrowed,
  checkInAccounts,
  describeHolders,
  type LibraryAccount,
  type LibraryAccounts,
  type LibrarySetName,
  librarySets,
  readLibraryStatus,
  repeatedName,
} from "./library-set";
import { librarySetName } from "./names";

const checkOutResultRows = {
  /** The account's name. */
  serviceAccountName: output(text()),
  /** The account's password. Secret. */
  password: output(text({ secret: true })),
  /** The lease ID; empty if the service does not return one. */
  leaseId: output(text()),
  /** How long the check-out lasts, in seconds; 0 for no limit. */
  leaseDuration: output(seconds()),
  /** Whether the lease can be renewed. */
  renewable: output(flag()),
};

const rows = {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change checks the account in
   * and checks another one out.
   *
   * @default "ldap"
   */
  mount: librarySetName.mount,
  /** The name of the library set. A change checks the account in and checks another one out. */
  setName: librarySetName.name,
  /**
   * How long the check-out can last: seconds, or a duration such as `"8h"`; at most the set's `ttl`. 0 means
   * no limit if the set has no limit either. The output is in seconds; null for as long as the set allows. A
   * change checks the account in and checks another one out.
   *
   * @default the set's `ttl`
   */
  ttl: seconds({ optional: true, told: "kept", nullable: true, replaces: true }),
  /**
   * Check the account in through the privileged "manage" path. Use this in pipelines that destroy with a different
   * token than they create with. A change does not send a request.
   *
   * @default false
   */
  force: flag({ optional: true, local: "state" }),
  /**
   * How long to wait for a free account if all are checked out: seconds, or a duration such as `"10m"`; the output is
   * as written. A change does not send a request.
   *
   * @default do not wait: the creation fails with an error that names the borrowers
   */
  waitFor: libraryDuration,
  ...checkOutResultRows,
  /**
   * When the check-out expires: ISO 8601 in UTC; null if it never expires, or if the service does not return
   * the time.
   */
  expiresAt: output(text({ nullable: true })),
};

const fields = new Fields(rows, snakeCase);

/** The arguments of a {@link LibraryCheckout}. */
export interface LibraryCheckoutArgs extends ArgsOf<typeof rows>, Named {}

type DesiredCheckOut = Desired<typeof fields.rows>;

/** The fingerprint of the borrower in this process's check-outs. */
class OwnBorrower {
  fingerprint: string | undefined;
}

/**
 * Hashed, because the documentation does not promise that the borrower in the status is not the token itself.
 */
function fingerprintOf(account: LibraryAccount | undefined): string | undefined {
  const borrower = [account?.borrowerClientToken ?? null, account?.borrowerEntityId ?? null];
  return borrower.every((part) => part === null)
    ? undefined
    : createHash("sha256").update(JSON.stringify(borrower)).digest("base64url").slice(0, 16);
}

/**
 * `proven`: this library has certainly checked out the account. Otherwise only the service can decide at
 * check-in.
 */
const privateState = builtOnce((z) =>
  z.object({
    borrower: z.string().optional().catch(undefined),
    proven: z.boolean().optional().catch(undefined),
  }),
);

type PrivateState = PrivateStateOf<typeof privateState>;

function borrowerState(borrower: string | undefined, proven = true): PrivateState {
  return borrower === undefined ? { proven: false } : { proven, borrower };
}

const notAllowed = "not allowed";

/** The status, if the token is allowed to read it: this is a separate permission. */
const readStatus = (client: SecretsClient, set: LibrarySetName) =>
  readLibraryStatus(client, set).catch(unlessForbidden(notAllowed));

type CheckOutRequest = LibrarySetName & {
  /** In seconds. Default: the set's TTL. */
  readonly ttl?: number | null | undefined;
  /** In seconds. Default: no wait. */
  readonly waitFor?: number;
};

/** @internal Not retried once the service might have processed the request. */
export async function checkOutAccount(client: SecretsClient, set: CheckOutRequest): Promise<CheckOutResult> {
  const { data, lease, renewable } = await client.issue({
    summary: `check out an account of the ${librarySets.describe(set)}`,
    method: "POST",
    path: path`/${mountPath(set.mount)}/library/${set.name}/check-out`,
    body: { ...repeatedName(client, set), ttl: writtenSeconds(set.ttl ?? null) ?? undefined },
    data: (z) => z.object({ service_account_name: nameInResponse(z), password: z.string() }),
  });
  const { service_account_name: serviceAccountName, password } = data;
  processRedactor.register(password);
  return { serviceAccountName, password, ...lease, renewable };
}

/** The status before a check-out. */
interface SeenStatus {
  readonly accounts: LibraryAccounts | typeof notAllowed;
  /** By this machine's clock. */
  readonly at: number;
}

/** No account is free now, and this call did not check one out. */
class NoneFree extends TriviumError {}

/** In seconds. Pauses start at one second and double each time. */
const longestInterval = 10;

/** @internal Repeats the attempt until an account is free. Holds no lock between attempts. */
export async function whenFree<Result>(
  client: SecretsClient,
  request: CheckOutRequest,
  attempt: () => Promise<Result>,
  { now, sleep }: WaitRuntime = systemRuntime,
): Promise<Result> {
  const name = librarySets.describe(request);
  const { waitFor = 0 } = request;
  const begun = now();
  for (let interval = 1; ; interval = Math.min(2 * interval, longestInterval)) {
    try {
      // One attempt at a time per set, so that this process can tell its own check-outs apart.
      const result = await client.sharedState(KeyedMutex).run(name, attempt);
      if (interval > 1) {
        // The CLI keeps showing the last progress message.
        client.caller.progress("an account was free");
      }
      return result;
    } catch (error) {
      if (!(error instanceof NoneFree)) {
        throw error;
      }
      const waited = (now() - begun) / 1000;
      const left = waitFor - waited;
      if (left <= 0) {
        throw new TriviumError(`No account of the ${name} is free: ${error.message}.`, {
          advice: waitFor
            ? `No account became free within ${waitFor} s. To wait longer, raise waitFor.`
            : "Wait until an account is checked in, or add accounts to the set. To wait in a program, set waitFor of LibraryCheckout.",
        });
      }
      const progress = `${Math.round(waited)} s of ${waitFor} s`;
      client.caller.progress(`waiting for a free account of ${request.name} (${progress})`);
      await sleep(Math.min(interval, left) * 1000, client.caller.signal).catch(() => {
        throw new CancelledError(
          `Canceled while waiting for a free account of the ${name}. None was checked out.`,
        );
      });
    }
  }
}

/** @returns `undefined` if an account is free, or might be */
function whyNoneFree(status: LibraryAccounts | typeof notAllowed | undefined): string | undefined {
  const accounts = status === notAllowed ? undefined : status;
  const mayBeFree = accounts === undefined || Object.values(accounts).some(({ available }) => available);
  return mayBeFree ? undefined : describeHolders(accounts) || "it has no accounts";
}

/** @throws NoneFree with the borrowers of the accounts */
async function statusBefore(client: SecretsClient, set: LibrarySetName): Promise<SeenStatus> {
  const accounts = await readStatus(client, set);
  if (accounts === undefined) {
    throw librarySets.missing(set);
  }
  const noneFree = whyNoneFree(accounts);
  if (noneFree !== undefined) {
    throw new NoneFree(noneFree);
  }
  return { accounts, at: Date.now() };
}

/** @throws NoneFree if another client has taken the last free account */
async function checkOutFree(client: SecretsClient, set: CheckOutRequest, accounts?: SeenStatus["accounts"]) {
  return checkOutAccount(client, set).catch(
    onStatus([400], async (error) => {
      // Some services also return this status for a missing set.
      const mayBeFree = error.mayHaveBeenProcessed || /n[o']t exist/i.test(error.message);
      const noneLeft = mayBeFree
        ? undefined
        : accounts === notAllowed
          ? `the token is not allowed to read the borrowers. ${error.message.replace(/\.$/, "")}`
          : whyNoneFree(await readLibraryStatus(client, set));
      throw noneLeft === undefined ? error : new NoneFree(noneLeft);
    }),
  );
}

/** A lost check-out is not retried: the difference between two statuses shows which account it took. */
async function findLostAccount(
  client: SecretsClient,
  set: CheckOutRequest,
  { accounts: before }: SeenStatus,
) {
  const name = librarySets.describe(set);
  const maybe = `An account of the ${name} might still be checked out`;
  if (before === notAllowed) {
    throw new TriviumError(
      `${maybe} until it expires. The library cannot tell which, because the token is not allowed to read the status of the set.`,
    );
  }
  const [after, fields] = await Promise.all([
    readLibraryStatus(client, set),
    librarySets.read(client, set),
  ]).catch((failure: unknown) => {
    throw new TriviumError(
      `${maybe}, but looking for it failed: ${messageOf(failure)} Check the status of the set (getLibraryStatus) before you try again.`,
    );
  });
  const borrowerOf = (account: string) => fingerprintOf(borrowed(after, account));
  const taken = Object.keys(after ?? {}).filter((account) => {
    const former = borrowed(before, account);
    const isSame = former !== undefined && fingerprintOf(former) === borrowerOf(account);
    return borrowed(after, account) !== undefined && !isSame;
  });
  const own = client.sharedState(OwnBorrower).fingerprint;
  const ours = taken.filter((account) => own !== undefined && borrowerOf(account) === own);
  const proven = ours.length > 0;
  const [serviceAccountName, ...others] = proven ? ours : taken;
  if (serviceAccountName === undefined) {
    throw new TriviumError(
      `According to the status of the ${name}, the request did not check out an account. Try again.`,
    );
  }
  // Where the borrower is enforced, the service rejects the check-in of an account that another client has taken.
  const mayCheckIn = proven || fields?.disableCheckInEnforcement === false;
  if (others.length > 0 || !mayCheckIn) {
    throw new TriviumError(
      `These accounts of the ${name} were checked out in the meantime, and the library cannot tell ` +
        `which of them this request checked out: ${describeHolders(after ?? {}, taken)}. The password is lost with the response: ` +
        "check in (checkIn) the account that is not in use, and try again.",
    );
  }
  // Nothing follows from a unit that the library does not know.
  const limits = [set.ttl, fields?.ttl].map((limit) =>
    typeof limit === "number" && limit > 0 ? limit : Number.POSITIVE_INFINITY,
  );
  return {
    serviceAccountName,
    leaseDuration: Math.min(...limits),
    privateState: borrowerState(borrowerOf(serviceAccountName), proven),
    explanation: `According to the status of the ${name}, ${serviceAccountName} was checked out in the meantime; its password is lost.`,
  };
}

type HeldAccount = ReturnType<typeof heldBy>;

/** A check-out in state. */
function heldBy({ borrower, proven }: PrivateState, current: Current<typeof rows>) {
  const { mount, setName, serviceAccountName, leaseId, expiresAt } = current;
  return {
    leaseId,
    set: { mount: String(mount), name: String(setName) },
    account: String(serviceAccountName),
    borrower,
    proven: borrower !== undefined && proven === true,
    expiresAt,
  };
}

type Holding = "held" | "ended" | "unknown" | typeof notAllowed;

interface Found {
  readonly holding: Holding;
  /** When the check-out ends, according to the service's lease or, without one, to state. */
  readonly expiresAt: unknown;
  /**
   * Whether the end in state has passed and no lease shows a different one: the same borrower might then have
   * the account for somebody else.
   */
  readonly isPast: boolean;
}

/**
 * Whether the check-out has ended: its lease has ended, or somebody has checked the account in or out since.
 * Unknown if the status no longer names a borrower. The service's status takes precedence; the expiry time in
 * state only decides if the status does not.
 */
async function holdingOf(client: SecretsClient, held: HeldAccount): Promise<Found> {
  const lease = await client.lookUpLease(held.leaseId);
  const expiresAt = leaseEnd(client, lease, held.expiresAt);
  if (lease === false || (lease !== undefined && isKnownToBeOver(client, expiresAt))) {
    return { holding: "ended", expiresAt, isPast: true };
  }
  const status = await readStatus(client, held.set);
  const holding = status === notAllowed ? notAllowed : holdingIn(status, held);
  const isUnclear = holding === "unknown" || holding === notAllowed;
  const isPast = lease === undefined && isKnownToBeOver(client, expiresAt);
  return { holding: isUnclear && isPast ? "ended" : holding, expiresAt, isPast };
}

function holdingIn(status: LibraryAccounts | undefined, { account, borrower }: HeldAccount) {
  const present = borrowed(status, account);
  const fingerprint = fingerprintOf(present);
  if (present !== undefined && borrower !== undefined && fingerprint === undefined) {
    return "unknown";
  }
  const isSame = borrower === undefined || borrower === fingerprint;
  return present !== undefined && isSame ? "held" : "ended";
}

/**
 * Whether only the borrower can check in. This is the default, and is assumed if the token is not allowed to read
 * the status or the set.
 */
async function mayCheckIn(client: SecretsClient, set: LibrarySetName, holding: Holding): Promise<boolean> {
  const reading = librarySets.read(client, set);
  const fields = await (holding === notAllowed ? reading.catch(unlessForbidden(notAllowed)) : reading);
  return fields === notAllowed || fields?.disableCheckInEnforcement === false;
}

/** If the borrower is not certain, the service decides: it rejects a check-in by anybody else. */
async function returnAccount(client: SecretsClient, held: HeldAccount, force: boolean): Promise<void> {
  const { announce } = client.caller;
  const { set, account } = held;
  const { holding, isPast } = await holdingOf(client, held);
  if (holding === "ended") {
    return;
  }
  const described = `${account} of the ${librarySets.describe(set)}`;
  const proven = held.proven && holding === "held";
  if (isPast || (!proven && !(await mayCheckIn(client, set, holding)))) {
    const message = `The library cannot verify that ${described} was checked out by this resource, so it stays checked out.`;
    announce("warning", `${message} If it is not in use, check it in with checkIn.`);
    return;
  }
  try {
    await checkInAccounts(client, set, [account], force && proven);
  } catch (error) {
    if (mayHaveBeenProcessed(error) && (await holdingOf(client.afterwards(), held)).holding === "ended") {
      return;
    }
    // The status of a rejection is not documented; 403 can also mean that the token has no permission at all.
    const refusals = [400, 409, 422, ...(proven ? [403] : [])];
    if (!ServiceError.isInstance(error) || !refusals.includes(error.status)) {
      throw error;
    }
    if (proven) {
      throw advisedOtherwise(
        error,
        "Only the token or the entity that checked it out can check it in. Use one of them, or set " +
          "force: true with a token that is allowed to use the manage path, or wait until the check-out expires.",
      );
    }
    announce("warning", `${described} stays checked out: ${error.message}`);
  }
}

function describeCheckOut({ setName, serviceAccountName }: RemoteState): string {
  return `The check-out of ${String(serviceAccountName)} of the set ${String(setName)}`;
}

function requestOf({ mount, setName, ttl, waitFor }: DesiredCheckOut): CheckOutRequest {
  return { mount, name: setName, ttl, waitFor: Number(waitFor ?? 0) };
}

function checkedOut(
  client: SecretsClient,
  { mount, setName, ttl }: DesiredCheckOut,
  account: Pick<CheckOutResult, "serviceAccountName" | "leaseDuration"> & Partial<CheckOutResult>,
  askedAt: number,
): RemoteObject {
  const { serviceAccountName, leaseDuration } = account;
  const expiresAt = expiryAfter(client.clock.at(askedAt), leaseDuration);
  return {
    id: account.leaseId || mountedId(mount, setName, serviceAccountName, new Date(askedAt).toISOString()),
    state: { mount, setName, ttl: ttl ?? null, ...account, expiresAt },
  };
}

/** @internal */
export const libraryCheckoutDefinition = defineResource(secretsService, fields)(
  "secrets/directory:LibraryCheckout",
  {
    privateState,
    // A new check-out in addition to the old one would need a second account.
    deleteBeforeReplace: true,
    ending(outputs, _inputs, now) {
      const checkOut = describeCheckOut(outputs);
      if (!isGiven(outputs.password)) {
        const reason = `${checkOut} has no password, because its response was lost,`;
        return { reason, isOver: true, mayDiffer: false };
      }
      const end = endOf(checkOut, outputs, {}, now);
      return end && { ...end, mayDiffer: true };
    },

    turn: ({ client }, desired) => ({ run: (work) => whenFree(client, requestOf(desired), work) }),

    look: async ({ client }, desired): Promise<Look<SeenStatus>> => ({
      seen: await statusBefore(client, requestOf(desired)),
    }),

    async recover({ client }, desired, seen) {
      if (seen === undefined) {
        return undefined;
      }
      const { explanation, privateState, ...lost } = await findLostAccount(client, requestOf(desired), seen);
      const failure =
        `${explanation} The resource is kept in state: the next \`pulumi up\` checks the account in and checks one ` +
        "out again, and `pulumi destroy` checks it in. If another caller with the same token checked it out, remove " +
        "the resource from state instead (`pulumi state delete`).";
      return { ...checkedOut(client, desired, lost, seen.at), privateState, failure };
    },

    async create({ client, announce }, desired, seen?: SeenStatus) {
      const set = requestOf(desired);
      const askedAt = Date.now();
      const issued = await checkOutFree(client, set, seen?.accounts);
      const { serviceAccountName } = issued;
      // The account is checked out, so it must get into state even without its borrower.
      const status = await readLibraryStatus(client.afterwards(), set).catch((error: unknown) => {
        const unread = `Could not read the borrower of ${serviceAccountName} of the ${librarySets.describe(set)}`;
        announce(
          "warning",
          `${unread}, so the service decides who is allowed to check it in: ${messageOf(error)}`,
        );
        return undefined;
      });
      const borrower = fingerprintOf(borrowed(status, serviceAccountName));
      client.sharedState(OwnBorrower).fingerprint = borrower ?? client.sharedState(OwnBorrower).fingerprint;
      return { ...checkedOut(client, desired, issued, askedAt), privateState: borrowerState(borrower) };
    },

    async read({ client, announce, privateState }, id, current) {
      const held = heldBy(privateState, current);
      const gone: Found = { holding: "ended", expiresAt: current.expiresAt, isPast: false };
      const { holding, expiresAt } = client.isAssumedGone(id) ? gone : await holdingOf(client, held);
      if (holding === "unknown" || holding === notAllowed) {
        const holder = `who has checked out ${held.account} of the ${librarySets.describe(held.set)}`;
        announce(
          "warning",
          `The status does not say ${holder}, so the service decides who is allowed to check it in.`,
        );
      }
      if (holding !== "ended") {
        return expiresAt === current.expiresAt ? {} : { expiresAt };
      }
      const early = "ended early: somebody else has checked the account in or out";
      const how = isKnownToBeOver(client, current.expiresAt)
        ? `has expired (${String(current.expiresAt)})`
        : early;
      announce("information", `${describeCheckOut(current)} ${how}.`);
      return undefined;
    },

    async delete({ client, announce, privateState }, id, current) {
      if (client.isAssumedGone(id)) {
        return;
      }
      const held = heldBy(privateState, current);
      await returnAccount(client, held, current.force === true);
      if (client.dialect.leaseRevocation === undefined || !hasLease(current)) {
        return;
      }
      const checkedIn = `${held.account} is checked in, but its lease`;
      try {
        // A revocation checks the account in, which would take it from a new borrower.
        const status = await readLibraryStatus(client, held.set);
        if (status?.[held.account]?.available === true) {
          await revokeLease(client, checkedIn, current);
        }
      } catch (error) {
        // The account is checked in, which is what matters.
        announce("warning", `${checkedIn} was not revoked: ${messageOf(error)}`);
      }
    },
  },
);

export interface LibraryCheckout extends OutputsOf<typeof rows> {}

/**
 * Checks out an account of a library set of the directory engine (the LDAP engine of Vault or OpenBao) for as
 * long as the resource exists. The account's password is an output.
 *
 * Creation checks out any free account. Deletion checks that account in, provided that it is still the same
 * check-out: an account that was checked in or borrowed by another client in the meantime is not touched.
 * When a refresh finds that the check-out has ended, or the service reports this once `expiresAt` has passed,
 * the next `pulumi up` checks out an account again. A replacement checks in before it checks out. Two
 * check-outs of the same account by the same token cannot be distinguished. In the hashicorp dialect, the
 * lease of the check-out is revoked after the check-in, unless the account was borrowed in between, because
 * revoking the lease would check the account in. If the revocation fails, there is a warning. With a `login`,
 * a check-out expires no later than the login token; `expiresAt` reflects this.
 *
 * If the response to the check-out is lost, the creation fails. The library reads from the set's status which
 * account was checked out, and keeps that account in state without a password. The next `pulumi up` checks the
 * account in and checks out an account again. The request is never repeated, so a second account is not checked
 * out.
 *
 * The token only needs the permission to check out. If it is not allowed to read the set's status (403), a
 * warning says that the borrower cannot be verified, a refresh only detects expiry, and the service decides
 * whether the account can be checked in.
 *
 * Its ID is the lease ID or, without a lease, consists of the mount, the set, the account and the time. A
 * refresh detects whether the account is still checked out by the same borrower; no other drift is detected.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const account = new trivium.secrets.directory.LibraryCheckout("operator", {
 *   setName: "operators",
 *   ttl: "8h",
 *   waitFor: "10m",
 * });
 *
 * export const userName = account.serviceAccountName;
 * export const password = account.password;
 * ```
 */
export class LibraryCheckout extends TriviumResource<LibraryCheckoutArgs> {
  /** @internal */
  static override readonly definition = libraryCheckoutDefinition;

  /**
   * @param name the unique name of the resource in the program
   * @param args which set to check out an account from, and for how long
   * @throws {@link errors.InputError} if an option is not supported, such as `import`
   */
  constructor(name: string, args: LibraryCheckoutArgs, options?: pulumi.CustomResourceOptions) {
    // With `pulumi up --replace` the engine does not ask the provider.
    super(name, args, { ...options, deleteBeforeReplace: true });
  }
}

const checkOutRows = {
  /**
   * How long the check-out can last: seconds, or a duration such as `"8h"`; at most the set's `ttl`.
   *
   * @default the set's `ttl`
   */
  ttl: seconds({ optional: true }),
};

/** The arguments of {@link checkOut}. */
export interface CheckOutArgs extends PlainArgsOf<typeof librarySetName>, PlainArgsOf<typeof checkOutRows> {}

/** A newly checked-out account. */
export interface CheckOutResult extends ValuesOf<typeof checkOutResultRows> {}

const replacement = "secrets.directory.LibraryCheckout";

const checkOutDefinition = defineFunction(secretsService, { ...librarySetName, ...checkOutRows })(
  "secrets.directory.checkOut",
  (client, request): Promise<CheckOutResult> =>
    whenFree(client, request, async () => {
      const seen = await statusBefore(client, request);
      try {
        return await checkOutFree(client, request, seen.accounts);
      } catch (error) {
        if (!mayHaveBeenProcessed(error)) {
          throw error;
        }
        const advice = await findLostAccount(client.afterwards(), request, seen).then(
          ({ explanation }) =>
            `${explanation} Check it in with checkIn, unless another caller with the same token checked it out, and try again.`,
          messageOf,
        );
        throw advisedOtherwise(error as TriviumError, advice);
      }
    }),
);

/**
 * Checks out any free account of a library set. For scripts only: in a program, use {@link LibraryCheckout}.
 *
 * @example
 * ```typescript
 * const { serviceAccountName, password } = await trivium.secrets.directory.checkOut({ name: "operators", ttl: "1h" });
 * ```
 *
 * @throws {@link errors.TriviumError} if no account is free (the error names the borrowers), or if the
 * response is lost (the error names the account); {@link errors.InputError} inside a Pulumi program
 */
export const checkOut = scriptForm<CheckOutArgs, CheckOutResult>(checkOutDefinition, replacement);

const checkInRows = {
  /**
   * The accounts to check in: a list, or one comma-separated string.
   *
   * @default the only one that is checked out
   */
  serviceAccountNames: commaSeparated(accountNames, { optional: true }),
};

/** The arguments of {@link checkIn} and {@link forceCheckIn}. */
export interface CheckInArgs extends PlainArgsOf<typeof librarySetName>, PlainArgsOf<typeof checkInRows> {}

/** The result of {@link checkIn} and {@link forceCheckIn}. */
export interface CheckInResult {
  /** The accounts that this call checked in; accounts that were already checked in are not included. */
  readonly checkIns: string[];
}

function definitionOf(name: string, manage: boolean) {
  return defineFunction(secretsService, { ...librarySetName, ...checkInRows })(
    `secrets.directory.${name}`,
    async (client, { serviceAccountNames, ...set }): Promise<CheckInResult> => ({
      checkIns: await checkInAccounts(client, set, serviceAccountNames, manage),
    }),
  );
}

const checkInDefinition = definitionOf("checkIn", false);
const forceCheckInDefinition = definitionOf("forceCheckIn", true);

/**
 * Checks in accounts of a library set that the caller's token, or its entity, has checked out. For scripts
 * only: in a program, delete the {@link LibraryCheckout}.
 *
 * @example
 * ```typescript
 * await trivium.secrets.directory.checkIn({ name: "operators", serviceAccountNames: ["svc-operator-1"] });
 * ```
 *
 * @throws {@link errors.ServiceError} if another client has checked out one of the accounts and the set only
 * lets borrowers check in; {@link errors.InputError} inside a Pulumi program
 */
export const checkIn = scriptForm<CheckInArgs, CheckInResult>(checkInDefinition, replacement);

/**
 * Checks in accounts of a library set, regardless of the borrower; for privileged callers. For scripts only:
 * in a program, set `force` of the {@link LibraryCheckout}.
 *
 * @example
 * ```typescript
 * await trivium.secrets.directory.forceCheckIn({ name: "operators", serviceAccountNames: ["svc-operator-1"] });
 * ```
 *
 * @throws {@link errors.ServiceError} if the token lacks the permission; {@link errors.InputError} inside a
 * Pulumi program
 */
export const forceCheckIn = scriptForm<CheckInArgs, CheckInResult>(forceCheckInDefinition, replacement);
