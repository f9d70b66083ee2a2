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
  /** Back to the start. Not needed where the state goes with something else. */
  clear?(): void;
}

/** An area of any kind. */
type SomeArea = Area<unknown, object, object>;

/** What has the members of all the types in a union. */
type All<Union> = (Union extends unknown ? (member: Union) => void : never) extends (all: infer Whole) => void
  ? Whole
  : never;

/** Several areas, seen as one that has the endpoints, the setup and the state of all. */
export type CombinedArea<Areas extends readonly SomeArea[]> = Area<
  Areas[number]["endpoints"][number],
  All<ReturnType<Areas[number]["inspect"]>>,
  All<Areas[number]["setup"]>
> & { clear(): void };

/** @param areas whose members of `setup` and of the inspection have different names */
export function combineAreas<Areas extends readonly SomeArea[]>(...areas: Areas): CombinedArea<Areas> {
  const merge = (parts: readonly object[]): unknown => Object.assign({}, ...parts) as unknown;
  return {
    endpoints: areas.flatMap((area): Areas[number]["endpoints"] => area.endpoints),
    setup: merge(areas.map((area) => area.setup)) as All<Areas[number]["setup"]>,
    inspect: () => merge(areas.map((area) => area.inspect())) as All<ReturnType<Areas[number]["inspect"]>>,
    clear() {
      for (const area of areas) {
        area.clear?.();
      }
    },
  };
}
