import type { IEngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { showable } from "../base/shown-text";
import { engineAddress } from "./process";
import { requireFromSdk } from "./sdk-modules";

/** `progress` is temporary, on the resource's line. The others are permanent; `debug` is only shown with `--debug`. */
export type LogKind = "progress" | "information" | "warning" | "debug";

let client: IEngineClient | undefined;

/**
 * Shows a line; never fails, because output must not affect operations. Without a URN, the line belongs to
 * the stack.
 */
export function logToEngine(kind: LogKind, urn: string | undefined, message: string): void {
  const address = engineAddress();
  if (address === undefined || (kind === "progress" && urn === undefined)) {
    return;
  }
  try {
    const { LogRequest, LogSeverity } = requireFromSdk<typeof import("@pulumi/pulumi/proto/engine_pb")>(
      "@pulumi/pulumi/proto/engine_pb",
    );
    const line = new LogRequest();
    const { INFO, WARNING, DEBUG } = LogSeverity;
    line.setSeverity({ progress: INFO, information: INFO, warning: WARNING, debug: DEBUG }[kind]);
    line.setMessage(showable(message));
    line.setUrn(urn ?? "");
    line.setEphemeral(kind === "progress");
    client ??= connectToEngine(address);
    client.log(line, () => undefined);
  } catch {
    // A line that cannot be shown is lost, but the operation continues.
  }
}

function connectToEngine(address: string): IEngineClient {
  const { EngineClient } = requireFromSdk<typeof import("@pulumi/pulumi/proto/engine_grpc_pb")>(
    "@pulumi/pulumi/proto/engine_grpc_pb",
  );
  const { credentials } = requireFromSdk<typeof import("@grpc/grpc-js")>("@grpc/grpc-js");
  return new EngineClient(address, credentials.createInsecure());
}
