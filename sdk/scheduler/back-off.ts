/** What came of a connection that has ended, or of an attempt to make one. */
export type ConnectionOutcome =
  /** It brought events. */
  | "productive"
  /** It brought signs of life, or part of a frame, or was there without an answer. */
  | "alive"
  /** It brought nothing. */
  | "dead";

const shortestDelay = 100;
const longestDelay = 30_000;
/** So many connections that were alive count as much as one that was dead. */
const aliveConnectionsPerDoubling = 20;

/** How long to wait before the next connection, in view of those before it. */
export class BackOff {
  private doublings = 0;

  /**
   * @param outcome of the last connection
   * @param random from 0 to below 1: readers that were cut off together should not come back together
   * @returns milliseconds
   */
  next(outcome: ConnectionOutcome, random: number): number {
    if (outcome === "productive") {
      this.doublings = 0;
    }
    const delay = Math.min(longestDelay, shortestDelay * 2 ** Math.floor(this.doublings));
    this.doublings += outcome === "dead" ? 1 : 1 / aliveConnectionsPerDoubling;
    return delay * (0.5 + random / 2);
  }
}
