import { combineAreas } from "../../area";
import { Table } from "../../table";
import type { SecretsResponse } from "../responses";
import type { EngineEndpoint, SecretsEndpoint } from "../endpoint";
import { MountStates } from "../mount-states";
import type { Records } from "../records";
import { failure } from "../refusal";
import { checkOutEndpoints } from "./check-outs";
import { createConfigArea, type ConfigState } from "./config";
import { dynamicCredentialsEndpoint } from "./dynamic-credentials";
import { createDynamicRolesArea, type DynamicRolesState } from "./dynamic-roles";
import { EngineFailure, isEngineFailure } from "./engine-failure";
import { createEntriesArea } from "./entries";
import { Directory } from "./ldap/directory";
import { createLibraryArea, type LibraryState } from "./library-sets";
import { Session, type Connect } from "./session";
import { createStaticRolesArea, type StaticRolesState } from "./static-roles";

type EngineState = ConfigState & StaticRolesState & DynamicRolesState & LibraryState;

/** The directory engine, and the directory behind it, which all mounts share. */
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
    return new Session(directory, config, records.passwordPolicies);
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
  return { ...area, endpoints: endpoints.map(withEngineFailures) };
}

/** What fails behind the engine returns 500. */
function withEngineFailures(endpoint: EngineEndpoint): SecretsEndpoint {
  return {
    ...endpoint,
    engine: "directory",
    async handle(request): Promise<SecretsResponse | undefined> {
      try {
        return await endpoint.handle(request);
      } catch (error) {
        throw isEngineFailure(error) ? failure(error.message) : error;
      }
    },
  };
}
