import { dataResponse } from "../responses";
import { reads, writes, type EngineEndpoint, type EngineRequest, type SecretsCaller } from "../endpoint";
import { leaseTtl, type Ttl } from "../leases";
import type { Records } from "../records";
import type { ConfigState } from "./config";
import type { LibraryState } from "./library-sets";
import { nameOf, requireRepeatedName } from "./names";
import { Schedule } from "./schedule";
import { type Connect, requireRevocable } from "./session";
import type { LibrarySetRecord } from "../objects";
import type { CheckOutRecord, LibraryAccountRecord, MountRecord } from "../types";
import type { MountStates } from "../mounts";
import { badRequest, EngineFailure } from "../refusal";
import type { SecretsTraits } from "../traits";

type State = LibraryState & ConfigState;

export function checkOutEndpoints(
  records: Records,
  states: MountStates<State>,
  connect: Connect,
): EngineEndpoint[] {
  const { traits, leases } = records;
  const schedule = new Schedule(records);

  /** @param repeatsName whether the documented body must repeat the name of the set */
  const findSet = (request: EngineRequest, repeatsName: boolean): { state: State; set: LibrarySetRecord } => {
    const state = states.of(request.mount);
    const name = nameOf(request, records);
    const set = state.librarySets.find(name);
    if (set === undefined) {
      throw badRequest(`${JSON.stringify(name)} doesn't exist`);
    }
    if (repeatsName) {
      requireRepeatedName(name, request.body, traits);
    }
    return { state, set };
  };

  /**
   * Rotates the password when the lease expires; in the products, even if the account was checked out again.
   */
  const checkInExpired = (mount: MountRecord, name: string, leaseId: string): void =>
    schedule.run(mount, name, () => {
      const state = states.of(mount);
      const account = state.libraryAccounts.find(name);
      if (account !== undefined && (traits.endingIsForAll || account.checkOut?.leaseId === leaseId)) {
        const password = connect(state).rotate({ username: name, dn: "" });
        state.libraryAccounts.set({ ...account, password, checkOut: null });
      }
    });

  const checkIn = (path: string, isForced: boolean): EngineEndpoint =>
    writes(path, ["name", "service_account_names"], (request) => {
      const { body, caller } = request;
      const { state, set } = findSet(request, true);
      const names = body.list("service_account_names") ?? [];
      const session = connect(state);
      const own = accountsOf(state, set);
      const mayCheckIn = ({ checkOut }: LibraryAccountRecord): boolean =>
        isForced || set.disableCheckInEnforcement || checkOut === null || isBorrower(caller, checkOut);
      const accounts =
        names.length > 0 ? accountsByName(own, names, mayCheckIn) : soleAccount(own, mayCheckIn, traits);
      for (const account of accounts) {
        const password = session.rotate({ username: account.name, dn: "" });
        if (!traits.keepsLeases) {
          leases.forget(account.checkOut?.leaseId ?? "");
        }
        state.libraryAccounts.set({ ...account, password, checkOut: null });
      }
      return dataResponse({ check_ins: accounts.map(({ name }) => name) });
    });

  return [
    reads("/library/:name/status", (request) => {
      const { state, set } = findSet(request, false);
      return dataResponse(
        Object.fromEntries(
          accountsOf(state, set).map(({ name, checkOut }) => [name, toStatus(checkOut, traits)]),
        ),
      );
    }),
    writes("/library/:name/check-out", ["name", "ttl"], (request) => {
      const { mount, caller, body } = request;
      const { state, set } = findSet(request, true);
      const requested = body.duration("ttl");
      const { ttl: duration, warnings } = traits.lendsByMount
        ? hashicorpTtl(set, requested, mount)
        : { ttl: documentedDuration(set, requested), warnings: [] };
      const account = accountsOf(state, set).find(({ checkOut }) => checkOut === null);
      if (account === undefined) {
        throw badRequest("No service accounts available for check-out.");
      }
      const lease = leases.issue({
        mount,
        path: `library/${set.name}/check-out`,
        parent: caller.tokenHash,
        duration,
        maxDuration: set.maxTtl,
        // The products then check out the account for as long as the set allows.
        renewal: traits.lendsByMount ? hashicorpTtl(set, undefined, mount).ttl : undefined,
        requireRevocable: traits.revokesAtEngine
          ? () => requireRevocable(state, "the config is currently unset")
          : undefined,
        renewed: ({ id, expiresAt }) => renewCheckOut(state, account.name, { leaseId: id, expiresAt }),
        ended: () => checkInExpired(mount, account.name, lease.id),
      });
      state.libraryAccounts.set({
        ...account,
        checkOut: {
          leaseId: lease.id,
          borrowerClientToken: caller.tokenHash,
          borrowerEntityId: caller.rights.entityId ?? null,
          expiresAt: lease.expiresAt,
        },
      });
      const data = { password: account.password, service_account_name: account.name };
      return dataResponse(data, { lease, warnings });
    }),
    checkIn("/library/:name/check-in", false),
    checkIn("/library/manage/:name/check-in", true),
  ];
}

