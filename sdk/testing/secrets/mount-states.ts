import type { MountRecord } from "./mounts";

/** A state for each mount of an engine, made when first asked for. What is mounted anew begins anew. */
export class MountStates<State> {
  private readonly states = new Map<MountRecord, State>();

  /** @param create what a fresh mount begins with */
  constructor(private readonly create: (mount: MountRecord) => State) {}

  of(mount: MountRecord): State {
    const existing = this.states.get(mount);
    if (existing !== undefined) {
      return existing;
    }
    const created = this.create(mount);
    this.states.set(mount, created);
    return created;
  }

  clear(): void {
    this.states.clear();
  }
}
