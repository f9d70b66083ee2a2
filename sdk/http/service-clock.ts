/** Truncated seconds and small drift explain this difference. It does not matter for expiry. */
const tolerance = 1000;

/** The clock of the service, from its latest `Date` header: the clock of this machine may be wrong. */
export class ServiceClock {
  private ahead: number | undefined;

  get known(): boolean {
    return this.ahead !== undefined;
  }

  /** Ignores a `date` that is not valid. The other times are milliseconds since 1970 by this machine's clock. */
  note(date: string | undefined, sentAt: number, receivedAt: number): void {
    const told = httpDate(date);
    if (told === undefined) {
      return;
    }
    // `Date` was written between these two times and omits the fraction of the second.
    const least = told - receivedAt;
    const most = told + 1000 - sentAt;
    this.ahead = least - tolerance <= 0 && most + tolerance >= 0 ? 0 : (least + most) / 2;
  }

  at(time: number): number {
    return time + (this.ahead ?? 0);
  }

  now(): number {
    return this.at(Date.now());
  }
}

/** Milliseconds since 1970. `Date.parse` alone accepts nearly everything. */
export function httpDate(text: string | undefined): number | undefined {
  const time =
    text !== undefined && /^[a-z]{3,9}, .* gmt$/i.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
