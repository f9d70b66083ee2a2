/**
 * Reads events, and prints how many bytes this process holds after every so many of them, as JSON.
 *
 *     node --expose-gc event-reader.ts <address> <events in all> <events between samples>
 */
import { scheduler } from "pulumi-trivium";

async function read(address: string, total: number, step: number): Promise<readonly number[]> {
  const samples: number[] = [];
  let count = 0;
  for await (const { events } of scheduler.streamEvents({ address, token: "bench" })) {
    count += events.length;
    if (count % step === 0) {
      samples.push(heldBytes());
    }
    if (count >= total) {
      break;
    }
  }
  return samples;
}

function heldBytes(): number {
  if (globalThis.gc === undefined) {
    throw new Error("start it with --expose-gc");
  }
  // What the first has made free may have held something that only the second finds to be free.
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const [, , address = "", total, step] = process.argv;
read(address, Number(total), Number(step)).then(
  (samples) => process.stdout.write(JSON.stringify(samples)),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
