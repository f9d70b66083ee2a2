import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { ensurePulumiCli } from "../scripts/pulumi-cli";
import { eventMemory, eventSpeed } from "./event-stream";
import { importing } from "./importing";
import { operationMeasurements, operationsTable } from "./operations";
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

/**
 * Prints measurements of the compiled library, as in docs/performance.md. A missed goal is not a failure: results
 * depend on the load of the machine.
 *
 * npm run bench [-- [--rounds <number>] [<part of a measurement's name> ...]]
 */
async function main(parameters: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    options: { rounds: { type: "string" } },
    allowPositionals: true,
  });
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
    const operationRows: (readonly string[])[] = [];
    const otherRows: Row[] = [];
    for (const [name, measure] of operationMeasurements) {
      operationRows.push(...(isSelected(name) ? await timed(name, () => measure(bench, rounds)) : []));
    }
    for (const [name, measure] of Object.entries(otherMeasurements)) {
      const isMeasured = isSelected(name) && bench.service.server === undefined;
      otherRows.push(...(isMeasured ? await timed(name, async () => await measure(bench)) : []));
    }
    const { server } = bench.service;
    const minutes = Math.ceil((performance.now() - start) / 60_000);
    const paragraphs = [
      `${await conditions(parameters, server)}, in ${minutes} minutes.`,
      ...(operationRows.length === 0 ? [] : [operationsTable(operationRows)]),
      ...(otherRows.length === 0 ? [] : [tableOf(otherRows)]),
    ];
    process.stdout.write(`\n${await formatted(paragraphs.join("\n\n"))}`);
  } finally {
    bench.close();
  }
}

async function timed<Result>(name: string, measure: () => Promise<Result>): Promise<Result> {
  process.stderr.write(`measuring ${name} ...`);
  const start = performance.now();
  const result = await measure();
  process.stderr.write(` ${((performance.now() - start) / 1_000).toFixed(1)} s\n`);
  return result;
}

async function conditions(parameters: readonly string[], server: string | undefined): Promise<string> {
  const { version } = await ensurePulumiCli();
  const command = ["npm run bench", ...(parameters.length === 0 ? [] : ["--"]), ...parameters].join(" ");
  const processors = cpus();
  const processor = processors[0]?.model.trim() ?? "an unknown processor";
  const service = server === undefined ? "against the emulator" : `against ${server}`;
  const date = new Date().toISOString().slice(0, 10);
  return `\`${command}\` on ${date}, ${service}: Node.js ${process.version}, Pulumi ${version}, ${process.platform}, ${processors.length} x ${processor}`;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
