import { dataAnswer } from "../answers";
import type { EngineEndpoint, EngineRequest, SecretsCaller } from "../endpoint";
import type { Fields } from "../fields";
import type { MountRecord } from "../mounts";
import { badRequest } from "../refusal";
import type { DirectoryDialect } from "./dialect";
import { EngineFailure, isEngineFailure } from "./engine-failure";
import type { EngineState, EngineStates } from "./engine-state";
import type { CheckOutRecord, LibraryAccountRecord, LibrarySetRecord } from "./library-record";
import { checkOutDurations } from "./check-out-duration";
import { requireSameName } from "./library-set-form";

/** After an automatic check-in that the directory did not take, the engine tries again. Seconds. */
const retryAfter = 10;

/** Who has which account of a set, check-out and check-in. */
export function libraryCheckOutEndpoints(states: EngineStates): EngineEndpoint[] {
  const { leases } = states.records;
  return [
    {
      engine: "directory",
      operation: "GET",
      path: "/library/:name/status",
      handle(request) {
        const { state, set } = findSet(states, request);
        return dataAnswer(
          Object.fromEntries(accountsOf(state, set).map(({ name, checkOut }) => [name, toStatus(checkOut)])),
        );
      },
    },
    {
      engine: "directory",
      operation: "POST",
      path: "/library/:name/check-out",
      fields: ["name", "ttl"],
      handle(request) {
        const { mount, caller, fields } = request;
        const { state, set } = findSet(states, request);
        requireName(set, fields, states.dialect);
        const requested = fields.duration("ttl");
        const duration = checkOutDurations[states.dialect.unlimitedCheckOut](set, requested, mount);
        const account = accountsOf(state, set).find(({ checkOut }) => checkOut === null);
        if (account === undefined) {
          throw badRequest("No service accounts available for check-out.");
        }
        const lease = leases.issue({
          mount,
          path: `library/${set.name}/check-out`,
          duration,
          renewable: true,
          ...(set.maxTtl > 0 ? { maxDuration: Math.min(set.maxTtl, mount.maxLeaseTtl) } : {}),
          renewed: ({ id, expiresAt }) => renewCheckOut(state, account.name, { leaseId: id, expiresAt }),
          ended: () => endCheckOut(states, mount, account.name, lease.id),
        });
        state.libraryAccounts.set({
          ...account,
          checkOut: {
            leaseId: lease.id,
            borrowerClientToken: caller.tokenHash,
            borrowerEntityId: caller.entityId ?? null,
            expiresAt: lease.expiresAt,
          },
        });
        return dataAnswer({ password: account.password, service_account_name: account.name }, { lease });
      },
    },
    checkInEndpoint(states, "/library/:name/check-in", { enforced: true }),
    checkInEndpoint(states, "/library/manage/:name/check-in", { enforced: false }),
  ];
}

/** @param rule.enforced whether only the borrower may do it, unless the set says otherwise */
function checkInEndpoint(
  states: EngineStates,
  path: string,
  rule: { readonly enforced: boolean },
): EngineEndpoint {
  return {
    engine: "directory",
    operation: "POST",
    path,
    fields: ["name", "service_account_names"],
    handle(request) {
      const { state, set } = findSet(states, request);
      requireName(set, request.fields, states.dialect);
      const names = request.fields.list("service_account_names") ?? [];
      const session = states.session(state);
      const mayCheckIn = ({ checkOut }: LibraryAccountRecord): boolean =>
        !rule.enforced ||
        set.disableCheckInEnforcement ||
        checkOut === null ||
        isBorrower(request.caller, checkOut);
      const accounts =
        names.length > 0 ? named(state, set, names, mayCheckIn) : onlyOne(state, set, mayCheckIn);
      for (const account of accounts) {
        const password = session.rotate({ username: account.name, dn: "" });
        states.records.leases.forget(account.checkOut?.leaseId ?? "");
        state.libraryAccounts.set({ ...account, password, checkOut: null });
      }
      return dataAnswer({ check_ins: accounts.map(({ name }) => name) });
    },
  };
}

