import type { Area } from "../../area";
import { dataAnswer, namesAnswer, noContent } from "../answers";
import type { EngineEndpoint, EngineRequest } from "../endpoint";
import type { MountPath } from "../mounts";
import { badRequest, notFound } from "../refusal";
import type { DirectoryDialect } from "./dialect";
import { requireConfig, requireUnmanaged, type EngineState, type EngineStates } from "./engine-state";
import { libraryCheckOutEndpoints } from "./library-check-outs";
import { librarySetFields, readLibrarySet } from "./library-set-form";
import type { LibraryAccountRecord, LibrarySetRecord } from "./library-record";

export interface DirectoryLibraryInspection {
  readonly directoryLibrarySets: readonly (LibrarySetRecord & MountPath)[];
  /** The accounts of all sets, with who has them. */
  readonly directoryLibraryAccounts: readonly (LibraryAccountRecord & MountPath)[];
}

/**
 * Works behind a program's back; the rules of the interface are not applied. The mount is `ldap` unless another is
 * given. Every method throws an Error for what does not exist.
 */
export interface DirectoryLibrarySetup {
  /**
   * Changes what is given. The check-outs of accounts that leave the set are over; accounts that join it have an empty
   * password until their first check-in.
   */
  changeDirectoryLibrarySet(
    name: string,
    change: Partial<Omit<LibrarySetRecord, "name">>,
    mount?: string,
  ): LibrarySetRecord;
  /** With its check-outs. */
  removeDirectoryLibrarySet(name: string, mount?: string): void;
}

/** Sets of accounts, which are lent and given back. */
export function createLibraryArea(
  states: EngineStates,
): Area<EngineEndpoint, DirectoryLibraryInspection, DirectoryLibrarySetup> {
  const path = "/library/:name";
  const nameOf = (request: EngineRequest): string => states.nameOf(request);
  return {
    endpoints: [
      {
        engine: "directory",
        operation: "LIST",
        path: "/library",
        handle({ mount }) {
          const sets = states.of(mount).librarySets.sorted();
          return namesAnswer(
            sets.map(({ name }) => name),
            states.dialect.nameLists,
          );
        },
      },
      {
        engine: "directory",
        operation: "POST",
        path,
        fields: librarySetFields,
        handle(request) {
          const state = states.of(request.mount);
          const name = nameOf(request);
          requireConfig(state);
          const set = readLibrarySet(name, request.fields, state.librarySets.find(name), states.dialect);
          const leaving = accountsOf(state, name).filter((account) => !isIn(set, account));
          requireAvailable(leaving, states.dialect);
          const joining = takeOver(states, state, set);
          for (const account of leaving) {
            state.libraryAccounts.delete(account.name);
          }
          for (const account of joining) {
            state.libraryAccounts.set(account);
          }
          state.librarySets.set(set);
          return noContent;
        },
      },
      {
        engine: "directory",
        operation: "GET",
        path,
        handle(request) {
          const set = states.of(request.mount).librarySets.find(nameOf(request));
          if (set === undefined) {
            throw notFound();
          }
          return dataAnswer({
            disable_check_in_enforcement: set.disableCheckInEnforcement,
            max_ttl: set.maxTtl,
            service_account_names: set.serviceAccountNames,
            ttl: set.ttl,
          });
        },
      },
      {
        engine: "directory",
        operation: "DELETE",
        path,
        handle(request) {
          const state = states.of(request.mount);
          const name = nameOf(request);
          requireAvailable(accountsOf(state, name), states.dialect);
          state.libraryAccounts.deleteWhere(({ setName }) => setName === name);
          state.librarySets.delete(name);
          return noContent;
        },
      },
      ...libraryCheckOutEndpoints(states),
    ],
    setup: {
      changeDirectoryLibrarySet(name, change, mount) {
        const state = states.at(mount);
        const set = { ...state.librarySets.known(name), ...change };
        const leaving = accountsOf(state, name).filter((account) => !isIn(set, account));
        forget(states, state, leaving);
        for (const account of set.serviceAccountNames) {
          if (state.libraryAccounts.find(account) === undefined) {
            state.libraryAccounts.set({ name: account, setName: name, password: "", checkOut: null });
          }
        }
        return structuredClone(state.librarySets.set(set));
      },
      removeDirectoryLibrarySet(name, mount) {
        const state = states.at(mount);
        state.librarySets.remove(name);
        forget(states, state, accountsOf(state, name));
      },
    },
    inspect: () => ({
      directoryLibrarySets: states.inspect(({ librarySets }) => librarySets.all()),
      directoryLibraryAccounts: states.inspect(({ libraryAccounts }) => libraryAccounts.all()),
    }),
    clear: () => undefined,
  };
}

/**
 * Gives the accounts that are new in a set a new password each.
 *
 * @throws Refusal 400 when one belongs to a static role or to another set
 * @throws EngineFailure when one is not in the directory
 */
function takeOver(states: EngineStates, state: EngineState, set: LibrarySetRecord): LibraryAccountRecord[] {
  const names = set.serviceAccountNames.filter(
    (name) => state.libraryAccounts.find(name)?.setName !== set.name,
  );
  for (const name of names) {
    requireUnmanaged(state, name);
  }
  if (names.length === 0) {
    return [];
  }
  const session = states.session(state);
  return names.map((name) => ({
    name,
    setName: set.name,
    password: session.rotate({ username: name, dn: "" }),
    checkOut: null,
  }));
}

function accountsOf({ libraryAccounts }: EngineState, set: string): LibraryAccountRecord[] {
  return libraryAccounts.all().filter(({ setName }) => setName === set);
}

function isIn({ serviceAccountNames }: LibrarySetRecord, { name }: LibraryAccountRecord): boolean {
  return serviceAccountNames.includes(name);
}

function requireAvailable(
  accounts: readonly LibraryAccountRecord[],
  { checkedOutErrorEnd }: Pick<DirectoryDialect, "checkedOutErrorEnd">,
): void {
  const out = accounts.find(({ checkOut }) => checkOut !== null);
  if (out !== undefined) {
    const error = `${JSON.stringify(out.name)} can't be deleted because it is currently checked out`;
    throw badRequest(error + checkedOutErrorEnd);
  }
}

function forget(states: EngineStates, state: EngineState, accounts: readonly LibraryAccountRecord[]): void {
  for (const { name, checkOut } of accounts) {
    state.libraryAccounts.delete(name);
    states.records.leases.forget(checkOut?.leaseId ?? "");
  }
}
