import "../base/node-version";
import { writeSync } from "node:fs";
import type { sendUnaryData, ServerUnaryCall, UntypedServiceImplementation } from "@grpc/grpc-js";
import { requireFromSdk } from "../engine/sdk-modules";
import { methods } from "./methods";

/** Loaded after the port is written, because the engine waits for the port. */
const service = (): typeof import("./service") => require("./service") as typeof import("./service");

/** The engine's limit for messages. */
const largestMessage = 400 * 1024 * 1024;

/**
 * @param parameters options such as `--logtostderr`, then the engine's address, unless a user started the
 * process
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
    // Loading the console takes longer than writing this line.
    writeSync(1, `${port}\n`);
    const last = parameters.at(-1) ?? "";
    service().follow(/:\d+$/.test(last) ? last : undefined);
  });
}
