import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { goalOf, layOut, resultOf, type Row, table } from "./table";

const files = {
  table: join(__dirname, "results.md"),
  figures: join(__dirname, "results.json"),
  page: join(__dirname, "../docs/performance.md"),
};

/** Where and when something was measured. */
export interface Circumstances {
  readonly command: string;
  readonly date: string;
  readonly node: string;
  readonly pulumi: string;
  readonly machine: string;
  readonly seconds: number;
}

/** What docs/performance.md has between its marks. */
const figuresInPage = /(?<=<!-- figures[^>]*-->\n).*(?=<!-- end of figures -->)/s;

/** Leaves the results of a whole run in the repository: as a table, as data, and in docs/performance.md without the details. */
export async function writeReport(rows: readonly Row[], circumstances: Circumstances): Promise<void> {
  writeFileSync(files.table, reportOf(rows, circumstances));
  writeFileSync(
    files.figures,
    await format(JSON.stringify({ ...circumstances, rows }, null, 2), { parser: "json" }),
  );
  const page = readFileSync(files.page, "utf8");
  writeFileSync(
    files.page,
    page.replace(figuresInPage, () => summaryOf(rows, circumstances)),
  );
}

/** The results without details, as docs/performance.md has them: operations of the same resources share a line. */
export function summaryOf(rows: readonly Row[], circumstances: Circumstances): string {
  const { command, date, node, pulumi, machine, seconds } = circumstances;
  const cells = rows.flatMap((row) => (row.cell === undefined ? [] : [{ ...row.cell, row }]));
  const columns = [...new Set(cells.map(({ column }) => column))];
  const operations = [...new Set(cells.map(({ line }) => line))].map((line) => {
    const rowOf = (column: string): Row | undefined =>
      cells.find((cell) => cell.line === line && cell.column === column)?.row;
    return [
      line,
      goalIn(columns.flatMap((column) => rowOf(column) ?? [])[0]),
      ...columns.map((name) => resultIn(rowOf(name))),
    ];
  });
  const others = rows
    .filter(({ cell }) => cell === undefined)
    .map((row) => [row.what, goalIn(row), resultIn(row)]);
  return [
    "",
    `\`${command}\` on ${date}, Node.js ${node}, Pulumi ${pulumi}, ${machine}, in ${Math.round(seconds / 60)} minutes. What is compared takes turns within the one run. All details: \`bench/results.md\` in the repository.`,
    "",
    layOut([["time of operations", "goal", ...columns], ...operations]),
    "",
    layOut([["what", "goal", "result"], ...others]),
    "",
    "",
  ].join("\n");
}

function goalIn(row: Row | undefined): string {
  return (row && goalOf(row)) ?? "-";
}

/** The values alone, with their labels where there are several. */
function resultIn(row: Row | undefined): string {
  if (row === undefined) {
    return "";
  }
  const figures = row.figures.map(({ value, label }) => ({
    value,
    ...(row.figures.length > 1 && label !== undefined ? { label } : {}),
  }));
  return resultOf({ ...row, figures });
}

/** The results as a Markdown file in the form that prettier gives it. */
export function reportOf(rows: readonly Row[], circumstances: Circumstances): string {
  const { command, date, node, pulumi, machine, seconds } = circumstances;
  return [
    "# What was measured",
    "",
    `Run on ${date} with \`${command}\`, in ${seconds} seconds: Node.js ${node}, Pulumi ${pulumi}, ${machine}. What is compared takes turns within the one run; in brackets the least and the most of the rounds.`,
    "",
    table(rows),
    "",
  ].join("\n");
}
