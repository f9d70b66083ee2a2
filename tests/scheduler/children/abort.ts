/**
 * Aborts a stream at one moment of its life, and does nothing more: unless all that it held is released, the process
 * never ends.
 */
import { streamEvents } from "../../../sdk/scheduler";

const moment = process.env.ABORT_WHEN;
const abort = new AbortController();
let aborted = 0;

function abortNow(): void {
  aborted = performance.now();
  abort.abort();
}

async function main(): Promise<void> {
  const stream = streamEvents({
    signal: abort.signal,
    maxRetries: 1000,
    onReconnect() {
      if (moment === "back-off") {
        setImmediate(abortNow);
      }
    },
  });
  if (moment === "connect") {
    setImmediate(abortNow);
  }
  let frames = 0;
  for await (const frame of stream) {
    frames += frame.events.length;
    if (moment === "backlog" && frames === 1) {
      abortNow();
    }
    if (moment === "wait" && frames === 1) {
      // The next event is asked for by then.
      setImmediate(abortNow);
    }
    if (moment === "leave") {
      aborted = performance.now();
      break;
    }
  }
  console.log(JSON.stringify({ frames, milliseconds: performance.now() - aborted }));
}

void main();
