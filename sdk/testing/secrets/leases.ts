import type { EmulatorClock } from "../clock";
import { newIdentifier } from "../identifiers";
import type { MountRecord } from "./mounts";

/** Something issued for a time. */
export interface LeaseRecord {
  /** Such as `ldap/creds/web/` and 24 letters and digits. */
  readonly id: string;
  /** What the answer calls the length of the lease. Seconds; 0 for one that never ends. */
  readonly duration: number;
  readonly renewable: boolean;
  /** ISO 8601. */
  readonly issuedAt: string;
  /** ISO 8601; `null` for one that never ends. */
  readonly expiresAt: string | null;
}

/** What to issue. */
export interface NewLease {
  readonly mount: MountRecord;
  /** Below the mount, such as `creds/web`. */
  readonly path: string;
  /** Seconds; 0 for one that never ends. */
  readonly duration: number;
  readonly renewable: boolean;
  /** Called once when the time is over or the lease is revoked; never after the emulator was reset. */
  readonly ended: () => void;
}

interface OpenLease {
  readonly record: LeaseRecord;
  readonly mount: MountRecord;
  end(): void;
}

/** The leases of all engines. They end by the emulator's clock. */
export class Leases {
  private readonly open = new Map<string, OpenLease>();

  constructor(private readonly clock: EmulatorClock) {}

  issue({ mount, path, duration, renewable, ended }: NewLease): LeaseRecord {
    const now = this.clock.now();
    const id = newIdentifier(`${mount.path}/${path}/`, 24);
    const endless = duration === 0;
    const record: LeaseRecord = {
      id,
      duration,
      renewable,
      issuedAt: new Date(now).toISOString(),
      expiresAt: endless ? null : new Date(now + duration * 1_000).toISOString(),
    };
    const stopTimer = endless ? () => undefined : this.clock.after(duration * 1_000, () => this.revoke(id));
    const end = (): void => {
      stopTimer();
      ended();
    };
    this.open.set(id, { record, mount, end });
    return record;
  }

  /** Ends a lease before its time. @returns `false` when there is no such lease, or no longer */
  revoke(id: string): boolean {
    const lease = this.open.get(id);
    if (lease === undefined) {
      return false;
    }
    this.open.delete(id);
    lease.end();
    return true;
  }

  /** Takes a lease away without calling `ended`, when what it was issued for is gone already. */
  forget(id: string): void {
    this.open.delete(id);
  }

  /** Ends all leases of a mount. */
  revokeAll(mount: MountRecord): void {
    for (const [id, lease] of this.open) {
      if (lease.mount === mount) {
        this.revoke(id);
      }
    }
  }

  find(id: string): LeaseRecord | undefined {
    return this.open.get(id)?.record;
  }

  all(): LeaseRecord[] {
    return Array.from(this.open.values(), ({ record }) => record);
  }

  clear(): void {
    this.open.clear();
  }
}
