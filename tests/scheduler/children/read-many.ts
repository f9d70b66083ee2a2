/** Reads a number of events and tells how much memory is in use after the first tenth of them and at the end. */
import { events } from "../../../sdk/scheduler";

async function main(): Promise<void> {
  const count = Number(process.env.EVENT_COUNT);
  const used = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  let read = 0;
  let first = 0;
  let lastIndex = 0;
  for await (const { index } of events()) {
    read += 1;
    if (index < lastIndex) {
      throw new Error(`${index} after ${lastIndex}`);
    }
    lastIndex = index;
    if (read === count / 10) {
      first = used();
    }
    if (read === count) {
      console.log(JSON.stringify({ read, first, last: used() }));
      return;
    }
  }
}

void main();
