import { followEngine } from "../engine/cancellation";
import { actAsPlugin } from "../engine/process";
import { requireFromSdk } from "../engine/sdk-modules";
import { providerService } from "./service";

/** As large as a message of the engine may be. */
const largestMessage = 400 * 1024 * 1024;

/** Serves the engine that has started this process, and says on the first line where. */
export function servePlugin(engineAddress: string | undefined): void {
  if (engineAddress !== undefined) {
    actAsPlugin(engineAddress);
  }
  const { Server, ServerCredentials } = requireFromSdk<typeof import("@grpc/grpc-js")>("@grpc/grpc-js");
  const { ResourceProviderService } = requireFromSdk<typeof import("@pulumi/pulumi/proto/provider_grpc_pb")>(
    "@pulumi/pulumi/proto/provider_grpc_pb",
  );
  const server = new Server({ "grpc.max_receive_message_length": largestMessage });
  server.addService(ResourceProviderService, providerService());
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) {
      throw error;
    }
    followEngine();
    // eslint-disable-next-line no-console -- the engine waits for it
    console.log(port);
  });
}
