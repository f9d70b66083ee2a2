import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { resourceCases } from "../cases";
import { interfacesOf } from "../live/live-worlds";
import { probe } from "../live/probes";
import { serversIn } from "../live/servers";
import type { FaultCase } from "./support/fault-case";
import { runMatrix, type Selection } from "./support/matrix";
import { realBench } from "./support/real-bench";
import { problemsOf, reportOf } from "./support/report";

const usage =
  "main.ts [--real] [a regular expression for classes, or all] [lanes] [a regular expression for operations and faults, such as ^rename.*reset]";

const faultCases = [...resourceCases.values()];

/** Runs the matrix, or the part of it that the arguments choose; only a whole run leaves a report. */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const isReal = words[0] === "--real";
  const [classes = "all", lanes = "4", faults = ""] = isReal ? words.slice(1) : words;
  const { possible, bench } = isReal ? await onRealServers() : { possible: faultCases };
  const cases = possible.filter(({ type }) => classes === "all" || new RegExp(classes).test(type));
  if (cases.length === 0 || !(Number(lanes) >= 1)) {
    throw new Error(usage);
  }
  const wanted = new RegExp(faults);
  const begun = performance.now();
  const rows = await runMatrix({
    cases,
    lanes: Number(lanes),
    ...(bench && { bench }),
    progress: console.log,
    includes: ({ operation, fault, extent }) => wanted.test(`${operation}: ${fault.name} (${extent})`),
  });
  const seconds = Math.round((performance.now() - begun) / 1000);
  const report = reportOf(rows, { date: new Date(), seconds });
  console.log(`\n${problemsOf(rows)}\n${report}`);
  if (cases.length === faultCases.length && faults === "" && !isReal) {
    writeFileSync(join(__dirname, "results.md"), report);
  }
  process.exit(rows.every(({ faults: struck, problems }) => struck > 0 && problems.length === 0) ? 0 : 1);
}

/** The classes of the secrets service that the servers of the environment have, and the servers. */
async function onRealServers(): Promise<Pick<Selection, "bench"> & { readonly possible: FaultCase[] }> {
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
  return { possible, bench: () => realBench(servers) };
}

void main();
