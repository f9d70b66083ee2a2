import { combineAreas } from "../../area";
import { Table } from "../../table";
import { MountStates } from "../mount-states";
import type { Records } from "../records";
import { createAccessArea, type AccessState, type SchedulerReads } from "./access";
import { credentialsEndpoint } from "./credentials";
import type { EmulatedScheduler } from "./emulated-scheduler";
import { createLeaseArea, type LeaseState } from "./lease";
import { createRolesArea, type RolesState } from "./roles";

/** How the secrets service is emulated. */
export interface SecretsEmulatorOptions {
  /**
   * What the scheduler engine returns to reads: `"documented"`, as the documentation says (`address` alone
   * for the access configuration; `token_type` and `lease` for a role), or `"real"`, as real servers do (all
   * but the secrets for the access configuration; `type` and `global` for a role). Default `"documented"`, in
   * the hashicorp dialect `"real"`.
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
  const { isHashicorp } = records;
  const isReal = schedulerReads === undefined ? isHashicorp : schedulerReads === "real";
  const accessChecked = schedulerAccess === "checked";
  const states = new MountStates(records.mounts, "scheduler", (): AccessState & LeaseState & RolesState => ({
    roles: new Table("scheduler role", ({ name }) => name),
  }));
  const area = combineAreas(
    createAccessArea(states, { isHashicorp, scheduler, accessChecked, isReal }),
    createLeaseArea(states),
    createRolesArea(states, isHashicorp, isReal),
  );
  return {
    ...area,
    endpoints: [...area.endpoints, credentialsEndpoint(records, states, scheduler, accessChecked)].map(
      (endpoint) => ({ ...endpoint, engine: "scheduler" as const }),
    ),
  };
}
