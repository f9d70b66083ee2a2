import { setMaxListeners } from "node:events";
import { providerProcess } from "./process";

/** Work in progress, which must settle before the process exits. */
const running = new Set<Promise<unknown>>();

/**
 * How long, in milliseconds, the SDK's server may take to send the results of settled work, such as a new id.
 */
const sendingTime = 100;

let controller: AbortController | undefined;

/**
 * A signal that is aborted when the user cancels. The engine sends Cancel at once, which the SDK's server
 * ignores, and SIGINT when it shuts down.
 */
export function cancellationSignal(): AbortSignal {
  if (controller === undefined) {
    const created = new AbortController();
    controller = created;
    // Every request in flight listens: many listeners are not a leak, and Node.js would print a warning to
    // users.
    setMaxListeners(0, created.signal);
    if (providerProcess() !== undefined) {
      observeCancelCall(() => created.abort());
      process.once("SIGINT", () => {
        created.abort();
        // Without a handler the process would exit at once and lose the outcome of requests in flight.
        void Promise.allSettled(running).then(() => setTimeout(() => process.exit(130), sendingTime));
      });
    }
  }
  return controller.signal;
}

/** Cancels all work, current and future: the engine sends Cancel once, then ends the process. */
export function cancelWork(): void {
  cancellationSignal();
  controller?.abort();
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

interface Http2ServerLike {
  prependListener(
    event: "stream",
    listener: (stream: unknown, headers: Record<string, unknown>) => void,
  ): unknown;
}

/** Listens on the process's own gRPC server, which has no hook for this call. */
function observeCancelCall(cancelled: () => void): void {
  const { _getActiveHandles: activeHandles } = process as { _getActiveHandles?: () => unknown[] };
  const servers = activeHandles?.call(process).filter(isHttp2Server) ?? [];
  for (const server of servers) {
    server.prependListener("stream", (_stream, headers) => {
      if (headers[":path"] === "/pulumirpc.ResourceProvider/Cancel") {
        cancelled();
      }
    });
  }
}

function isHttp2Server(handle: unknown): handle is Http2ServerLike {
  return (
    typeof handle === "object" &&
    handle !== null &&
    /^Http2(Secure)?Server$/.test(handle.constructor.name) &&
    "prependListener" in handle
  );
}
