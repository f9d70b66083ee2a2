import type { EmulatorClock } from "../clock";
import { newIdentifier } from "../tokens";
import type { LeaseRecord, MountRecord } from "./types";

export interface NewLease {
  readonly mount: MountRecord;
  /** Relative to the mount, such as `creds/web`. */
  readonly path: string;
  /** Seconds; 0 for no end. */
  readonly duration: number;
  /** Seconds from issue, with all renewals; 0 for the mount's limit, which always applies. */
  readonly maxDuration?: number | undefined;
  /** Hash of the token that it is issued under; the lease ends with the token of a login. */
  readonly parent?: string;
  readonly renewed?: (lease: LeaseRecord) => void;
  /** Called once, when it expires or is revoked, but never after a reset of the emulator. */
  readonly ended: () => void;
}

/** Seconds; 0 in `ttl` or `maxTtl` leaves the limit to the mount. */
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
    return this.start(record, terms);
  }

  /** @param increment seconds from now; 0 for the original duration */
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
    terms.renewed?.(record);
    return this.start(record, terms, new Date(now).toISOString());
  }

  /** @returns `false` for an unknown lease */
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

  /** Does not call `ended`, because the issued object no longer exists. */
  forget(id: string): void {
    this.open.get(id)?.stopTimer();
    this.open.delete(id);
  }

  revokeWhere(matches: (terms: NewLease) => boolean): void {
    for (const [id, lease] of this.open) {
      if (matches(lease.terms)) {
        this.revoke(id);
      }
    }
  }

  find(id: string): Pick<OpenLease, "record" | "lastRenewal"> | undefined {
    return this.open.get(id);
  }

  all(): LeaseRecord[] {
    return Array.from(this.open.values(), ({ record }) => record);
  }

  private start(record: LeaseRecord, terms: NewLease, lastRenewal?: string): LeaseRecord {
    const { id, duration } = record;
    const stopTimer =
      duration === 0 ? () => undefined : this.clock.after(duration * 1_000, () => this.revoke(id));
    this.open.set(id, { record, terms, lastRenewal, stopTimer });
    return record;
  }
}
