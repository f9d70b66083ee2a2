import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { ProgramDirectory } from "../tests/engine/support/program-directory";
import { PostgresServer } from "../tests/engine/postgres/server";
import { temporaryDirectory } from "../tests/support/packed-library";
import { machine, today } from "./machine";
import { layOut } from "./table";

/** A place where states are kept. */
interface Backend {
  readonly name: string;
  /** The variables that name it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The bytes that it takes by now: states, their copies and their history. */
  readonly size: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** What a command is for, the command, and variables for it. */
type Step = readonly [
  what: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
];

/** Has the CLI save the state once, when everything is done. */
const savingOnce = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };
/** With more resources an `up` that saves at each step takes more than an hour. */
const mostSavedAlways = 1_000;
const usualCounts = [100, 1_000, 5_000];
const head = [
  "resources",
  "state kept in",
  "up",
  "up, saved once",
  "preview",
  "one change",
  "refresh",
  "state",
  "all kept",
] as const;
const program = `
const { provisioning } = require("pulumi-trivium");
const { ESTATE_SIZE, ESTATE_FIRST } = process.env;
for (let number = 1; number <= Number(ESTATE_SIZE); number++) {
  const name = number === 1 ? ESTATE_FIRST : "project-" + number;
  new provisioning.Project("project-" + number, { organization: "acme", name });
}
`;

/**
 * Measures how long the commands of a pipeline take with a small, a large and a very large stack, and how much is
 * kept of it, in a directory and in a PostgreSQL database. Not a part of `npm run bench`, for it takes many minutes.
 *
 *     npm run build && node -r ts-node/register bench/estate.ts [<resources> ...]
 */
async function estate(counts: readonly number[]): Promise<void> {
  const lines: (readonly string[])[] = [];
  for (const count of counts) {
    for (const open of [fileBackend, postgresBackend]) {
      lines.push([count.toLocaleString("en"), ...(await measure(count, open))]);
    }
  }
  process.stdout.write(`\n${circumstances(counts)}\n\n${layOut([head, ...lines])}\n`);
}

/** The name of the backend, and the figures of a stack with so many projects. */
async function measure(count: number, open: () => Promise<Backend>): Promise<readonly string[]> {
  const up = ["up", "--yes", "--skip-preview"];
  const saved: Step = ["up, saved once", up, savingOnce];
  const others: readonly Step[] = [
    ["preview", ["preview", "--expect-no-changes"], {}],
    ["one change", up, { ESTATE_FIRST: "project-one" }],
    ["refresh", ["refresh", "--yes", "--skip-preview"], {}],
  ];
  if (count > mostSavedAlways) {
    const [name = "", ...figures] = await run(count, open, [saved, ...others]);
    return [name, "-", ...figures];
  }
  const [, once = ""] = await run(count, open, [saved]);
  const [name = "", always = "", ...figures] = await run(count, open, [["up", up, {}], ...others]);
  return [name, always, once, ...figures];
}

/**
 * Runs commands on a stack of its own, against an emulator that has nothing else to do.
 *
 * @returns the name of the backend, how long each took, the size of the state, and that of all that is kept
 */
async function run(
  count: number,
  open: () => Promise<Backend>,
  steps: readonly Step[],
): Promise<readonly string[]> {
  const backend = await open();
  const emulator = await emulatedService();
  const stack = await ProgramDirectory.ofJavaScript("estate", program, {
    ...emulator.environment,
    ...backend.environment,
    ESTATE_SIZE: String(count),
    ESTATE_FIRST: "project-1",
  });
  try {
    const figures: string[] = [];
    for (const [what, command, environment] of steps) {
      const start = performance.now();
      const { succeeded, text } = await stack.pulumi(command, { environment });
      if (!succeeded) {
        throw new Error(`${what} of ${count} resources, ${backend.name}:\n${text.slice(-2_000)}`);
      }
      const seconds = `${((performance.now() - start) / 1_000).toFixed(1)} s`;
      const load = loadavg()[0]?.toFixed(1) ?? "unknown";
      process.stderr.write(`${count} resources, ${backend.name}: ${what} ${seconds} (load ${load})\n`);
      figures.push(seconds);
    }
    const { text } = await stack.pulumi(["stack", "export"]);
    const sizes = [Buffer.byteLength(text), await backend.size()].map(megabytes);
    return [backend.name, ...figures, ...sizes];
  } finally {
    stack.remove();
    await Promise.all([emulator.close(), backend.close()]);
  }
}

async function emulatedService(): Promise<Emulator> {
  const emulator = await startEmulator();
  emulator.provisioning.addOrganization({ name: "acme" });
  return emulator;
}

function fileBackend(): Promise<Backend> {
  const directory = temporaryDirectory("estate-state");
  return Promise.resolve({
    name: "a directory",
    environment: { PULUMI_BACKEND_URL: `file://${directory}` },
    size: () => Promise.resolve(sizeOf(directory)),
    close: () => rm(directory, { recursive: true }),
  });
}

async function postgresBackend(): Promise<Backend> {
  const server = await PostgresServer.start();
  return {
    name: "PostgreSQL",
    environment: { PULUMI_BACKEND_URL: server.url, ...server.environment },
    async size() {
      const [bytes] = await server.query("select pg_total_relation_size('pulumi_state')");
      return Number(bytes);
    },
    close: () => server.close(),
  };
}

function sizeOf(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function circumstances(counts: readonly number[]): string {
  const command = ["node -r ts-node/register bench/estate.ts", ...counts].join(" ");
  return `${command}, ${today()}, Node.js ${process.version}, ${machine()}`;
}

function countsOf(parameters: readonly string[]): readonly number[] {
  const counts = parameters.map(Number);
  const wrong = parameters.filter((_, index) => !Number.isInteger(counts[index]) || (counts[index] ?? 0) < 1);
  if (wrong.length > 0) {
    throw new Error(`${wrong.join(", ")}: a number of resources is a whole number above 0.`);
  }
  return counts.length === 0 ? usualCounts : counts;
}

async function main(): Promise<void> {
  await estate(countsOf(process.argv.slice(2)));
}

main().catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
