import { combineAreas } from "../../area";
import type { Records } from "../records";
import { createAccessArea } from "./access";
import { credentialsEndpoint } from "./credentials";
import type { EmulatedScheduler } from "./emulated-scheduler";
import { EngineStates } from "./engine-state";
import { createLeaseArea } from "./lease";
import type { SchedulerReads } from "./reads";
import { createRolesArea } from "./roles";

/** How the scheduler engine behaves where there is a choice. */
export interface SchedulerEngineOptions {
  /** @see EmulatorOptions */
  readonly schedulerReads?: SchedulerReads;
  /** @see EmulatorOptions */
  readonly schedulerAccess?: "any" | "checked";
}

/** The scheduler engine: access, lease, roles, and the tokens that it issues. */
export function createSchedulerEngineArea(
  records: Records,
  scheduler: EmulatedScheduler,
  { schedulerReads = "documented", schedulerAccess = "any" }: SchedulerEngineOptions,
) {
  const states = new EngineStates(records);
  const { leases, clock } = records;
  const accessChecked = schedulerAccess === "checked";
  return combineAreas(
    createAccessArea(states, schedulerReads),
    createLeaseArea(states),
    createRolesArea(states, schedulerReads),
    {
      endpoints: [credentialsEndpoint({ states, leases, clock, scheduler, accessChecked })],
      setup: {},
      inspect: () => ({}),
      clear: () => states.clear(),
    },
  );
}
