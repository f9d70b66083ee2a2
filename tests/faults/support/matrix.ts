import { type CleanLife, liveCleanly, operationsOf } from "./clean-life";
import { type Experiment, experimentWith, type Problem, type Verdict } from "./experiment";
import type { FaultCase } from "./fault-case";
import type { Bench } from "./bench";
import { canStrike, faultKinds } from "./fault-kinds";
import { Laboratory } from "./laboratory";
import type { OperationName } from "./life";

/** What the matrix found for one class of resources. */
export interface Row {
  readonly type: string;
  /** How many requests each of its operations makes when nothing happens. */
  readonly requests: Partial<Record<OperationName, number>>;
  /** How many faults have struck one. */
  faults: number;
  /** After how many of them something was left in the service that was named. */
  named: number;
  readonly problems: (Problem & { readonly experiment: string })[];
}

/** Which part of the matrix to run. */
export interface Selection {
  readonly cases: readonly FaultCase[];
  /** Default: all. */
  readonly includes?: (experiment: Experiment) => boolean;
  /** How many experiments run beside each other, each with services and processes of its own. */
  readonly lanes: number;
  /** The services of a lane. Default: emulated ones. */
  readonly bench?: () => Promise<Bench>;
  /** Told after each operation of a class. */
  readonly progress?: (message: string) => void;
}

/** A fault that does not strike, because a machine was slow, is tried so often. */
const mostTries = 4;

/** Runs the matrix: every fault for every request that a class makes when nothing happens. */
export async function runMatrix({ cases, includes, lanes, bench, progress }: Selection): Promise<Row[]> {
  const rows = cases.map((faultCase): Row => ({
    type: faultCase.type,
    requests: {},
    faults: 0,
    named: 0,
    problems: [],
  }));
  const work = cases.flatMap((faultCase, index) =>
    operationsOf(faultCase).map((operation) => ({ faultCase, operation, row: rows[index] })),
  );
  const lane = async (): Promise<void> => {
    const laboratory = await Laboratory.start(await bench?.());
    try {
      let clean: { readonly faultCase: FaultCase; readonly life: CleanLife } | undefined;
      for (let next = work.shift(); next?.row !== undefined; next = work.shift()) {
        const { faultCase, operation, row } = next;
        if (clean?.faultCase !== faultCase) {
          clean = { faultCase, life: await liveCleanly(laboratory, faultCase) };
        }
        const begun = performance.now();
        let faults = 0;
        const possible = experimentsOf(faultCase, operation, clean.life, includes);
        for (const experiment of possible.filter(({ fault }) => canStrike(laboratory.bench, fault))) {
          const verdict = await conduct(laboratory, clean.life, experiment);
          note(row, experiment, clean.life, verdict);
          faults += verdict.struck ? 1 : 0;
        }
        row.requests[operation] = clean.life.requests[operation].length;
        const seconds = ((performance.now() - begun) / 1000).toFixed(1);
        // Printed at once, so that an interrupted run has shown what it found.
        const found = `${row.problems.length} problems of the class so far`;
        progress?.(`${faultCase.type} ${operation}: ${faults} faults in ${seconds} s, ${found}`);
      }
    } finally {
      await laboratory.stop();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return rows;
}

/** Every fault for every request of an operation. */
export function experimentsOf(
  faultCase: FaultCase,
  operation: OperationName,
  { requests }: CleanLife,
  includes: (experiment: Experiment) => boolean = () => true,
): Experiment[] {
  return requests[operation]
    .flatMap((_request, position) =>
      faultKinds.flatMap((fault) =>
        fault.extents.map((extent) => ({ faultCase, operation, position, fault, extent })),
      ),
    )
    .filter(includes);
}

async function conduct(laboratory: Laboratory, clean: CleanLife, experiment: Experiment): Promise<Verdict> {
  for (let tries = 1; ; tries++) {
    try {
      const verdict = await experimentWith(laboratory, clean, experiment);
      if (verdict.struck || tries === mostTries) {
        return verdict;
      }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return {
        struck: true,
        named: 0,
        problems: [{ kind: "inconsistent", text: `it cannot be ended: ${text}` }],
      };
    }
  }
}

function note(
  row: Row,
  experiment: Experiment,
  clean: CleanLife,
  { struck, named, problems }: Verdict,
): void {
  const { operation, position, fault, extent } = experiment;
  const title = `${operation}, ${String(clean.requests[operation][position])}: ${fault.name} (${extent})`;
  row.faults += struck ? 1 : 0;
  row.named += named;
  const found = struck ? problems : [{ kind: "inconsistent" as const, text: "the fault never struck" }];
  row.problems.push(...found.map((problem) => ({ ...problem, experiment: title })));
}
