/**
 * Reads events and prints the measurements as JSON.
 *
 * node --expose-gc event-reader.ts <address> memory <total events> <events between samples>
 * node --expose-gc event-reader.ts <address> speed <events per round> <rounds>
 */
import { scheduler } from "pulumi-trivium";
import { request } from "undici";
import { takeTurns } from "./turns";

type Read = (total: number, onCount?: (count: number) => void) => Promise<void>;

/** Not counted: code is compiled during its first runs. */
const warmUps = 3;

const [, , address = "", what, total, parameter] = process.argv;

const read: Read = async (total, onCount) => {
  let count = 0;
  for await (const { events } of scheduler.streamEvents({ address, token: "bench" })) {
    count += events.length;
    onCount?.(count);
    if (count >= total) {
      break;
    }
  }
};

const readByHand: Read = async (total) => {
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
};

async function heldBytes(total: number, step: number): Promise<readonly number[]> {
  const samples: number[] = [];
  await read(total, (count) => {
    if (count % step === 0) {
      // The second run frees what was held by objects that the first run freed.
      globalThis.gc?.();
      globalThis.gc?.();
      const { heapUsed, external } = process.memoryUsage();
      samples.push(heapUsed + external);
    }
  });
  return samples;
}

function processorTimes(
  total: number,
  rounds: number,
): Promise<Readonly<Record<"library" | "handWritten", readonly number[]>>> {
  const timeOf = (work: Read) => async () => {
    const before = process.cpuUsage();
    await work(total);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  return takeTurns({ library: timeOf(read), handWritten: timeOf(readByHand) }, rounds, warmUps);
}

const measured = (what === "memory" ? heldBytes : processorTimes)(Number(total), Number(parameter));
measured.then(
  (result) => process.stdout.write(JSON.stringify(result)),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
