import { ensurePulumiCli } from "../scripts/pulumi-cli";
import { decoding } from "./decoding";
import { eventMemory } from "./event-memory";
import { importing } from "./importing";
import { machine, today } from "./machine";
import { providerText } from "./provider-text";
import { type Circumstances, writeReport } from "./report";
import { requestsAndState } from "./requests";
import { type Row, table } from "./table";
import { typeChecking } from "./type-checking";
import { updating } from "./updating";

/** What can be measured, in the order of the table. To add to it, add a file that answers rows, and a line here. */
const families: Readonly<Record<string, () => readonly Row[] | Promise<readonly Row[]>>> = {
  up: updating,
  requests: requestsAndState,
  provider: providerText,
  import: importing,
  types: typeChecking,
  decoding,
  memory: eventMemory,
};

/**
 * Measures the compiled library and prints a table of goals and results; a run of all families also leaves them in
 * the repository. A goal that is not reached is no failure: figures are for people to read, and depend on what else the
 * machine does.
 *
 *     npm run bench [-- <family> ...]
 */
async function bench(wanted: readonly string[]): Promise<void> {
  const unknown = wanted.filter((name) => !(name in families));
  if (unknown.length > 0) {
    throw new Error(`there is no ${unknown.join(", ")}; there are ${Object.keys(families).join(", ")}`);
  }
  const begun = performance.now();
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(families)) {
    if (wanted.length === 0 || wanted.includes(name)) {
      process.stderr.write(`measuring ${name} ...`);
      const start = performance.now();
      rows.push(...(await measure()));
      process.stderr.write(` ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
    }
  }
  const circumstances = await circumstancesOf(wanted, (performance.now() - begun) / 1000);
  const { command, date, node, pulumi, machine } = circumstances;
  const heading = `${command}, ${date}, Node.js ${node}, Pulumi ${pulumi}, ${machine}`;
  process.stdout.write(`\n${heading}\n\n${table(rows)}\n`);
  if (wanted.length === 0) {
    await writeReport(rows, circumstances);
  }
}

async function circumstancesOf(wanted: readonly string[], seconds: number): Promise<Circumstances> {
  const cli = await ensurePulumiCli();
  return {
    command: ["npm run bench", ...(wanted.length === 0 ? [] : ["--"]), ...wanted].join(" "),
    date: today(),
    node: process.version,
    pulumi: cli.version,
    machine: machine(),
    seconds: Math.round(seconds),
  };
}

bench(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
