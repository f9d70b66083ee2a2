/** Alternates, so that other load affects all sides equally; each round begins with another side. */
export async function takeTurns<Name extends string, Result>(
  turns: Readonly<Record<Name, () => Promise<Result>>>,
  rounds: number,
  warmUps = 0,
): Promise<Readonly<Record<Name, readonly Result[]>>> {
  const names = Object.keys(turns) as Name[];
  const results = Object.fromEntries(names.map((name): [Name, Result[]] => [name, []])) as Record<
    Name,
    Result[]
  >;
  for (let round = -warmUps; round < rounds; round++) {
    const first = (round + warmUps) % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const outcome = await turns[name]();
      if (round >= 0) {
        results[name].push(outcome);
      }
    }
  }
  return results;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const [low, high] = [sorted[(values.length - 1) >> 1], sorted[values.length >> 1]];
  if (low === undefined || high === undefined) {
    throw new Error("an empty list has no median");
  }
  return (low + high) / 2;
}

export function spreadOf(
  values: readonly number[],
  baseline: readonly number[],
  combine: (own: number, other: number) => number,
): Readonly<Record<"least" | "median" | "most", number>> {
  const combined = values.map((own, round) => combine(own, baseline[round] ?? Number.NaN));
  return { least: Math.min(...combined), median: median(combined), most: Math.max(...combined) };
}

export function divide(own: number, other: number): number {
  return own / other;
}
