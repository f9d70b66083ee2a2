import { median } from "./rounds";
import type { Figure } from "./table";

/** What is measured takes a turn, and answers what it took. */
export type Turn<Taken> = () => Promise<Taken>;

/**
 * Lets several take turns, one after the other in each round, so that whatever else the machine does meets all alike.
 * With every round another begins.
 *
 * @returns what the turns of each took, in the order of the rounds
 */
export async function takeTurns<Name extends string, Taken>(
  turns: Readonly<Record<Name, Turn<Taken>>>,
  rounds: number,
): Promise<Readonly<Record<Name, readonly Taken[]>>> {
  const names = Object.keys(turns) as Name[];
  const taken = Object.fromEntries(names.map((name): [Name, Taken[]] => [name, []])) as Record<Name, Taken[]>;
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < names.length; place++) {
      const name = names[(round + place) % names.length];
      if (name !== undefined) {
        taken[name].push(await turns[name]());
      }
    }
  }
  return taken;
}

/** How much one took in terms of another: the median of the ratios within each round, and how far they lie apart. */
export function ratio(of: readonly number[], beside: readonly number[]): Figure {
  return medianOf(of.map((own, round) => own / (beside[round] ?? Number.NaN)));
}

/** How much more one took than another: the median of the differences within each round. */
export function difference(of: readonly number[], beside: readonly number[]): Figure {
  return medianOf(of.map((own, round) => own - (beside[round] ?? Number.NaN)));
}

/** The median, and how far the values lie apart. */
export function medianOf(values: readonly number[]): Figure {
  return { value: median(values), spread: [Math.min(...values), Math.max(...values)] };
}
