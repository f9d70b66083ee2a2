import { MountStates } from "../mount-states";
import type { MountPath, MountRecord } from "../mounts";
import type { Records } from "../records";
import type { SchedulerAccessRecord } from "./access-record";
import type { SchedulerEngineDialect } from "./dialect";
import type { SchedulerLeaseRecord } from "./lease-record";
import type { SchedulerRoleRecord } from "./role-record";

/** What one mount of the scheduler engine knows. */
export interface EngineState {
  access: SchedulerAccessRecord | undefined;
  lease: SchedulerLeaseRecord | undefined;
  readonly roles: Map<string, SchedulerRoleRecord>;
  /** Names of roles whose policies no request has ever said anything about. */
  readonly rolesWithoutPolicies: Set<string>;
}

/** The states of all mounts of the scheduler engine. */
export class EngineStates {
  private readonly states = new MountStates<EngineState>(() => ({
    access: undefined,
    lease: undefined,
    roles: new Map(),
    rolesWithoutPolicies: new Set(),
  }));

  constructor(private readonly records: Records) {}

  of(mount: MountRecord): EngineState {
    return this.states.of(mount);
  }

  /**
   * For setting up.
   *
   * @param path default: where the engine is mounted from the start
   * @throws Error when no scheduler engine is mounted there
   */
  at(path?: string): EngineState {
    return this.of(this.records.mounts.known("scheduler", path));
  }

  get dialect(): SchedulerEngineDialect {
    return this.records.dialect.scheduler;
  }

  /** What each mount answers to a question, with the path of the mount. */
  inspect<Item extends object>(itemsOf: (state: EngineState) => readonly Item[]): (Item & MountPath)[] {
    return this.records.mounts
      .ofEngine("scheduler")
      .flatMap((mount) => itemsOf(this.of(mount)).map((item) => ({ mount: mount.path, ...item })));
  }

  clear(): void {
    this.states.clear();
  }
}
