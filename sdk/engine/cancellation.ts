import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { finishProcess } from "../base/process-end";
import { EngineConnection } from "./engine-connection";
import { providerProcess } from "./process";

/** Work in progress, which must settle before the process exits. */
const running = new Set<Promise<unknown>>();

/**
 * How long, in milliseconds, the SDK's server may take to send the results of settled work, such as a new id.
 */
const sendingTime = 100;

/** How long, in milliseconds, work may take to settle once the engine has ended. Cancelled work takes half of it. */
const settlingTime = 8000;

let controller = newController();
let follows = false;

/**
 * A signal that is aborted when the user cancels, or when the engine has closed its connection and cannot receive the
 * result. It is that of the calls that begin now.
 */
export function cancellationSignal(): AbortSignal {
  followEngine();
  return controller.signal;
}

/**
 * Follows the engine that has started this process, if one has. The engine sends Cancel at once when the user cancels,
 * which the SDK's server ignores, and SIGINT when it shuts down. If it is killed it sends nothing, and its provider
 * processes would go on creating what nobody records.
 */
export function followEngine(): void {
  const engine = providerProcess();
  if (follows || engine === undefined) {
    return;
  }
  follows = true;
  new EngineConnection(engine.engineAddress, {
    cancelled: cancelWork,
    disconnected: abandonWork,
    ended() {
      void Promise.race([settled(), sleep(settlingTime)])
        .then(finishProcess)
        .then(() => process.exit());
    },
  });
  process.once("SIGINT", () => {
    cancelWork();
    // Without a handler the process would exit at once and lose the outcome of requests in flight.
    void settled()
      .then(() => Promise.all([finishProcess(), sleep(sendingTime)]))
      .then(() => process.exit(130));
  });
}

/** Cancels all work, current and future: the engine sends Cancel once, then ends the process. */
export function cancelWork(): void {
  controller.abort();
}

/** Cancels the work in progress. Calls of a new connection are those of an engine that waits for them. */
function abandonWork(): void {
  const abandoned = controller;
  if (!abandoned.signal.aborted) {
    controller = newController();
    abandoned.abort();
  }
}

function newController(): AbortController {
  const created = new AbortController();
  // Every request in flight listens: many listeners are not a leak, and Node.js would print a warning to
  // users.
  setMaxListeners(0, created.signal);
  return created;
}

/** Runs work that the process waits for before it exits. */
export async function untilSettled<Result>(work: () => Promise<Result>): Promise<Result> {
  const promise = work();
  running.add(promise);
  try {
    return await promise;
  } finally {
    running.delete(promise);
  }
}

function settled(): Promise<unknown> {
  return Promise.allSettled(running);
}
