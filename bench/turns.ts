/** Alternates, so that other work of the machine affects all alike; each round begins with another one. */
export async function takeTurns<Name extends string, Taken>(
  turns: Readonly<Record<Name, () => Promise<Taken>>>,
  rounds: number,
  uncounted = 0,
): Promise<Readonly<Record<Name, readonly Taken[]>>> {
  const names = Object.keys(turns) as Name[];
  const taken = Object.fromEntries(names.map((name): [Name, Taken[]] => [name, []])) as Record<Name, Taken[]>;
  for (let round = -uncounted; round < rounds; round++) {
    const first = (round + uncounted) % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const result = await turns[name]();
      if (round >= 0) {
        taken[name].push(result);
      }
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

export function spreadOf(
  of: readonly number[],
  beside: readonly number[],
  combine: (own: number, other: number) => number,
): Readonly<Record<"least" | "median" | "most", number>> {
  const values = of.map((own, round) => combine(own, beside[round] ?? Number.NaN));
  return { least: Math.min(...values), median: median(values), most: Math.max(...values) };
}

export function divide(own: number, other: number): number {
  return own / other;
}
