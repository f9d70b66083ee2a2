/**
 * Lets several take turns, one after the other in each round, so that whatever else the machine does affects all
 * alike. Another one begins each round.
 *
 * @returns what the turns of each returned, in the order of the rounds
 */
export async function takeTurns<Name extends string, Taken>(
  turns: Readonly<Record<Name, () => Promise<Taken>>>,
  rounds: number,
): Promise<Readonly<Record<Name, readonly Taken[]>>> {
  const names = Object.keys(turns) as Name[];
  const taken = Object.fromEntries(names.map((name): [Name, Taken[]] => [name, []])) as Record<Name, Taken[]>;
  for (let round = 0; round < rounds; round++) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      taken[name].push(await turns[name]());
    }
  }
  return taken;
}

/** @throws Error if there are no values */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const [low, high] = [sorted[(values.length - 1) >> 1], sorted[values.length >> 1]];
  if (low === undefined || high === undefined) {
    throw new Error("there is no median of nothing");
  }
  return (low + high) / 2;
}

/** The least, the median and the most. */
export interface Spread {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

/** What is left of pairs of values of the same round: their ratios or differences. */
export function spreadOf(
  of: readonly number[],
  beside: readonly number[],
  combine: (own: number, other: number) => number,
): Spread {
  const values = of.map((own, round) => combine(own, beside[round] ?? Number.NaN));
  return { least: Math.min(...values), median: median(values), most: Math.max(...values) };
}

export function divide(own: number, other: number): number {
  return own / other;
}
