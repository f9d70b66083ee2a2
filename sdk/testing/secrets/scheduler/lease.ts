import type { Area } from "../../area";
import { dataResponse } from "../responses";
import { deletes, reads, writes, type EngineEndpoint } from "../endpoint";
import { type Field, FieldTable, seconds } from "../fields";
import type { MountStates } from "../mount-states";
import type { MountPath } from "../mounts";

/** How long the tokens that an engine issues live. Seconds; 0 where the mount decides. */
export interface SchedulerLeaseRecord {
  readonly ttl: number;
  readonly maxTtl: number;
}

/** An empty text unsets it, in both dialects. */
const time: Field<number> = seconds({
  read: (body, name) => (body.isEmpty(name) ? 0 : body.duration(name)),
});

const leaseFields = new FieldTable<SchedulerLeaseRecord>({ ttl: time, maxTtl: time });

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

export interface LeaseState {
  lease?: SchedulerLeaseRecord | undefined;
}

/** How long issued tokens live. A write replaces both values. */
export function createLeaseArea(
  states: MountStates<LeaseState>,
): Area<EngineEndpoint, SchedulerLeaseInspection, SchedulerLeaseSetup> {
  const path = "/config/lease";
  return {
    endpoints: [
      writes(path, leaseFields.names, ({ mount, body }) => {
        states.of(mount).lease = leaseFields.read(body);
      }),
      reads(path, ({ mount }) => {
        const { lease } = states.of(mount);
        return lease && dataResponse(leaseFields.returned(lease));
      }),
      deletes(path, ({ mount }) => {
        states.of(mount).lease = undefined;
      }),
    ],
    setup: {
      changeSchedulerLease(change, mount) {
        const state = states.at(mount);
        state.lease = leaseFields.with({ ...state.lease, ...change });
        return { ...state.lease };
      },
      removeSchedulerLease(mount) {
        states.at(mount).lease = undefined;
      },
    },
    inspect: () => ({ schedulerLeases: states.inspect(({ lease }) => (lease === undefined ? [] : [lease])) }),
  };
}