/** Seconds; 0 for no limit. */
function documentedDuration({ ttl, maxTtl }: LibrarySetRecord, requested = ttl): number {
  const limits = [ttl, maxTtl, requested].filter((limit) => limit > 0);
  return limits.length === 0 ? 0 : Math.min(...limits);
}

function hashicorpTtl({ ttl, maxTtl }: LibrarySetRecord, requested = ttl, mount: MountRecord): Ttl {
  const limit = ttl === 0 ? requested : Math.min(ttl, requested);
  return leaseTtl({ ttl: limit, maxTtl }, mount);
}

/** Returns only those that are checked out. */
function accountsByName(
  own: readonly LibraryAccountRecord[],
  names: readonly string[],
  mayCheckIn: (account: LibraryAccountRecord) => boolean,
): LibraryAccountRecord[] {
  const accounts = [...new Set(names)].map((name) => {
    const account = own.find((candidate) => candidate.name === name);
    if (account === undefined) {
      throw new EngineFailure("not found");
    }
    requireBorrower(account, mayCheckIn);
    return account;
  });
  return accounts.filter(({ checkOut }) => checkOut !== null);
}

/** Without names, the products count only the accounts that the caller is allowed to check in. */
function soleAccount(
  own: readonly LibraryAccountRecord[],
  mayCheckIn: (account: LibraryAccountRecord) => boolean,
  { checksInOwnOnly }: SecretsTraits,
): LibraryAccountRecord[] {
  const checkedOut = own.filter((account) => account.checkOut !== null);
  const accounts = checksInOwnOnly ? checkedOut.filter(mayCheckIn) : checkedOut;
  if (accounts.length > 1) {
    throw badRequest(
      "when multiple service accounts are checked out, the 'service_account_names' to check in must be provided",
    );
  }
  accounts.forEach((account) => {
    requireBorrower(account, mayCheckIn);
  });
  return accounts;
}

function requireBorrower(
  account: LibraryAccountRecord,
  mayCheckIn: (account: LibraryAccountRecord) => boolean,
): void {
  if (!mayCheckIn(account)) {
    throw badRequest(
      `${JSON.stringify(account.name)} can't be checked in because it wasn't checked out by the caller`,
    );
  }
}

function renewCheckOut(
  { libraryAccounts }: LibraryState,
  name: string,
  renewed: Pick<CheckOutRecord, "leaseId" | "expiresAt">,
): void {
  const account = libraryAccounts.find(name);
  if (account?.checkOut?.leaseId === renewed.leaseId) {
    libraryAccounts.set({ ...account, checkOut: { ...account.checkOut, ...renewed } });
  }
}

/** In the order of the set. */
function accountsOf(
  { libraryAccounts }: LibraryState,
  { serviceAccountNames }: LibrarySetRecord,
): LibraryAccountRecord[] {
  return serviceAccountNames.flatMap((name) => libraryAccounts.find(name) ?? []);
}

function isBorrower({ tokenHash, rights }: SecretsCaller, checkOut: CheckOutRecord): boolean {
  return checkOut.borrowerClientToken === tokenHash || checkOut.borrowerEntityId === rights.entityId;
}

function toStatus(
  checkOut: CheckOutRecord | null,
  { omitsNoEntity }: SecretsTraits,
): Record<string, unknown> {
  if (checkOut === null) {
    return { available: true };
  }
  const { borrowerClientToken, borrowerEntityId } = checkOut;
  return {
    available: false,
    borrower_client_token: borrowerClientToken,
    // The documented response always contains it; the products omit it for a token without an entity.
    ...(borrowerEntityId === null && omitsNoEntity ? {} : { borrower_entity_id: borrowerEntityId ?? "" }),
  };
}
