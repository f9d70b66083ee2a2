/**
 * One area of a service, such as its projects: endpoints, their state, and what a test may see and set up. A file
 * makes one, and the service's list of areas names it; nothing else has to know.
 */
export interface Area<Endpoint, Inspection, Setup> {
  readonly endpoints: readonly Endpoint[];
  /** What becomes part of the emulator's public handle of the service. */
  readonly setup: Setup;
  /** A copy of the state, as plain data. */
  inspect(): Inspection;
  /** Back to the start. */
  clear(): void;
}
