import type { Area } from "../../area";
import { dataAnswer, noContent } from "../answers";
import type { EngineEndpoint } from "../endpoint";
import type { MountPath } from "../mounts";
import { notFound } from "../refusal";
import type { EngineStates } from "./engine-state";
import type { SchedulerLeaseRecord } from "./lease-record";

export interface SchedulerLeaseInspection {
  /** The lease configurations, one for each mount that has one. */
  readonly schedulerLeases: readonly (SchedulerLeaseRecord & MountPath)[];
}

/** Works behind a program's back. */
export interface SchedulerLeaseSetup {
  /**
   * Changes what is given; makes a configuration where there is none.
   *
   * @param mount default: where the engine is mounted from the start
   * @throws Error when no scheduler engine is mounted there
   */
  changeSchedulerLease(change: Partial<SchedulerLeaseRecord>, mount?: string): SchedulerLeaseRecord;
  /** @throws Error when no scheduler engine is mounted there */
  removeSchedulerLease(mount?: string): void;
}

/** How long issued tokens live. A write replaces both values. */
export function createLeaseArea(
  states: EngineStates,
): Area<EngineEndpoint, SchedulerLeaseInspection, SchedulerLeaseSetup> {
  const path = "/config/lease";
  return {
    endpoints: [
      {
        engine: "scheduler",
        operation: "POST",
        path,
        fields: ["ttl", "max_ttl"],
        handle({ mount, fields }) {
          states.of(mount).lease = {
            ttl: fields.duration("ttl") ?? 0,
            maxTtl: fields.duration("max_ttl") ?? 0,
          };
          return noContent;
        },
      },
      {
        engine: "scheduler",
        operation: "GET",
        path,
        handle({ mount }) {
          const { lease } = states.of(mount);
          if (lease === undefined) {
            throw notFound();
          }
          return dataAnswer({ ttl: lease.ttl, max_ttl: lease.maxTtl });
        },
      },
      {
        engine: "scheduler",
        operation: "DELETE",
        path,
        handle({ mount }) {
          states.of(mount).lease = undefined;
          return noContent;
        },
      },
    ],
    setup: {
      changeSchedulerLease(change, mount) {
        const state = states.at(mount);
        state.lease = { ...(state.lease ?? { ttl: 0, maxTtl: 0 }), ...change };
        return { ...state.lease };
      },
      removeSchedulerLease(mount) {
        states.at(mount).lease = undefined;
      },
    },
    inspect: () => ({
      schedulerLeases: states.inspect(({ lease }) => (lease === undefined ? [] : [lease])),
    }),
    clear: () => undefined,
  };
}
