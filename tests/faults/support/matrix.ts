import type { FaultTarget, FaultCase } from "./fault-target";
import {
  type Experiment,
  experimentWith,
  faultKinds,
  type Problem,
  problemKinds,
  type Verdict,
} from "./experiment";
import { inLanes } from "../../support/services";
import { ProviderPool } from "./provider-pool";
import { type CleanRun, runCleanly, type OperationName, operations, operationsOf } from "./fault-run";
import type { RecordsRow } from "./records";

interface Row {
  readonly type: string;
  readonly requests: Partial<Record<OperationName, number>>;
  faults: number;
  /** Number of faults that left something in the service that was named. */
  named: number;
  readonly problems: (Problem & { readonly experiment: string })[];
}

export interface Selection {
  readonly cases: readonly FaultCase[];
  /** Default: all. */
  readonly includes?: (experiment: Experiment) => boolean;
  /** Number of experiments in parallel, each with its own services and processes. */
  readonly lanes: number;
  /** The services of a lane. Default: emulated ones. */
  readonly target?: () => Promise<FaultTarget>;
  readonly progress?: (message: string) => void;
}

/** A fault may miss its request on a slow machine. */
const mostTries = 4;

/** Every fault for every request that a class makes without faults. */
export async function runMatrix({ cases, includes, lanes, target, progress }: Selection): Promise<Row[]> {
  const rows: Row[] = [];
  const work = cases.flatMap((faultCase) => {
    const row: Row = { type: faultCase.type, requests: {}, faults: 0, named: 0, problems: [] };
    rows.push(row);
    return operationsOf(faultCase).map((operation) => ({ faultCase, operation, row }));
  });
  const runs = new Map<ProviderPool, { readonly faultCase: FaultCase; readonly run: CleanRun }>();
  const start = async (): Promise<ProviderPool> => ProviderPool.start(await target?.());
  await inLanes(work, lanes, start, async ({ faultCase, operation, row }, pool) => {
    let clean = runs.get(pool);
    if (clean?.faultCase !== faultCase) {
      clean = { faultCase, run: await runCleanly(pool, faultCase) };
      runs.set(pool, clean);
    }
    const begun = performance.now();
    let faults = 0;
    for (const experiment of experimentsOf(faultCase, operation, clean.run, includes)) {
      const verdict = await conduct(pool, clean.run, experiment);
      note(row, experiment, clean.run, verdict);
      faults += verdict.struck ? 1 : 0;
    }
    row.requests[operation] = clean.run.requests[operation].length;
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    // Printed at once, so that an interrupted run shows what it found.
    const found = `${row.problems.length} problems of the class so far`;
    progress?.(`${faultCase.type} ${operation}: ${faults} faults in ${seconds} s, ${found}`);
  });
  return rows;
}

function experimentsOf(
  faultCase: FaultCase,
  operation: OperationName,
  { requests }: CleanRun,
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

async function conduct(pool: ProviderPool, clean: CleanRun, experiment: Experiment): Promise<Verdict> {
  for (let tries = 1; ; tries++) {
    try {
      const verdict = await experimentWith(pool, clean, experiment);
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

function note(row: Row, experiment: Experiment, clean: CleanRun, { struck, named, problems }: Verdict): void {
  const { operation, position, fault, extent } = experiment;
  const title = `${operation}, ${String(clean.requests[operation][position])}: ${fault.name} (${extent})`;
  row.faults += struck ? 1 : 0;
  row.named += named;
  const found = struck ? problems : [{ kind: "inconsistent" as const, text: "the fault never struck" }];
  row.problems.push(...found.map((problem) => ({ ...problem, experiment: title })));
}

const columns = [...operations, "faults", "named", ...problemKinds] as const;

export interface Run {
  readonly date: Date;
  readonly seconds: number;
}

/** A Markdown file. */
export function reportOf(rows: readonly Row[], run: Run): string {
  const figures = rows.map((row): Figures => [
    row.type,
    ...operations.map((operation) => row.requests[operation] ?? 0),
    ...[row.faults, row.named],
    ...problemKinds.map((kind) => experimentsWith(row, kind)),
  ]);
  return section("# Results of the fault matrix", run, explanation, tableOf(columns, figures));
}

const explanation =
  "The columns `create` to `rename with adopt` count the requests of each operation without faults (`read` is a refresh). Each request is struck by each fault; the operation is then repeated, as `pulumi up`, `refresh` or `destroy`. `named` counts the objects that a lost response left in the service, and that an error message, or after a kill the command line, named. The other columns count the faults after which something was wrong.";

export function recordsReportOf(rows: readonly RecordsRow[], run: Run): string {
  const head = ["without notes", "lost", "engine killed", "created afterwards", "processes left"];
  const figures = rows.map(({ type, withoutNotes, lost, killed, created, left }): Figures => {
    return [type, withoutNotes, lost, killed, created, left];
  });
  return section("## What must get into state", run, recordsExplanation, tableOf(head, figures));
}

const recordsExplanation =
  "Both adapters. `without notes`: the class is created in a process whose notes cannot be written, because their directory is missing or the disk is full; `lost` counts those that did not get into state, or needed another request than usual. `engine killed`: the engine of a creation is killed at each of its requests, before and after the service has processed it, and while it waits; for the classes that wait or have something issued. Then the provider process has ten seconds to end.";

function section(title: string, { date, seconds }: Run, text: string, table: string): string {
  const run = `Run on ${date.toISOString().slice(0, 10)} with \`npm run test:faults\`, in ${seconds} seconds.`;
  return [title, run, text, `${table}\n`].join("\n\n");
}

type Figures = readonly [type: string, ...figures: readonly number[]];

function tableOf(head: readonly string[], rows: readonly Figures[]): string {
  const totals = head.map((_column, index) =>
    rows.reduce((sum, [, ...figures]) => sum + (figures[index] ?? 0), 0),
  );
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(["resource", ...head]),
    line(["---", ...head.map(() => "--:")]),
    ...rows.map(([type, ...figures]) => line([`\`${type}\``, ...figures])),
    line(["**all**", ...totals]),
  ].join("\n");
}

export function problemsOf(rows: readonly Row[]): string {
  return rows
    .flatMap(({ type, problems }) => {
      const experiments = new Map<string, string[]>();
      for (const { kind, experiment, text } of problems) {
        const key = `${type} ${kind}: ${text}`;
        experiments.set(key, [...(experiments.get(key) ?? []), experiment]);
      }
      return [...experiments].map(([problem, titles]) =>
        [problem, ...titles.map((title) => `    ${title}`)].join("\n"),
      );
    })
    .join("\n");
}

function experimentsWith({ problems }: Row, wanted: Problem["kind"]): number {
  return new Set(problems.filter(({ kind }) => kind === wanted).map(({ experiment }) => experiment)).size;
}
