import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { delimiter, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ensurePulumiCli } from "../scripts/pulumi-cli";
import { nodeOfMajor } from "../tests/packaging/support/package";
import { eventMemory, eventSpeed } from "./event-stream";
import { importing } from "./importing";
import { operationMeasurements, operationsTable, scaleTable } from "./operations";
import { busyShare, commitOf, type Measured, quietUpTo, type Results, writeResults } from "./results";
import { Service } from "./service";
import { Bench } from "./stack";
import { stateSize } from "./state";
import { pluginStart, startup } from "./startup";
import { formatted, type Row, tableOf } from "./table";

/** Independent of the service, so they run with the emulator only. */
const otherMeasurements: Readonly<
  Record<string, (bench: Bench) => readonly Row[] | Promise<readonly Row[]>>
> = {
  "provider start": startup,
  "plugin start": pluginStart,
  state: stateSize,
  import: importing,
  "event speed": eventSpeed,
  "event memory": eventMemory,
};

const repository = resolve(__dirname, "..");

/**
 * Measures the compiled library, prints the results as in docs/performance.md, and writes the measurements to
 * bench/results. A missed goal is not a failure: results depend on the machine.
 *
 * npm run bench [-- [--node <major version>] [--rounds <number>] [<part of a measurement's name> ...]]
 */
async function main(parameters: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    options: { rounds: { type: "string" }, node: { type: "string" } },
    allowPositionals: true,
  });
  if (values.node !== undefined && !process.version.startsWith(`v${values.node}.`)) {
    runWith(await nodeOfMajor(Number(values.node)), parameters);
    return;
  }
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  const isSelected = (name: string): boolean =>
    positionals.length === 0 || positionals.some((part) => name.includes(part));
  const names = [...operationMeasurements.keys(), ...Object.keys(otherMeasurements)];
  if (!names.some(isSelected)) {
    throw new Error(
      `no measurement matches ${positionals.join(" or ")}; the measurements are: ${names.join("; ")}`,
    );
  }
  const start = performance.now();
  const bench = new Bench(await Service.start());
  try {
    const before = await busyShare();
    const operations: Measured[] = [];
    const others: Row[] = [];
    for (const [name, measure] of operationMeasurements) {
      const measured = isSelected(name) ? await timed(name, () => measure(bench, rounds)) : undefined;
      operations.push(...(measured === undefined ? [] : [measured]));
    }
    for (const [name, measure] of Object.entries(otherMeasurements)) {
      const isMeasured = isSelected(name) && bench.service.server === undefined;
      others.push(...(isMeasured ? await timed(name, async () => await measure(bench)) : []));
    }
    const results: Results = {
      ...(await conditions(parameters, bench.service.server)),
      minutes: Math.ceil((performance.now() - start) / 60_000),
      busy: [before, await busyShare()],
      operations,
      others,
    };
    process.stdout.write(`\n${await formatted(report(results))}`);
    process.stdout.write(`\nwritten to ${relative(repository, writeResults(results))}\n`);
  } finally {
    bench.close();
  }
}

/** The same on another Node.js, which the CLI's processes get too. */
function runWith(directory: string, parameters: readonly string[]): void {
  const { status } = spawnSync(join(directory, "node"), [...process.execArgv, __filename, ...parameters], {
    stdio: "inherit",
    env: { ...process.env, PATH: [directory, process.env.PATH].join(delimiter) },
  });
  process.exitCode = status ?? 1;
}

function report(results: Results): string {
  const { command, date, service, node, pulumi, machine, minutes, busy, operations, others } = results;
  const quiet = busy.every((share) => share <= quietUpTo)
    ? "The machine was quiet"
    : "The machine was NOT quiet";
  return [
    `\`${command}\` on ${date}, against ${service}: Node.js ${node}, Pulumi ${pulumi}, ${machine}, in ${minutes} minutes. ${quiet} (others took ${busy.join(" % before, ")} % after).`,
    ...(operations.length === 0 ? [] : [operationsTable(operations)]),
    ...[scaleTable(operations)].filter((table) => table !== undefined),
    ...(others.length === 0 ? [] : [tableOf(others)]),
  ].join("\n\n");
}

async function timed<Result>(name: string, measure: () => Promise<Result>): Promise<Result> {
  process.stderr.write(`measuring ${name} ...`);
  const start = performance.now();
  const result = await measure();
  process.stderr.write(` ${((performance.now() - start) / 1_000).toFixed(1)} s\n`);
  return result;
}

async function conditions(
  parameters: readonly string[],
  server: string | undefined,
): Promise<Omit<Results, "minutes" | "busy" | "operations" | "others">> {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    command: ["npm run bench", ...(parameters.length === 0 ? [] : ["--"]), ...parameters.map(quoted)].join(
      " ",
    ),
    commit: commitOf(repository),
    node: process.version,
    pulumi: (await ensurePulumiCli()).version,
    machine: `${process.platform}, ${processors.length} x ${processors[0]?.model.trim() ?? "an unknown processor"}`,
    service: server ?? "the emulator",
  };
}

function quoted(parameter: string): string {
  return parameter.includes(" ") ? `"${parameter}"` : parameter;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
