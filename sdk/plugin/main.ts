import { writeSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { callServer } from "../engine/calls";

/** Loaded once the engine knows the port: until then, it can do nothing else. */
const service = (): typeof import("./service") => require("./service") as typeof import("./service");

/**
 * Serves the engine that has started this process, and says on the first line where.
 *
 * @param parameters of the process. The engine's address is the last one; its options, such as `--logtostderr`, come
 *   before it. It is missing if a person has started the process
 */
export function servePlugin(parameters: readonly string[]): void {
  const server = callServer(
    (path) => service().handlerOf(path),
    (error) => service().failureOf(error),
  );
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    // The console takes longer to load than this line to be written.
    writeSync(1, `${port}\n`);
    const last = parameters.at(-1) ?? "";
    service().follow(/:\d+$/.test(last) ? last : undefined);
  });
}
