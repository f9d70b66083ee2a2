/** One area of a service, such as its projects: endpoints, state, and what a test can inspect and set up. */
export interface Area<Endpoint, Inspection, Setup> {
  readonly endpoints: readonly Endpoint[];
  /** Becomes part of the emulator's public handle of the service. */
  readonly setup: Setup;
  inspect(): Inspection;
}

type SomeArea = Area<unknown, object, object>;

/** The intersection of the members of a union. */
type All<Union> = (Union extends unknown ? (member: Union) => void : never) extends (all: infer Whole) => void
  ? Whole
  : never;

export type CombinedArea<Areas extends readonly SomeArea[]> = Area<
  Areas[number]["endpoints"][number],
  All<ReturnType<Areas[number]["inspect"]>>,
  All<Areas[number]["setup"]>
>;

/** The areas' `setup` members must have distinct names, and so must those of their inspections. */
export function combineAreas<Areas extends readonly SomeArea[]>(...areas: Areas): CombinedArea<Areas> {
  return {
    endpoints: areas.flatMap((area): Areas[number]["endpoints"] => area.endpoints),
    setup: Object.assign({}, ...areas.map((area) => area.setup)) as All<Areas[number]["setup"]>,
    inspect: () =>
      Object.assign({}, ...areas.map((area) => area.inspect())) as All<ReturnType<Areas[number]["inspect"]>>,
  };
}
