import type { EngineType, MountPath, MountRecord, Mounts } from "./mounts";

/** What an engine knows on each of its mounts. What is mounted again, as after a reset, begins again. */
export class MountStates<State extends object> {
  private readonly states = new WeakMap<MountRecord, State>();

  /** @param create what a fresh mount begins with */
  constructor(
    private readonly mounts: Mounts,
    private readonly engine: EngineType,
    private readonly create: () => State,
  ) {}

  of(mount: MountRecord): State {
    const state = this.states.get(mount) ?? this.create();
    this.states.set(mount, state);
    return state;
  }

  /**
   * For setting up.
   *
   * @param path default: where the engine is mounted from the start
   * @throws Error when the engine is not mounted there
   */
  at(path?: string): State {
    return this.of(this.mounts.known(this.engine, path));
  }

  /** What each mount returns, with its path. */
  inspect<Item extends object>(itemsOf: (state: State) => readonly Item[]): (Item & MountPath)[] {
    return this.mounts
      .ofEngine(this.engine)
      .flatMap((mount) => itemsOf(this.of(mount)).map((item) => ({ mount: mount.path, ...item })));
  }
}
