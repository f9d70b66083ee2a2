import type { Area } from "../../area";
import { dataAnswer, noContent } from "../answers";
import type { EngineEndpoint } from "../endpoint";
import type { MountPath } from "../mounts";
import { notFound } from "../refusal";
import { accessFields, emptyAccess, writeAccess, type SchedulerAccessRecord } from "./access-record";
import { bootstrap, type EmulatedScheduler } from "./emulated-scheduler";
import type { EngineStates } from "./engine-state";
import type { SchedulerReads } from "./reads";

export interface SchedulerAccessInspection {
  /** The access configurations, one for each mount that has one. */
  readonly schedulerAccess: readonly (SchedulerAccessRecord & MountPath)[];
}

/** Works behind a program's back. */
export interface SchedulerAccessSetup {
  /**
   * Changes what is given; makes a configuration where there is none.
   *
   * @param mount default: where the engine is mounted from the start
   * @throws Error when no scheduler engine is mounted there
   */
  changeSchedulerAccess(change: Partial<SchedulerAccessRecord>, mount?: string): SchedulerAccessRecord;
  /** @throws Error when no scheduler engine is mounted there */
  removeSchedulerAccess(mount?: string): void;
}

/** How the access area differs by the options of the emulator. */
export interface AccessOptions {
  readonly scheduler: EmulatedScheduler;
  /** Whether the configuration has to lead to the emulated scheduler. */
  readonly accessChecked: boolean;
  readonly reads: SchedulerReads;
}

const path = "/config/access";

/** How the scheduler engine reaches the scheduler. The documents have no request that deletes it. */
export function createAccessArea(
  states: EngineStates,
  { scheduler, accessChecked, reads }: AccessOptions,
): Area<EngineEndpoint, SchedulerAccessInspection, SchedulerAccessSetup> {
  const { accessWithoutTokenBootstraps, accessCanBeDeleted } = states.dialect;
  return {
    endpoints: [
      {
        engine: "scheduler",
        operation: "POST",
        path,
        fields: accessFields,
        handle({ mount, fields }) {
          const state = states.of(mount);
          const access = writeAccess(fields, state.access ?? emptyAccess, states.dialect);
          state.access =
            access.token === "" && accessWithoutTokenBootstraps
              ? { ...access, token: bootstrap(scheduler, accessChecked ? access : undefined) }
              : access;
          return noContent;
        },
      },
      {
        engine: "scheduler",
        operation: "GET",
        path,
        handle({ mount }) {
          const { access } = states.of(mount);
          if (access === undefined) {
            throw notFound();
          }
          const { address, maxTokenNameLength, caCert, clientCert } = access;
          const more = {
            max_token_name_length: maxTokenNameLength,
            ca_cert: caCert,
            client_cert: clientCert,
          };
          return dataAnswer({ address, ...(reads === "real" ? more : {}) });
        },
      },
      ...(accessCanBeDeleted ? [deletionEndpoint(states)] : []),
    ],
    setup: {
      changeSchedulerAccess(change, mount) {
        const state = states.at(mount);
        state.access = { ...(state.access ?? emptyAccess), ...change };
        return { ...state.access };
      },
      removeSchedulerAccess(mount) {
        states.at(mount).access = undefined;
      },
    },
    inspect: () => ({
      schedulerAccess: states.inspect(({ access }) => (access === undefined ? [] : [access])),
    }),
    clear: () => undefined,
  };
}

function deletionEndpoint(states: EngineStates): EngineEndpoint {
  return {
    engine: "scheduler",
    operation: "DELETE",
    path,
    handle({ mount }) {
      states.of(mount).access = undefined;
      return noContent;
    },
  };
}
