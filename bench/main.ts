import { parseArgs } from "node:util";
import { ensurePulumiCli } from "../scripts/pulumi-cli";
import { decoding } from "./decoding";
import { eventMemory, eventSpeed } from "./event-stream";
import { importing } from "./importing";
import { machine, today } from "./machine";
import { operationMeasurements } from "./operations";
import { providerText } from "./provider-text";
import { type Circumstances, writeReport } from "./report";
import { requests, stateSize } from "./requests";
import { Stacks } from "./stacks";
import { startup } from "./startup";
import { type Row, table } from "./table";
import { tiers } from "./tiers";
import { typeChecking } from "./type-checking";

/** Answers rows of the table; of those that go by rounds, as many as it is told. */
type Measurement = (stacks: Stacks, rounds?: number) => readonly Row[] | Promise<readonly Row[]>;

/** What can be measured, in the order of the table. To add to it, add a file that answers rows, and a line here. */
const measurements: ReadonlyMap<string, Measurement> = new Map<string, Measurement>([
  ...operationMeasurements,
  ["startup", startup],
  ["state", stateSize],
  ["provider text", providerText],
  ["requests", requests],
  ["import", importing],
  ["type-checking", typeChecking],
  ["event speed", eventSpeed],
  ["event memory", eventMemory],
  ["decoding", decoding],
  ["tests", tiers],
]);

/**
 * Measures the compiled library and prints a table of goals and results; a whole run also leaves it in the repository.
 * A goal that is not reached is no failure: figures are for people to read, and depend on what else the machine does.
 *
 *     npm run bench [-- [--rounds <number>] [<part of a measurement's name> ...]]
 */
async function bench(parameters: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    options: { rounds: { type: "string" } },
    allowPositionals: true,
  });
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  const wanted = [...measurements].filter(
    ([name]) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
  );
  if (wanted.length === 0) {
    throw new Error(
      `nothing is called ${positionals.join(" or ")}; there are: ${[...measurements.keys()].join("; ")}`,
    );
  }
  const begun = performance.now();
  const rows = await rowsOf(wanted, rounds);
  const circumstances = await circumstancesOf(parameters, (performance.now() - begun) / 1000);
  const { command, date, node, pulumi, machine, seconds } = circumstances;
  const heading = `${command}, ${date}, in ${seconds} s, Node.js ${node}, Pulumi ${pulumi}, ${machine}`;
  process.stdout.write(`\n${heading}\n\n${table(rows)}\n`);
  if (parameters.length === 0) {
    await writeReport(rows, circumstances);
  }
}

async function rowsOf(
  wanted: readonly (readonly [string, Measurement])[],
  rounds: number | undefined,
): Promise<readonly Row[]> {
  const stacks = await Stacks.start();
  try {
    const rows: Row[] = [];
    for (const [name, measure] of wanted) {
      process.stderr.write(`measuring ${name} ...`);
      const start = performance.now();
      rows.push(...(await measure(stacks, rounds)));
      process.stderr.write(` ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
    }
    return rows;
  } finally {
    stacks.close();
  }
}

async function circumstancesOf(parameters: readonly string[], seconds: number): Promise<Circumstances> {
  const cli = await ensurePulumiCli();
  return {
    command: ["npm run bench", ...(parameters.length === 0 ? [] : ["--"]), ...parameters].join(" "),
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
