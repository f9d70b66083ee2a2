import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { examine } from "../live/probes";
import { serversIn } from "../live/servers";
import { isAdopting, triedCases, triedDialects } from "../support/services";
import type { Tally } from "../support/tally";
import { runMatrix, type Selection } from "./support/matrix";
import { realTarget } from "./support/real-target";
import { runRecords } from "./support/records";

const usage =
  "main.ts [--real] [a regular expression for classes, or all] [lanes] " +
  "[a regular expression for operations and faults, such as ^rename.*reset, or records for what must get into state]";

const explanations = {
  "# Results of the fault matrix":
    "The columns `create` to `rename with adopt` count the requests of each operation without faults (`read` is a refresh). Each request is struck by each fault; the operation is then repeated, as `pulumi up`, `refresh` or `destroy`. `named` counts the objects that a lost response left in the service, and that an error message, or after a kill the command line, named. The other columns count the faults after which something was wrong. Each class is tried in each dialect that has it, `with` arguments that exclude others too.",
  "## What must get into state":
    "Both adapters. `without notes`: the class is created in a process whose notes cannot be written, because their directory is missing or the disk is full; `lost` counts those that did not get into state, or needed another request than usual. `engine killed`: the engine of a creation is killed at each of its requests, before and after the service has processed it, and while it waits; for the classes that wait or have something issued. Then the provider process has ten seconds to end.",
};

/** `adopt` is given in operations of its own. */
const faultCases = triedCases.filter((each) => !isAdopting(each));

/** Runs the matrix, or the part of it that the arguments choose; only a whole run leaves a report. */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const isReal = words[0] === "--real";
  const [classes = "all", lanes = "4", faults = ""] = isReal ? words.slice(1) : words;
  const { possible, target } = isReal ? await onRealServers() : { possible: faultCases };
  const cases = possible.filter(({ name }) => classes === "all" || new RegExp(classes).test(name));
  if (cases.length === 0 || !(Number(lanes) >= 1)) {
    throw new Error(usage);
  }
  const run = { cases, lanes: Number(lanes), progress: console.log };
  const reports: string[] = [];
  const problems: string[] = [];
  let begun = performance.now();
  const report = (title: keyof typeof explanations, tally: Tally<string>): void => {
    const seconds = Math.round((performance.now() - begun) / 1000);
    const when = `Run on ${new Date().toISOString().slice(0, 10)} with \`npm run test:faults\`, in ${seconds} seconds.`;
    reports.push(title, when, explanations[title], tally.table());
    begun = performance.now();
  };
  if (faults !== "records") {
    const includes = new RegExp(faults);
    const { tally, problems: found } = await runMatrix({ ...run, ...(target && { target }), includes });
    report("# Results of the fault matrix", tally);
    found.forEach((titles, problem) => problems.push([problem, ...titles].join("\n    ")));
    tally.rows.forEach(({ faults: struck = 0 }, name) => struck || problems.push(`${name}: no fault`));
  }
  if (!isReal && ["", "records"].includes(faults)) {
    const { tally, problems: found } = await runRecords(run);
    report("## What must get into state", tally);
    problems.push(...found);
  }
  const text = await format(reports.join("\n\n"), { parser: "markdown" });
  console.log(`\n${problems.join("\n")}\n${text}`);
  if (cases.length === faultCases.length && triedDialects.length > 1 && faults === "" && !isReal) {
    writeFileSync(join(__dirname, "results.md"), text);
  }
  process.exit(problems.length === 0 ? 0 : 1);
}

/** The classes of the secrets service that the servers of the environment have, and the servers. */
async function onRealServers(): Promise<{ possible: Selection["cases"]; target: Selection["target"] }> {
  const servers = serversIn();
  const { missing } = await examine(servers);
  const possible = faultCases.filter(({ name, type, live }) => {
    const reasons = live.needs.flatMap((need) => missing.get(need) ?? []);
    const isOfSecrets = name === type && type.startsWith("secrets/");
    reasons.slice(0, isOfSecrets ? 1 : 0).forEach((reason) => console.log(`${type} is left out: ${reason}`));
    return isOfSecrets && reasons.length === 0;
  });
  return { possible, target: () => realTarget(servers) };
}

void main();
