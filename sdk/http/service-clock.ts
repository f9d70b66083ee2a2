/** Truncated seconds and small drift explain this difference; it does not affect expiry. */
const tolerance = 1000;

/**
 * The clock of the service, from the `Date` of its latest response. A machine with a wrong clock must not
 * treat as expired what the service keeps, or the other way round.
 */
export class ServiceClock {
  private ahead: number | undefined;

  /** Whether the service has sent its time; until then this machine's clock is used. */
  get known(): boolean {
    return this.ahead !== undefined;
  }

  /**
   * Records the time in a response.
   *
   * @param date its `Date`; ignored if it is not a date
   * @param sentAt milliseconds since 1970 by this machine's clock
   * @param receivedAt the same
   */
  note(date: string | undefined, sentAt: number, receivedAt: number): void {
    const told = httpDate(date);
    if (told === undefined) {
      return;
    }
    // The service wrote it between these times, without the fraction of the second.
    const least = told - receivedAt;
    const most = told + 1000 - sentAt;
    this.ahead = least - tolerance <= 0 && most + tolerance >= 0 ? 0 : (least + most) / 2;
  }

  /** The time of the service, in milliseconds since 1970, at a time of this machine's clock. */
  at(time: number): number {
    return time + (this.ahead ?? 0);
  }

  /** The service's time, in milliseconds since 1970. */
  now(): number {
    return this.at(Date.now());
  }
}

/** An HTTP date, in milliseconds since 1970: `Date.parse` alone accepts nearly everything. */
export function httpDate(text: string | undefined): number | undefined {
  const time =
    text !== undefined && /^[a-z]{3,9}, .* gmt$/i.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
