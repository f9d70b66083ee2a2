import { inLanes, type TriedCase } from "../../support/services";
import { Tally } from "../../support/tally";
import { messageOf, experimentWith, type Experiment, faultKinds, problemKinds } from "./experiment";
import { emulatedTarget, type FaultTarget, ProviderPool } from "./pool";
import { type CleanRun, operations, operationsOf, runCleanly } from "./run";

export interface Selection {
  readonly cases: readonly TriedCase[];
  /** The operations, faults and extents, as in `create: 429 (final)`. Default: all. */
  readonly includes?: RegExp;
  /** Number of experiments in parallel, each with its own services and processes. */
  readonly lanes: number;
  /** The services of a lane. Default: emulated ones. */
  readonly target?: () => Promise<FaultTarget>;
  readonly progress?: (message: string) => void;
}

const columns = [...operations, "faults", "named", ...problemKinds] as const;

/** On a slow machine, a fault can miss its request. */
const mostTries = 4;

/** Every fault for every request that a class makes without faults. @returns where it went wrong, by the problem */
export async function runMatrix(selection: Selection) {
  const { cases, includes = /(?:)/, lanes, target = emulatedTarget, progress } = selection;
  const tally = new Tally(columns);
  const problems = new Map<string, string[]>();
  const runs = new Map<ProviderPool, readonly [TriedCase, CleanRun]>();
  const work = cases.flatMap((faultCase) =>
    operationsOf(faultCase).map((operation) => ({ faultCase, operation })),
  );
  const start = async (): Promise<ProviderPool> => new ProviderPool(await target());
  await inLanes(work, lanes, start, async ({ faultCase, operation }, pool) => {
    const { name } = faultCase;
    const [former, known] = runs.get(pool) ?? [];
    const run = known && former === faultCase ? known : await runCleanly(pool, faultCase);
    runs.set(pool, [faultCase, run]);
    const requests = run.requests[operation];
    const begun = performance.now();
    problemKinds.forEach((kind) => tally.add(name, kind, 0));
    tally.add(name, operation, requests.length);
    const kinds = faultKinds.flatMap((fault) => fault.extents.map((extent) => ({ fault, extent })));
    let faults = 0;
    for (const [position, request] of requests.entries()) {
      for (const { fault, extent } of kinds) {
        const what = `${operation}: ${fault.name} (${extent})`;
        if (includes.test(what)) {
          const experiment = { faultCase, operation, position, fault, extent };
          const { struck, named, problems: found } = await conduct(pool, run, experiment);
          faults += struck ? 1 : 0;
          tally.add(name, "faults", struck ? 1 : 0);
          tally.add(name, "named", named);
          new Set(found.map(({ kind }) => kind)).forEach((kind) => tally.add(name, kind));
          for (const { kind, text } of found) {
            const problem = `${name} ${kind}: ${text}`;
            problems.set(problem, [...(problems.get(problem) ?? []), `${request}, ${what}`]);
          }
        }
      }
    }
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    // Printed at once, so that an interrupted run shows what it found.
    progress?.(`${name} ${operation}: ${faults} faults in ${seconds} s, ${problems.size} problems so far`);
  });
  return { tally, problems };
}

async function conduct(pool: ProviderPool, clean: CleanRun, experiment: Experiment) {
  let text = "the fault never struck";
  for (let tries = 1; tries <= mostTries; tries++) {
    try {
      const verdict = await experimentWith(pool, clean, experiment);
      if (verdict.struck) {
        return verdict;
      }
    } catch (error) {
      text = `it cannot be ended: ${messageOf(error)}`;
    }
  }
  return { struck: false, named: 0, problems: [{ kind: "inconsistent", text } as const] };
}