/** Those of the named accounts that are checked out. */
function named(
  state: EngineState,
  set: LibrarySetRecord,
  names: readonly string[],
  mayCheckIn: (account: LibraryAccountRecord) => boolean,
): LibraryAccountRecord[] {
  const accounts = [...new Set(names)].map((name) => {
    const account = accountsOf(state, set).find((candidate) => candidate.name === name);
    if (account === undefined) {
      throw new EngineFailure("not found");
    }
    if (!mayCheckIn(account)) {
      throw badRequest(
        `${JSON.stringify(name)} can't be checked in because it wasn't checked out by the caller`,
      );
    }
    return account;
  });
  return accounts.filter(({ checkOut }) => checkOut !== null);
}

/** The account that is checked out, when there is no more than one that the caller may mean. */
function onlyOne(
  state: EngineState,
  set: LibrarySetRecord,
  mayCheckIn: (account: LibraryAccountRecord) => boolean,
): LibraryAccountRecord[] {
  const accounts = accountsOf(state, set).filter(
    (account) => account.checkOut !== null && mayCheckIn(account),
  );
  if (accounts.length > 1) {
    throw badRequest(
      "when multiple service accounts are checked out, the 'service_account_names' to check in must be provided",
    );
  }
  return accounts;
}

function renewCheckOut(
  { libraryAccounts }: EngineState,
  name: string,
  renewed: Pick<CheckOutRecord, "leaseId" | "expiresAt">,
): void {
  const account = libraryAccounts.find(name);
  if (account?.checkOut?.leaseId === renewed.leaseId) {
    libraryAccounts.set({ ...account, checkOut: { ...account.checkOut, ...renewed } });
  }
}

/** The end of the lease gives the account back, with a new password. */
function endCheckOut(states: EngineStates, mount: MountRecord, name: string, leaseId: string): void {
  const state = states.of(mount);
  const account = state.libraryAccounts.find(name);
  if (account?.checkOut?.leaseId !== leaseId) {
    return;
  }
  try {
    const password = states.session(state).rotate({ username: name, dn: "" });
    state.libraryAccounts.set({ ...account, password, checkOut: null });
  } catch (error) {
    if (!isEngineFailure(error)) {
      throw error;
    }
    if (states.isMounted(mount)) {
      states.records.clock.after(retryAfter * 1_000, () => endCheckOut(states, mount, name, leaseId));
    }
  }
}

function findSet(
  states: EngineStates,
  request: EngineRequest,
): { readonly state: EngineState; readonly set: LibrarySetRecord } {
  const state = states.of(request.mount);
  const name = states.nameOf(request);
  const set = state.librarySets.find(name);
  if (set === undefined) {
    throw badRequest(`${JSON.stringify(name)} doesn't exist`);
  }
  return { state, set };
}

function requireName(
  { name }: LibrarySetRecord,
  fields: Fields,
  dialect: Pick<DirectoryDialect, "libraryRequestsNameTheSet" | "foldsNames">,
): void {
  if (dialect.libraryRequestsNameTheSet) {
    fields.requiredText("name");
  }
  requireSameName(name, fields, dialect);
}

/** In the order of the set. */
function accountsOf(
  { libraryAccounts }: EngineState,
  { serviceAccountNames }: LibrarySetRecord,
): LibraryAccountRecord[] {
  return serviceAccountNames.flatMap((name) => libraryAccounts.find(name) ?? []);
}

function isBorrower({ tokenHash, entityId }: SecretsCaller, checkOut: CheckOutRecord): boolean {
  return (
    checkOut.borrowerClientToken === tokenHash ||
    (entityId !== undefined && checkOut.borrowerEntityId === entityId)
  );
}

function toStatus(checkOut: CheckOutRecord | null): Record<string, unknown> {
  if (checkOut === null) {
    return { available: true };
  }
  const { borrowerClientToken, borrowerEntityId } = checkOut;
  return {
    available: false,
    borrower_client_token: borrowerClientToken,
    ...(borrowerEntityId === null ? {} : { borrower_entity_id: borrowerEntityId }),
  };
}
