import type { Area } from "../../area";
import { dataAnswer, noContent } from "../answers";
import type { EngineEndpoint } from "../endpoint";
import type { MountPath } from "../mounts";
import { notFound } from "../refusal";
import { accessFields, emptyAccess, writeAccess, type SchedulerAccessRecord } from "./access-record";
import { usualMount, type EngineStates } from "./engine-state";
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
   * @param mount default `scheduler`
   * @throws Error when no scheduler engine is mounted there
   */
  changeSchedulerAccess(change: Partial<SchedulerAccessRecord>, mount?: string): SchedulerAccessRecord;
  /** @throws Error when no scheduler engine is mounted there */
  removeSchedulerAccess(mount?: string): void;
}

/** How the scheduler engine reaches the scheduler. The documents have no request that deletes it. */
export function createAccessArea(
  states: EngineStates,
  reads: SchedulerReads,
): Area<EngineEndpoint, SchedulerAccessInspection, SchedulerAccessSetup> {
  return {
    endpoints: [
      {
        engine: "scheduler",
        operation: "POST",
        path: "/config/access",
        fields: accessFields,
        handle({ mount, fields }) {
          const state = states.of(mount);
          state.access = writeAccess(fields, state.access);
          return noContent;
        },
      },
      {
        engine: "scheduler",
        operation: "GET",
        path: "/config/access",
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
    ],
    setup: {
      changeSchedulerAccess(change, mount = usualMount) {
        const state = states.at(mount);
        state.access = { ...(state.access ?? emptyAccess), ...change };
        return { ...state.access };
      },
      removeSchedulerAccess(mount = usualMount) {
        states.at(mount).access = undefined;
      },
    },
    inspect: () => ({
      schedulerAccess: states.inspect(({ access }) => (access === undefined ? [] : [access])),
    }),
    clear: () => undefined,
  };
}
