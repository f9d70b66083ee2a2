import { writeSync } from "node:fs";
import type { sendUnaryData, ServerUnaryCall, UntypedServiceImplementation } from "@grpc/grpc-js";
import { requireFromSdk } from "../engine/sdk-modules";
import { methods } from "./methods";

/** Loaded once the engine knows the port: until then, it can do nothing else. */
const service = (): typeof import("./service") => require("./service") as typeof import("./service");

/** As large as a message of the engine may be. */
const largestMessage = 400 * 1024 * 1024;

/**
 * Serves the engine that has started this process, and says on the first line where.
 *
 * @param parameters of the process. The engine's address is the last one; its options, such as `--logtostderr`, come
 *   before it. It is missing if a person has started the process
 */
export function servePlugin(parameters: readonly string[]): void {
  const { Server, ServerCredentials } = requireFromSdk<typeof import("@grpc/grpc-js")>("@grpc/grpc-js");
  const { ResourceProviderService } = requireFromSdk<typeof import("@pulumi/pulumi/proto/provider_grpc_pb")>(
    "@pulumi/pulumi/proto/provider_grpc_pb",
  );
  const handlers = methods.map((method) => [
    method,
    (call: ServerUnaryCall<never, unknown>, callback: sendUnaryData<unknown>) =>
      service().handlers[method](call, callback),
  ]);
  const server = new Server({ "grpc.max_receive_message_length": largestMessage });
  server.addService(ResourceProviderService, Object.fromEntries(handlers) as UntypedServiceImplementation);
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) {
      throw error;
    }
    // The console takes longer to load than this line to be written.
    writeSync(1, `${port}\n`);
    const last = parameters.at(-1) ?? "";
    service().follow(/:\d+$/.test(last) ? last : undefined);
  });
}
