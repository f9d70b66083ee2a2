import { cpus } from "node:os";
import { decoding } from "./decoding";
import { eventMemory } from "./event-memory";
import { importing } from "./importing";
import { providerText } from "./provider-text";
import { type Row, table } from "./table";

/** What can be measured, in the order of the table. To add to it, add a file that answers rows, and a line here. */
const families: Readonly<Record<string, () => readonly Row[] | Promise<readonly Row[]>>> = {
  decoding,
  memory: eventMemory,
  import: importing,
  provider: providerText,
};

/**
 * Measures the compiled library and prints a table of goals and results. A goal that is not reached is no failure:
 * figures are for people to read, and depend on what else the machine does.
 *
 *     npm run bench [-- <family> ...]
 */
async function bench(wanted: readonly string[]): Promise<void> {
  const unknown = wanted.filter((name) => !(name in families));
  if (unknown.length > 0) {
    throw new Error(`there is no ${unknown.join(", ")}; there are ${Object.keys(families).join(", ")}`);
  }
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(families)) {
    if (wanted.length === 0 || wanted.includes(name)) {
      process.stderr.write(`measuring ${name} ...`);
      const start = performance.now();
      rows.push(...(await measure()));
      process.stderr.write(` ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
    }
  }
  process.stdout.write(`\n${["npm run bench", ...wanted].join(" ")}, ${circumstances()}\n\n${table(rows)}\n`);
}

function circumstances(): string {
  const processors = cpus();
  const processor = processors[0]?.model.trim() ?? "an unknown processor";
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, Node.js ${process.version}, ${process.platform}, ${processors.length} x ${processor}`;
}

bench(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
