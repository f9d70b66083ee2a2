/** One area of a service, such as its projects: endpoints, state, and what a test may inspect and set up. */
export interface Area<Endpoint, Inspection, Setup> {
  readonly endpoints: readonly Endpoint[];
  /** Becomes part of the emulator's public handle of the service. */
  readonly setup: Setup;
  inspect(): Inspection;
  /** Resets the state; not needed where another object owns it. */
  clear?(): void;
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
> & { clear(): void };

type Method = (...values: readonly unknown[]) => unknown;

/** Copies what goes into each method and what comes out, so that a test never holds a record itself. */
function copying(setup: object): unknown {
  const copied = Object.entries(setup).map(([name, method]: [string, Method]) => [
    name,
    (...values: readonly unknown[]) => {
      const result = method(...structuredClone(values));
      return result instanceof Promise ? (result as unknown) : structuredClone(result);
    },
  ]);
  return Object.fromEntries(copied);
}

/** The areas' `setup` members must have distinct names, and so must those of their inspections. */
export function combineAreas<Areas extends readonly SomeArea[]>(...areas: Areas): CombinedArea<Areas> {
  return {
    endpoints: areas.flatMap((area): Areas[number]["endpoints"] => area.endpoints),
    setup: copying(Object.assign({}, ...areas.map((area) => area.setup)) as object) as All<
      Areas[number]["setup"]
    >,
    inspect: () =>
      Object.assign({}, ...areas.map((area) => area.inspect())) as All<ReturnType<Areas[number]["inspect"]>>,
    clear() {
      for (const area of areas) {
        area.clear?.();
      }
    },
  };
}
