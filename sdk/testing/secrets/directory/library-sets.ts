import type { Table } from "../../table";
import { dataResponse, namesResponse } from "../responses";
import type { Body } from "../body";
import {
  deletes,
  type EngineEndpoint,
  type EngineRequest,
  lists,
  reads,
  type SecretsArea,
  writes,
} from "../endpoint";
import { FieldTable } from "../fields";
import type { Records } from "../records";
import type { ConfigState } from "./config";
import { listsFolders, nameOf, requireRepeatedName, requireUnmanaged, type ManagedAccounts } from "./names";
import type { Connect } from "./session";
import type { DirectoryLibrarySetup, LibraryAccountRecord } from "../types";
import { librarySetFields, type LibrarySetRecord } from "../objects";
import type { MountStates } from "../mounts";
import { badRequest } from "../refusal";

const setFields = new FieldTable<Omit<LibrarySetRecord, "name">>(librarySetFields);

export interface LibraryState {
  readonly librarySets: Table<LibrarySetRecord>;
  /** The accounts of all sets. */
  readonly libraryAccounts: Table<LibraryAccountRecord>;
}

export function createLibraryArea(
  records: Records,
  states: MountStates<LibraryState & ConfigState & ManagedAccounts>,
  connect: Connect,
): SecretsArea<EngineEndpoint, "directoryLibrarySets" | "directoryLibraryAccounts", DirectoryLibrarySetup> {
  const { traits, leases } = records;
  const path = "/library/:name";

  const readSet = (name: string, body: Body, present: LibrarySetRecord | undefined): LibrarySetRecord => {
    requireRepeatedName(name, body, traits);
    const set = { name, ...setFields.read(body, present) };
    if (set.serviceAccountNames.length === 0) {
      throw badRequest("'service_account_names' must be provided");
    }
    if (traits.checksLibraryTtls && set.maxTtl > 0 && set.maxTtl < set.ttl) {
      throw badRequest(`max_ttl (${set.maxTtl} seconds) may not be less than ttl (${set.ttl} seconds)`);
    }
    return set;
  };

  const write = (request: EngineRequest): undefined => {
    const state = states.of(request.mount);
    const name = nameOf(request, records);
    if (state.config === undefined) {
      throw badRequest("config must exist to create a library");
    }
    const set = readSet(name, request.body, state.librarySets.find(name));
    const present = accountsIn(state, name);
    const leaving = present.filter((account) => !set.serviceAccountNames.includes(account.name));
    const joining = set.serviceAccountNames.filter((own) => present.every((account) => account.name !== own));
    requireAvailable(leaving);
    for (const account of joining) {
      requireUnmanaged(state, account, traits);
    }
    const joined = joining.map((username): LibraryAccountRecord => {
      const password = connect(state).rotate({ username, dn: "" });
      return { name: username, setName: name, password, checkOut: null };
    });
    for (const account of leaving) {
      state.libraryAccounts.delete(account.name);
    }
    for (const account of joined) {
      state.libraryAccounts.set(account);
    }
    state.librarySets.set(set);
  };

  const requireAvailable = (accounts: readonly LibraryAccountRecord[]): void => {
    const borrowed = accounts.find(({ checkOut }) => checkOut !== null);
    if (borrowed !== undefined) {
      const error = `${JSON.stringify(borrowed.name)} can't be deleted because it is currently checked out`;
      // The products end this error with a superfluous quotation mark.
      throw badRequest(traits.quotesOddly ? `${error}'` : error);
    }
  };

  const forget = (state: LibraryState, accounts: readonly LibraryAccountRecord[]): void => {
    for (const { name, checkOut } of accounts) {
      state.libraryAccounts.delete(name);
      leases.forget(checkOut?.leaseId ?? "");
    }
  };

  const names = ({ mount }: EngineRequest) => states.of(mount).librarySets.keys();
  return {
    endpoints: [
      ...(traits.listsFolders
        ? listsFolders("/library", records, names)
        : [lists("/library", (request: EngineRequest) => namesResponse(names(request), false))]),
      writes(path, ["name", ...setFields.names], write),
      reads(path, (request) => {
        const set = states.of(request.mount).librarySets.find(nameOf(request, records));
        return set && dataResponse(setFields.returned(set));
      }),
      deletes(path, (request) => {
        const state = states.of(request.mount);
        const name = nameOf(request, records);
        requireAvailable(accountsIn(state, name));
        forget(state, accountsIn(state, name));
        state.librarySets.delete(name);
      }),
    ],
    setup: {
      changeDirectoryLibrarySet(name, change, mount) {
        const state = states.at(mount);
        const set = state.librarySets.change(name, change);
        forget(
          state,
          accountsIn(state, name).filter((account) => !set.serviceAccountNames.includes(account.name)),
        );
        for (const account of set.serviceAccountNames) {
          if (state.libraryAccounts.find(account) === undefined) {
            state.libraryAccounts.set({ name: account, setName: name, password: "", checkOut: null });
          }
        }
        return set;
      },
      removeDirectoryLibrarySet(name, mount) {
        const state = states.at(mount);
        state.librarySets.remove(name);
        forget(state, accountsIn(state, name));
      },
    },
    inspect: () => ({
      directoryLibrarySets: states.inspect(({ librarySets }) => librarySets.all()),
      directoryLibraryAccounts: states.inspect(({ libraryAccounts }) => libraryAccounts.all()),
    }),
  };
}

function accountsIn({ libraryAccounts }: LibraryState, set: string): LibraryAccountRecord[] {
  return libraryAccounts.all().filter(({ setName }) => setName === set);
}
