/**
 * Reads events and prints the measurements as JSON.
 *
 * node --expose-gc event-reader.ts <address> memory <events in all> <events between samples>
 * node --expose-gc event-reader.ts <address> speed <events of a round> <rounds>
 */
import { scheduler } from "pulumi-trivium";
import { request } from "undici";
import { takeTurns } from "./turns";

export type HeldBytes = readonly number[];

export type Times = Readonly<Record<"library" | "handWritten", readonly number[]>>;

async function read(address: string, total: number, seen: (count: number) => void): Promise<void> {
  let count = 0;
  for await (const { events } of scheduler.streamEvents({ address, token: "bench" })) {
    count += events.length;
    seen(count);
    if (count >= total) {
      break;
    }
  }
}

async function readByHand(address: string, total: number): Promise<void> {
  const { body } = await request(`${address}/v1/event/stream`, { headers: { "X-Scheduler-Token": "bench" } });
  let count = 0;
  let rest = "";
  for await (const chunk of body.setEncoding("utf8") as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { Events = [] } = JSON.parse(line) as { readonly Events?: readonly unknown[] };
      count += Events.length;
    }
    if (count >= total) {
      break;
    }
  }
}

async function heldBytesOf(address: string, total: number, step: number): Promise<HeldBytes> {
  const samples: number[] = [];
  await read(address, total, (count) => {
    if (count % step === 0) {
      samples.push(heldBytes());
    }
  });
  return samples;
}

function heldBytes(): number {
  if (globalThis.gc === undefined) {
    throw new Error("start it with --expose-gc");
  }
  // The second run frees what was held by objects that the first run freed.
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Not counted: code is compiled during its first runs. */
const warmUps = 3;

async function timesOf(address: string, total: number, rounds: number): Promise<Times> {
  const times = await takeTurns(
    {
      library: () => durationOf(() => read(address, total, () => undefined)),
      handWritten: () => durationOf(() => readByHand(address, total)),
    },
    warmUps + rounds,
  );
  return { library: times.library.slice(warmUps), handWritten: times.handWritten.slice(warmUps) };
}

async function durationOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const [, , address = "", what, total, parameter] = process.argv;
const measured = (what === "memory" ? heldBytesOf : timesOf)(address, Number(total), Number(parameter));
measured.then(
  (result) => process.stdout.write(JSON.stringify(result)),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
