import type { SecretsArea } from "../endpoint";
import { combineAreas } from "../../area";
import { Table } from "../../table";
import type { Records } from "../records";
import { checkOutEndpoints } from "./check-outs";
import { createConfigArea, type ConfigState } from "./config";
import { dynamicCredentialsEndpoint } from "./dynamic-credentials";
import { createDynamicRolesArea, type DynamicRolesState } from "./dynamic-roles";
import { Directory, type EntrySettings } from "./ldap/directory";
import type { DirectoryEntriesSetup } from "../types";
import type { DirectoryEntrySettings } from "../seeds";
import { createLibraryArea, type LibraryState } from "./library-sets";
import { Session, type Connect } from "./session";
import { createStaticRolesArea, type StaticRolesState } from "./static-roles";
import { MountStates } from "../mounts";
import { attempt, EngineFailure, numbered } from "../refusal";

type EngineState = ConfigState & StaticRolesState & DynamicRolesState & LibraryState;

/** All mounts share one directory. */
export function createDirectoryEngineArea(records: Records) {
  const directory = new Directory();
  const states = new MountStates(records.mounts, "directory", (): EngineState => ({
    staticRoles: new Table("directory static role", ({ name }) => name),
    dynamicRoles: new Table("directory dynamic role", ({ name }) => name),
    issuedAccounts: new Table("issued directory account", ({ leaseId }) => leaseId),
    librarySets: new Table("directory library set", ({ name }) => name),
    libraryAccounts: new Table("library account", ({ name }) => name),
  }));
  const connect: Connect = ({ config }, withoutConfig = "missing LDAP configuration") => {
    if (config === undefined) {
      throw new EngineFailure(withoutConfig);
    }
    const bind = () => new Session(directory, config, records.passwordPolicies);
    const { bindFailure } = records.traits;
    return bindFailure === undefined ? bind() : attempt(bindFailure, bind, numbered);
  };
  const area = combineAreas(
    createEntriesArea(directory),
    createConfigArea(records, states, connect),
    createStaticRolesArea(records, states, connect),
    createDynamicRolesArea(records, states),
    createLibraryArea(records, states, connect),
  );
  const endpoints = [
    ...area.endpoints,
    dynamicCredentialsEndpoint(records, states, connect),
    ...checkOutEndpoints(records, states, connect),
  ];
  return { ...area, endpoints: endpoints.map((endpoint) => ({ ...endpoint, engine: "directory" as const })) };
}

function createEntriesArea(
  directory: Directory,
): SecretsArea<never, "directoryEntries", DirectoryEntriesSetup> {
  return {
    endpoints: [],
    setup: {
      addDirectoryEntry: ({ dn, ...settings }) => directory.place(dn, toSettings(settings)),
      changeDirectoryEntry: (dn, change) => directory.update(dn, toSettings(change)),
      removeDirectoryEntry: (dn) => directory.remove(dn),
    },
    inspect: () => ({ directoryEntries: directory.all() }),
  };
}

function toSettings({ attributes, ...settings }: DirectoryEntrySettings): EntrySettings {
  const lists = Object.entries(attributes ?? {}).map(([name, values]) => [name, [values].flat()] as const);
  return { ...settings, ...(attributes && { attributes: Object.fromEntries(lists) }) };
}
