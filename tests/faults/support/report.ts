import { type Problem, problemKinds } from "./experiment";
import { operations } from "./life";
import type { Row } from "./matrix";
import type { RecordsRow } from "./records";

const columns = [...operations, "faults", "named", ...problemKinds] as const;

/** What a run of the whole matrix has found, as a Markdown file in the form that prettier gives it. */
export function reportOf(
  rows: readonly Row[],
  { date, seconds }: { readonly date: Date; readonly seconds: number },
): string {
  return [
    "# Results of the fault matrix",
    "",
    `Run on ${date.toISOString().slice(0, 10)} with \`npm run test:faults\`, in ${seconds} seconds.`,
    "",
    "The columns `create` to `rename with adopt` count the requests of each operation without faults (`read` is a refresh). Each request is struck by each fault; the operation is then repeated, as `pulumi up`, `refresh` or `destroy`. `named` counts the objects that a lost response left in the service, and that an error message, or after a kill the command line, named. The other columns count the faults after which something was wrong.",
    "",
    tableOf(rows),
    "",
  ].join("\n");
}

/** Whether all that was created got into state, as another part of that file. */
export function recordsReportOf(
  rows: readonly RecordsRow[],
  { date, seconds }: { readonly date: Date; readonly seconds: number },
): string {
  const figures = rows.map(({ withoutNotes, lost, killed, created, left }) => [
    withoutNotes,
    lost,
    killed,
    created,
    left,
  ]);
  const head = ["without notes", "lost", "engine killed", "created afterwards", "processes left"];
  const totals = head.map((_column, index) => figures.reduce((sum, row) => sum + (row[index] ?? 0), 0));
  return [
    "## What must get into state",
    "",
    `Run on ${date.toISOString().slice(0, 10)} with \`npm run test:faults -- all 2 records\`, in ${seconds} seconds.`,
    "",
    "Both adapters. `without notes`: the class is created in a process whose notes cannot be written, because their directory is missing or the disk is full; `lost` counts those that did not get into state, or needed another request than usual. `engine killed`: the engine of a creation is killed at each of its requests, before and after the service has processed it, and while it waits; for the classes that wait or have something issued. Then the provider process has ten seconds to end.",
    "",
    aligned(
      ["resource", ...head],
      [
        ...rows.map(({ type }, index) => [`\`${type}\``, ...(figures[index] ?? []).map(String)]),
        ["**all**", ...totals.map(String)],
      ],
    ),
    "",
  ].join("\n");
}

/** The table alone. */
export function tableOf(rows: readonly Row[]): string {
  const figures = rows.map((row) => [
    ...operations.map((operation) => row.requests[operation] ?? 0),
    row.faults,
    row.named,
    ...problemKinds.map((kind) => experimentsWith(row, kind)),
  ]);
  const totals = columns.map((_column, index) => figures.reduce((sum, row) => sum + (row[index] ?? 0), 0));
  const lines = [
    ...rows.map(({ type }, index) => [`\`${type}\``, ...(figures[index] ?? []).map(String)]),
    ["**all**", ...totals.map(String)],
  ];
  return aligned(["resource", ...columns], lines);
}

/** Every problem once, with the experiments that showed it. */
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

/** The first column to the left, the others to the right. */
function aligned(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, 4, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...lines.map(line)].join("\n");
}
