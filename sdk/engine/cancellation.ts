import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { finishProcess } from "../base/timing";
import { EngineConnection } from "./engine-connection";
import { engineAddress } from "./process";

const running = new Set<Promise<unknown>>();

/**
 * The maximum time, in milliseconds, for the engine to receive the results of settled work, such as a new ID.
 */
const sendingTime = 2000;

/**
 * The time, in milliseconds, for work to settle after the engine has ended. Canceled work takes half of that.
 */
const settlingTime = 8000;

let controller = newController();
let follows = false;

/** Aborted when the user cancels, or when the engine disconnects. Fetch it at the start of each call. */
export function cancellationSignal(): AbortSignal {
  followEngine();
  return controller.signal;
}

/**
 * When the user cancels, the engine sends Cancel, which the SDK's server ignores; when the engine shuts down,
 * it sends SIGINT. A killed engine sends neither, and its provider processes would continue to create objects
 * that nobody records.
 */
export function followEngine(): void {
  const address = engineAddress();
  if (follows || address === undefined) {
    return;
  }
  follows = true;
  const connection = new EngineConnection(address, {
    cancelled: cancelWork,
    disconnected: abandonWork,
    ended() {
      void Promise.race([Promise.allSettled(running), sleep(settlingTime)])
        .then(finishProcess)
        .then(() => process.exit());
    },
  });
  process.once("SIGINT", () => {
    cancelWork();
    // Without a handler the process would exit at once and lose the outcome of requests in flight.
    void Promise.allSettled(running)
      .then(() => Promise.all([finishProcess(), Promise.race([connection.idle(), sleep(sendingTime)])]))
      .finally(() => process.exit(130));
  });
}

/** Also cancels future work: the engine sends Cancel once, then ends the process. */
export function cancelWork(): void {
  controller.abort();
}

/** Cancels only the work in progress: if the engine connects again, it waits for its new calls. */
function abandonWork(): void {
  const abandoned = controller;
  if (!abandoned.signal.aborted) {
    controller = newController();
    abandoned.abort();
  }
}

function newController(): AbortController {
  const created = new AbortController();
  // Every request in flight listens, and Node would warn users about a leak.
  setMaxListeners(0, created.signal);
  return created;
}

/** The process waits for this work before it exits, so that no outcome of a request is lost. */
export async function untilSettled<Result>(work: () => Promise<Result>): Promise<Result> {
  const promise = work();
  running.add(promise);
  try {
    return await promise;
  } finally {
    running.delete(promise);
  }
}
