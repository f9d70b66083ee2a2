import { combineAreas } from "../../area";
import type { Records } from "../records";
import { createAccessArea } from "./access";
import { credentialsEndpoint } from "./credentials";
import type { EmulatedScheduler } from "./emulated-scheduler";
import { EngineStates } from "./engine-state";
import { createLeaseArea } from "./lease";
import type { SchedulerReads } from "./reads";
import { createRolesArea } from "./roles";

/** How the secrets service is emulated. */
export interface SecretsEmulatorOptions {
  /**
   * What the scheduler engine answers to reads: `"documented"`, as the documents say (`address` alone for the access
   * configuration; `token_type` and `lease` for a role), or `"real"`, as real servers do (all but the secrets for
   * the access configuration; `type` and `global` for a role). Default `"documented"`, in the hashicorp dialect
   * `"real"`.
   */
  readonly schedulerReads?: SchedulerReads;
  /**
   * Whether the scheduler engine issues tokens of the emulated scheduler whatever its access configuration says
   * (`"any"`), or fails as a real one does unless that has the emulated scheduler's address and a management token
   * of it (`"checked"`). What is not configured is right, as from the service's environment. Default `"any"`.
   */
  readonly schedulerAccess?: "any" | "checked";
}

/** The scheduler engine: access, lease, roles, and the tokens that it issues. */
export function createSchedulerEngineArea(
  records: Records,
  scheduler: EmulatedScheduler,
  { schedulerReads, schedulerAccess = "any" }: SecretsEmulatorOptions,
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
