import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { resourceCases } from "../cases";
import { runMatrix } from "./support/matrix";
import { problemsOf, reportOf } from "./support/report";

const usage =
  "main.ts [a regular expression for classes, or all] [lanes] [a regular expression for operations and faults, such as ^rename.*reset]";

const faultCases = [...resourceCases.values()];

/** Runs the matrix, or the part of it that the arguments choose; only a whole run leaves a report. */
async function main(): Promise<void> {
  const [classes = "all", lanes = "4", faults = ""] = process.argv.slice(2);
  const cases = faultCases.filter(({ type }) => classes === "all" || new RegExp(classes).test(type));
  if (cases.length === 0 || !(Number(lanes) >= 1)) {
    throw new Error(usage);
  }
  const wanted = new RegExp(faults);
  const begun = performance.now();
  const rows = await runMatrix({
    cases,
    lanes: Number(lanes),
    progress: console.log,
    includes: ({ operation, fault, extent }) => wanted.test(`${operation}: ${fault.name} (${extent})`),
  });
  const seconds = Math.round((performance.now() - begun) / 1000);
  const report = reportOf(rows, { date: new Date(), seconds });
  console.log(`\n${problemsOf(rows)}\n${report}`);
  if (cases.length === faultCases.length && faults === "") {
    writeFileSync(join(__dirname, "results.md"), report);
  }
  process.exit(rows.every(({ faults: struck, problems }) => struck > 0 && problems.length === 0) ? 0 : 1);
}

void main();
