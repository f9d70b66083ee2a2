import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { format } from "prettier";
import { chart } from "./chart";
import { type Row, table } from "./table";

const files = {
  table: join(__dirname, "results.md"),
  figures: join(__dirname, "results.json"),
  picture: join(__dirname, "../docs/images/benchmark.svg"),
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

/** Leaves the results of a whole run in the repository: as a table, as data, and as a picture. */
export async function writeReport(rows: readonly Row[], circumstances: Circumstances): Promise<void> {
  mkdirSync(dirname(files.picture), { recursive: true });
  writeFileSync(files.table, reportOf(rows, circumstances));
  writeFileSync(
    files.figures,
    await format(JSON.stringify({ ...circumstances, rows }, null, 2), { parser: "json" }),
  );
  writeFileSync(files.picture, chart(rows));
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
