/** Alternates, so that other work of the machine affects all alike; each round begins with another one. */
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

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const [low, high] = [sorted[(values.length - 1) >> 1], sorted[values.length >> 1]];
  if (low === undefined || high === undefined) {
    throw new Error("there is no median of nothing");
  }
  return (low + high) / 2;
}

export interface Spread {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

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
