import { combineAreas } from "../../area";
import type { EmulatorOptions } from "../../options";
import type { Records } from "../records";
import { createAccessArea } from "./access";
import { credentialsEndpoint } from "./credentials";
import type { EmulatedScheduler } from "./emulated-scheduler";
import { EngineStates } from "./engine-state";
import { createLeaseArea } from "./lease";
import { createRolesArea } from "./roles";

/** The scheduler engine: access, lease, roles, and the tokens that it issues. */
export function createSchedulerEngineArea(
  records: Records,
  scheduler: EmulatedScheduler,
  { schedulerReads, schedulerAccess = "any" }: NonNullable<EmulatorOptions["secrets"]>,
) {
  const states = new EngineStates(records);
  const reads = schedulerReads ?? states.dialect.reads;
  const { leases, clock } = records;
  const accessChecked = schedulerAccess === "checked";
  return combineAreas(
    createAccessArea(states, { scheduler, accessChecked, reads }),
    createLeaseArea(states),
    createRolesArea(states, reads),
    {
      endpoints: [credentialsEndpoint({ states, leases, clock, scheduler, accessChecked })],
      setup: {},
      inspect: () => ({}),
      clear: () => states.clear(),
    },
  );
}
