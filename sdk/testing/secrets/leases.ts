import type { EmulatorClock } from "../clock";
import { newIdentifier } from "../tokens";
import type { LeaseRecord, MountRecord } from "./types";

/** What to issue. */
export interface NewLease {
  readonly mount: MountRecord;
  /** Below the mount, such as `creds/web`. */
  readonly path: string;
  /** Seconds; 0 for one that never ends. */
  readonly duration: number;
  /**
   * How long it may last from its beginning on, with all renewals. Seconds; 0 for as long as the mount says, which it
   * never exceeds.
   */
  readonly maxDuration?: number | undefined;
  /** The hash of the token that it is issued under. It ends with that of a login. Default: with none. */
  readonly parent?: string;
  /** Called after every renewal. */
  readonly renewed?: (lease: LeaseRecord) => void;
  /** Called once when the time is over or the lease is revoked; never after the emulator was reset. */
  readonly ended: () => void;
}

/** Seconds that a lease lasts at first; 0 for a `ttl` or a `maxTtl` leaves it to the mount. */
export function leaseDuration(
  { ttl, maxTtl }: { readonly ttl: number; readonly maxTtl: number },
  { defaultLeaseTtl, maxLeaseTtl }: MountRecord,
): number {
  return Math.min(ttl || defaultLeaseTtl, maxTtl || Infinity, maxLeaseTtl);
}

interface OpenLease {
  readonly record: LeaseRecord;
  readonly terms: NewLease;
  /** ISO 8601; `undefined` before the first renewal. */
  readonly lastRenewal: string | undefined;
  stopTimer(): void;
}

/** The leases of all engines. They end by the emulator's clock. */
export class Leases {
  private readonly open = new Map<string, OpenLease>();

  constructor(private readonly clock: EmulatorClock) {}

  issue(terms: NewLease): LeaseRecord {
    const { mount, path, duration } = terms;
    const now = this.clock.now();
    const id = newIdentifier(`${mount.path}/${path}/`, 24);
    const record: LeaseRecord = {
      id,
      duration,
      renewable: true,
      issuedAt: new Date(now).toISOString(),
      expiresAt: duration === 0 ? null : new Date(now + duration * 1_000).toISOString(),
    };
    this.open.set(id, { record, terms, lastRenewal: undefined, stopTimer: this.startTimer(record) });
    return record;
  }

  /**
   * Lets a lease last longer, counted from now on. One that never ends stays as it is.
   *
   * @param increment seconds wanted; 0 for as long as it lasted at first
   * @returns `undefined` when there is no such lease, or no longer
   */
  renew(id: string, increment: number): LeaseRecord | undefined {
    const lease = this.open.get(id);
    if (lease === undefined || lease.record.expiresAt === null) {
      return lease?.record;
    }
    const { terms } = lease;
    const now = this.clock.now();
    const longest = Math.min(terms.maxDuration || Infinity, terms.mount.maxLeaseTtl);
    const end = Date.parse(lease.record.issuedAt) + longest * 1_000;
    const duration = Math.min(increment || terms.duration, Math.floor((end - now) / 1_000));
    const record = { ...lease.record, duration, expiresAt: new Date(now + duration * 1_000).toISOString() };
    lease.stopTimer();
    const lastRenewal = new Date(now).toISOString();
    this.open.set(id, { record, terms, lastRenewal, stopTimer: this.startTimer(record) });
    terms.renewed?.(record);
    return record;
  }

  /** ISO 8601; `undefined` for a lease that was never renewed. */
  lastRenewal(id: string): string | undefined {
    return this.open.get(id)?.lastRenewal;
  }

  /** Ends a lease before its time. @returns `false` when there is no such lease, or no longer */
  revoke(id: string): boolean {
    const lease = this.open.get(id);
    if (lease === undefined) {
      return false;
    }
    this.open.delete(id);
    lease.stopTimer();
    lease.terms.ended();
    return true;
  }

  /** Takes a lease away without calling `ended`, when what it was issued for no longer exists already. */
  forget(id: string): void {
    this.open.get(id)?.stopTimer();
    this.open.delete(id);
  }

  /** Ends all leases with such terms. */
  revokeWhere(concerned: (terms: NewLease) => boolean): void {
    for (const [id, lease] of this.open) {
      if (concerned(lease.terms)) {
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

  private startTimer({ id, duration }: LeaseRecord): () => void {
    return duration === 0 ? () => undefined : this.clock.after(duration * 1_000, () => this.revoke(id));
  }
}
