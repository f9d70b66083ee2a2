import { combineAreas } from "../../area";
import type { SecretsAnswer } from "../answers";
import type { EngineEndpoint } from "../endpoint";
import type { Records } from "../records";
import { failure } from "../refusal";
import { createConfigArea } from "./config";
import { createDynamicRolesArea } from "./dynamic-roles";
import { isEngineFailure } from "./engine-failure";
import { EngineStates } from "./engine-state";
import { createEntriesArea } from "./entries";
import { Directory } from "./ldap/directory";
import { createLibraryArea } from "./library-sets";
import { createStaticRolesArea } from "./static-roles";

/** The directory engine, and the directory behind it. */
export function createDirectoryEngineArea(records: Records) {
  const directory = new Directory();
  const states = new EngineStates(records, directory);
  const area = combineAreas(
    createEntriesArea(directory),
    createConfigArea(states),
    createStaticRolesArea(states),
    createDynamicRolesArea(states),
    createLibraryArea(states),
  );
  return {
    ...area,
    endpoints: area.endpoints.map(answeringFailures),
    clear() {
      area.clear();
      states.clear();
    },
  };
}

/** What fails behind the engine is answered with 500. */
function answeringFailures(endpoint: EngineEndpoint): EngineEndpoint {
  return {
    ...endpoint,
    async handle(request): Promise<SecretsAnswer> {
      try {
        return await endpoint.handle(request);
      } catch (error) {
        throw isEngineFailure(error) ? failure(error.message) : error;
      }
    },
  };
}
