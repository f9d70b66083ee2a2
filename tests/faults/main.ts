import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { casesIn } from "../cases";
import { interfacesOf } from "../live/live-services";
import { probe } from "../live/probes";
import { serversIn } from "../live/servers";
import type { Experiment } from "./support/experiment";
import type { FaultCase } from "./support/fault-target";
import { problemsOf, recordsReportOf, reportOf, type Run, runMatrix, type Selection } from "./support/matrix";
import { realTarget } from "./support/real-target";
import { runRecords } from "./support/records";

const usage =
  "main.ts [--real] [a regular expression for classes, or all] [lanes] " +
  "[a regular expression for operations and faults, such as ^rename.*reset, or records for what must get into state]";

const faultCases = [...casesIn("documented").values()];

/** Runs the matrix, or the part of it that the arguments choose; only a whole run leaves a report. */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const isReal = words[0] === "--real";
  const [classes = "all", lanes = "4", faults = ""] = isReal ? words.slice(1) : words;
  const { possible, target } = isReal ? await onRealServers() : { possible: faultCases };
  const cases = possible.filter(({ type }) => classes === "all" || new RegExp(classes).test(type));
  if (cases.length === 0 || !(Number(lanes) >= 1)) {
    throw new Error(usage);
  }
  const run = { cases, lanes: Number(lanes), progress: console.log };
  const wanted = new RegExp(faults);
  const includes = ({ operation, fault, extent }: Experiment): boolean =>
    wanted.test(`${operation}: ${fault.name} (${extent})`);
  const runSince = (begun: number): Run => ({
    date: new Date(),
    seconds: Math.round((performance.now() - begun) / 1000),
  });
  const matrixBegun = performance.now();
  const rows = faults === "records" ? [] : await runMatrix({ ...run, ...(target && { target }), includes });
  const reports = rows.length === 0 ? [] : [reportOf(rows, runSince(matrixBegun))];
  const recordsBegun = performance.now();
  const records = !isReal && ["", "records"].includes(faults) ? await runRecords(run) : [];
  if (records.length > 0) {
    reports.push(recordsReportOf(records, runSince(recordsBegun)));
  }
  const report = await format(reports.join("\n"), { parser: "markdown" });
  const problems = [problemsOf(rows), ...records.flatMap((row) => row.problems)].join("\n").trim();
  console.log(`\n${problems}\n${report}`);
  if (cases.length === faultCases.length && faults === "" && !isReal) {
    writeFileSync(join(__dirname, "results.md"), report);
  }
  process.exit(problems === "" && rows.every(({ faults: struck }) => struck > 0) ? 0 : 1);
}

/** The classes of the secrets service that the servers of the environment have, and the servers. */
async function onRealServers(): Promise<Pick<Selection, "target"> & { readonly possible: FaultCase[] }> {
  const servers = serversIn(process.env);
  const { products, missing, unusable } = await probe(servers, interfacesOf(servers), process.env);
  console.log(["Found:", ...products].join("\n  "));
  if (unusable.length > 0) {
    throw new Error(unusable.join("\n"));
  }
  const ofSecrets = faultCases.filter(({ type }) => type.startsWith("secrets/"));
  for (const { type, live } of ofSecrets) {
    live.needs
      .filter((need) => missing.has(need))
      .forEach((need) => console.log(`${type} is left out: ${missing.get(need) ?? ""}`));
  }
  const possible = ofSecrets.filter(({ live }) => !live.needs.some((need) => missing.has(need)));
  return { possible, target: () => realTarget(servers) };
}

void main();
