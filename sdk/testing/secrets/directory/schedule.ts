import type { Records } from "../records";
import type { MountRecord } from "../types";
import { MountStates } from "../mounts";
import { EngineFailure } from "../refusal";

/** Before the engine tries again what the directory has refused. Milliseconds. */
const retryAfter = 10_000;

/** What an engine does by itself: at most one action at a time for a name on a mount, repeated until it succeeds. */
export class Schedule {
  private readonly timers: MountStates<Map<string, () => void>>;

  constructor(private readonly records: Records) {
    this.timers = new MountStates(records.mounts, "directory", () => new Map<string, () => void>());
  }

  /** Does it now. */
  run(mount: MountRecord, name: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!(error instanceof EngineFailure)) {
        throw error;
      }
      this.retry(mount, name, action);
    }
  }

  /** Does it later, instead of what was to be done about the name; never once the mount no longer exists. */
  after(milliseconds: number, mount: MountRecord, name: string, action: () => void): void {
    this.stop(mount, name);
    const stop = this.records.clock.after(milliseconds, () => {
      if (this.records.mounts.all().includes(mount)) {
        this.run(mount, name, action);
      }
    });
    this.timers.of(mount).set(name, stop);
  }

  /** Does it again after a failure. */
  retry(mount: MountRecord, name: string, action: () => void): void {
    this.after(retryAfter, mount, name, action);
  }

  stop(mount: MountRecord, name: string): void {
    this.timers.of(mount).get(name)?.();
    this.timers.of(mount).delete(name);
  }
}
