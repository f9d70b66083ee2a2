import type { Records } from "../records";
import type { MountRecord } from "../types";
import { MountStates } from "../mounts";
import { EngineFailure } from "../refusal";

/** Milliseconds before an action that the directory rejected is retried. */
const retryAfter = 10_000;

/** At most one pending action per name and mount, retried until it succeeds. */
export class Schedule {
  private readonly timers: MountStates<Map<string, () => void>>;

  constructor(private readonly records: Records) {
    this.timers = new MountStates(records.mounts, "directory", () => new Map<string, () => void>());
  }

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

  /** Replaces the name's pending action; skipped once the mount no longer exists. */
  after(milliseconds: number, mount: MountRecord, name: string, action: () => void): void {
    this.stop(mount, name);
    const stop = this.records.clock.after(milliseconds, () => {
      if (this.records.mounts.all().includes(mount)) {
        this.run(mount, name, action);
      }
    });
    this.timers.of(mount).set(name, stop);
  }

  retry(mount: MountRecord, name: string, action: () => void): void {
    this.after(retryAfter, mount, name, action);
  }

  stop(mount: MountRecord, name: string): void {
    this.timers.of(mount).get(name)?.();
    this.timers.of(mount).delete(name);
  }
}
