/** A difference that truncated seconds and small drift explain; it changes nothing about what is still valid. */
const tolerance = 1000;

/**
 * The service's clock, as the `Date` of its latest response tells. A machine whose clock is wrong must not take for
 * expired what the service keeps, or the other way round.
 */
export class ServiceClock {
  private ahead: number | undefined;

  /** Whether the service has told its time; until then this machine's clock stands in for it. */
  get known(): boolean {
    return this.ahead !== undefined;
  }

  /**
   * Notes the time that a response tells.
   *
   * @param date its `Date`; what is no date tells nothing
   * @param sentAt milliseconds since 1970 by this machine's clock
   * @param receivedAt the same
   */
  note(date: string | undefined, sentAt: number, receivedAt: number): void {
    const told = httpDate(date);
    if (told === undefined) {
      return;
    }
    // The service wrote it at some time in between, and left out the fraction of its second.
    const least = told - receivedAt;
    const most = told + 1000 - sentAt;
    this.ahead = least - tolerance <= 0 && most + tolerance >= 0 ? 0 : (least + most) / 2;
  }

  /** The service's time, in milliseconds since 1970, at a time of this machine's clock. */
  at(time: number): number {
    return time + (this.ahead ?? 0);
  }

  /** The service's time, in milliseconds since 1970. */
  now(): number {
    return this.at(Date.now());
  }
}

/** A date as HTTP writes it, in milliseconds since 1970: `Date.parse` alone finds dates in nearly everything. */
export function httpDate(text: string | undefined): number | undefined {
  const time =
    text !== undefined && /^[a-z]{3,9}, .* gmt$/i.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
