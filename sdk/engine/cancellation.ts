import { setMaxListeners } from "node:events";
import { providerProcess } from "./process";

/** Work in progress in this process, which has to end before the process may. */
const running = new Set<Promise<unknown>>();

/** How long, in milliseconds, the SDK's server may take to send what settled work has brought, such as a new id. */
const sendingTime = 100;

let controller: AbortController | undefined;

/**
 * A signal that is aborted as soon as the user cancels. The engine says so at once by its Cancel call, which the
 * SDK's server ignores, and once more by SIGINT when it shuts down.
 */
export function cancellationSignal(): AbortSignal {
  if (controller === undefined) {
    const created = new AbortController();
    controller = created;
    // Every request under way listens: many are no leak, and Node.js would print a warning that users see.
    setMaxListeners(0, created.signal);
    if (providerProcess() !== undefined) {
      observeCancelCall(() => created.abort());
      process.once("SIGINT", () => {
        created.abort();
        // Without a handler the process would die at once and with it what is known about requests in flight.
        void Promise.allSettled(running).then(() => setTimeout(() => process.exit(130), sendingTime));
      });
    }
  }
  return controller.signal;
}

/** Cancels all work in progress, and what begins from now on: the engine asks for it once, and then ends the process. */
export function cancelWork(): void {
  cancellationSignal();
  controller?.abort();
}

/** Runs work which the process waits for when it is asked to end. */
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

/** Listens on the process's own gRPC server, which offers no way to be told. */
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
