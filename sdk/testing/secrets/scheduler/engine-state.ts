import { MountStates } from "../mount-states";
import type { MountPath, MountRecord } from "../mounts";
import type { Records } from "../records";
import type { SchedulerAccessRecord } from "./access-record";
import type { SchedulerLeaseRecord } from "./lease-record";
import type { SchedulerRoleRecord } from "./role-record";

/** Where the scheduler engine is mounted from the start. */
export const usualMount = "scheduler";

/** What one mount of the scheduler engine knows. */
export interface EngineState {
  access: SchedulerAccessRecord | undefined;
  lease: SchedulerLeaseRecord | undefined;
  readonly roles: Map<string, SchedulerRoleRecord>;
}

/** The states of all mounts of the scheduler engine. */
export class EngineStates {
  private readonly states = new MountStates<EngineState>(() => ({
    access: undefined,
    lease: undefined,
    roles: new Map(),
  }));

  constructor(private readonly records: Records) {}

  of(mount: MountRecord): EngineState {
    return this.states.of(mount);
  }

  /**
   * For setting up.
   *
   * @throws Error when no scheduler engine is mounted there
   */
  at(path: string): EngineState {
    const mount = this.records.mounts.ofEngine("scheduler").find((candidate) => candidate.path === path);
    if (mount === undefined) {
      throw new Error(`The emulator has no scheduler engine at ${JSON.stringify(path)}.`);
    }
    return this.of(mount);
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
