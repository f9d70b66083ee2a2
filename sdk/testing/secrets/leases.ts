import type { EmulatorClock } from "../clock";
import { newIdentifier } from "../tokens";
import type { LeaseRecord, MountRecord } from "./types";

export interface NewLease {
  readonly mount: MountRecord;
  /** Relative to the mount, such as `creds/web`. */
  readonly path: string;
  /** In seconds; 0 for a lease that never expires. */
  readonly duration: number;
  /** In seconds, for a renewal that does not request a duration; default `duration`. */
  readonly renewal?: number | undefined;
  /** Seconds from issue, with all renewals; 0 for the mount's limit, which always applies. */
  readonly maxDuration?: number | undefined;
  /** Hash of the token that it is issued under; the lease ends with the token of a login. */
  readonly parent?: string;
  /** Throws a `Refusal` while a revocation on request would fail. */
  readonly requireRevocable?: (() => void) | undefined;
  readonly renewed?: (lease: LeaseRecord) => void;
  /** Called once, when it expires or is revoked, but never after a reset of the emulator. */
  readonly ended: () => void;
}

export interface Ttl {
  /** Seconds. */
  readonly ttl: number;
  readonly warnings: readonly string[];
}

/** @param ttl seconds; 0 in it or in `maxTtl` leaves the limit to the mount */
export function leaseTtl(
  { ttl, maxTtl }: { readonly ttl: number; readonly maxTtl: number },
  { defaultLeaseTtl, maxLeaseTtl }: MountRecord,
): Ttl {
  return cappedTtl(ttl || defaultLeaseTtl, Math.min(maxTtl || Infinity, maxLeaseTtl));
}

export function cappedTtl(ttl: number, longest: number): Ttl {
  // A part of a second might have passed since the beginning.
  const whole = Math.round(longest);
  const texts = [ttl, whole].map((seconds) => `"${goDuration(seconds)}"`);
  const warning = `TTL of ${texts[0]} exceeded the effective max_ttl of ${texts[1]}; TTL value is capped accordingly`;
  return ttl > whole ? { ttl: whole, warnings: [warning] } : { ttl, warnings: [] };
}

/** Without zero elements, such as `1h30m`. */
function goDuration(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3_600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  return parts.map(([count, unit]) => (count === 0 ? "" : `${count}${unit}`)).join("") || "0s";
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
  renew(id: string, increment: number): (Ttl & { readonly record: LeaseRecord }) | undefined {
    const lease = this.open.get(id);
    if (lease === undefined || lease.record.expiresAt === null) {
      return lease && { record: lease.record, ttl: 0, warnings: [] };
    }
    const { terms } = lease;
    const now = this.clock.now();
    const longest = Math.min(terms.maxDuration || Infinity, terms.mount.maxLeaseTtl);
    const end = Date.parse(lease.record.issuedAt) + longest * 1_000;
    const capped = cappedTtl(increment || (terms.renewal ?? terms.duration), (end - now) / 1_000);
    const expiresAt = new Date(now + capped.ttl * 1_000).toISOString();
    const record = { ...lease.record, duration: capped.ttl, expiresAt };
    lease.stopTimer();
    terms.renewed?.(record);
    return { ...capped, record: this.start(record, terms, new Date(now).toISOString()) };
  }

  /** @throws Refusal while what issued one of them cannot revoke it */
  requireRevocable(matches: (terms: NewLease, id: string) => boolean): void {
    for (const [id, { terms }] of this.open) {
      if (matches(terms, id)) {
        terms.requireRevocable?.();
      }
    }
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

  revokeWhere(matches: (terms: NewLease, id: string) => boolean): void {
    for (const [id, lease] of this.open) {
      if (matches(lease.terms, id)) {
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
