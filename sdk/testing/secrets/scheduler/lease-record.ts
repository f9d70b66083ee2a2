/** How long the tokens that an engine issues live. Seconds; 0 where the mount decides. */
export interface SchedulerLeaseRecord {
  readonly ttl: number;
  readonly maxTtl: number;
}
