import { inLanes } from "../../support/services";
import { Tally } from "../../support/tally";
import { experimentWith, type Experiment, faultKinds, problemKinds, type Verdict } from "./experiment";
import { emulatedTarget, type FaultCase, type FaultTarget, ProviderPool } from "./pool";
import { type CleanRun, operations, operationsOf, runCleanly } from "./run";

export interface Selection {
  readonly cases: readonly FaultCase[];
  /** The operations, faults and extents, as in `create: 429 (final)`. Default: all. */
  readonly includes?: RegExp;
  /** Number of experiments in parallel, each with its own services and processes. */
  readonly lanes: number;
  /** The services of a lane. Default: emulated ones. */
  readonly target?: () => Promise<FaultTarget>;
  readonly progress?: (message: string) => void;
}

const columns = [...operations, "faults", "named", ...problemKinds] as const;

/** What was tried, and where it went wrong, by the problem. */
export interface Results {
  readonly tally: Tally<(typeof columns)[number]>;
  readonly problems: ReadonlyMap<string, readonly string[]>;
}

/** A fault may miss its request on a slow machine. */
const mostTries = 4;

/** Every fault for every request that a class makes without faults. */
export async function runMatrix(selection: Selection): Promise<Results> {
  const { cases, includes = /(?:)/, lanes, target = emulatedTarget, progress } = selection;
  const tally: Results["tally"] = new Tally(columns);
  const problems = new Map<string, string[]>();
  const runs = new Map<ProviderPool, { readonly faultCase: FaultCase; readonly run: CleanRun }>();
  const work = cases.flatMap((faultCase) =>
    operationsOf(faultCase).map((operation) => ({ faultCase, operation })),
  );
  const start = async (): Promise<ProviderPool> => new ProviderPool(await target());
  await inLanes(work, lanes, start, async ({ faultCase, operation }, pool) => {
    const { name } = faultCase;
    let clean = runs.get(pool);
    if (clean?.faultCase !== faultCase) {
      clean = { faultCase, run: await runCleanly(pool, faultCase) };
      runs.set(pool, clean);
    }
    const { run } = clean;
    const requests = run.requests[operation];
    const begun = performance.now();
    problemKinds.forEach((kind) => tally.add(name, kind, 0));
    tally.add(name, operation, requests.length);
    const experiments = requests.flatMap((request, position) =>
      faultKinds.flatMap((fault) =>
        fault.extents.map((extent) => ({ faultCase, operation, position, fault, extent, request })),
      ),
    );
    let faults = 0;
    for (const { request, ...experiment } of experiments) {
      const what = `${experiment.fault.name} (${experiment.extent})`;
      if (includes.test(`${operation}: ${what}`)) {
        const { struck, named, problems: found } = await conduct(pool, run, experiment);
        faults += struck ? 1 : 0;
        tally.add(name, "faults", struck ? 1 : 0);
        tally.add(name, "named", named);
        new Set(found.map(({ kind }) => kind)).forEach((kind) => tally.add(name, kind));
        for (const { kind, text } of found) {
          const problem = `${name} ${kind}: ${text}`;
          problems.set(problem, [...(problems.get(problem) ?? []), `${operation}, ${request}: ${what}`]);
        }
      }
    }
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    // Printed at once, so that an interrupted run shows what it found.
    progress?.(`${name} ${operation}: ${faults} faults in ${seconds} s, ${problems.size} problems so far`);
  });
  return { tally, problems };
}

async function conduct(pool: ProviderPool, clean: CleanRun, experiment: Experiment): Promise<Verdict> {
  try {
    for (let tries = 1; tries <= mostTries; tries++) {
      const verdict = await experimentWith(pool, clean, experiment);
      if (verdict.struck) {
        return verdict;
      }
    }
    return { struck: false, named: 0, problems: [{ kind: "inconsistent", text: "the fault never struck" }] };
  } catch (error) {
    const text = `it cannot be ended: ${error instanceof Error ? error.message : String(error)}`;
    return { struck: true, named: 0, problems: [{ kind: "inconsistent", text }] };
  }
}
