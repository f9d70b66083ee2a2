import type { IEngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { showable } from "../base/shown-text";
import { requireFromSdk } from "./sdk-modules";

/** Arguments of a provider process; `undefined` in every other process. */
export interface ProviderProcess {
  readonly engineAddress: string;
}

let plugin: ProviderProcess | undefined;

export function actAsPlugin(engineAddress: string): void {
  plugin = { engineAddress };
}

const script = /[\\/]cmd[\\/]dynamic-provider([\\/]index(\.js)?)?$/;

export function providerProcess(argv: readonly string[] = process.argv): ProviderProcess | undefined {
  if (plugin !== undefined) {
    return plugin;
  }
  const [, running = "", engineAddress = ""] = argv;
  return script.test(running) && /:\d+$/.test(engineAddress) ? { engineAddress } : undefined;
}

/** The directory of the SDK if this is its process for dynamic providers. */
export function runningSdk(argv: readonly string[] = process.argv): string | undefined {
  return plugin === undefined && providerProcess(argv) !== undefined
    ? argv[1]?.replace(script, "")
    : undefined;
}

let silenced = false;

/**
 * The provider process sends an error and also prints `${error}: ${error.stack}`. For our errors only `: ` remains,
 * which the CLI would show as a separate line.
 */
export function silenceEmptyReports(): void {
  if (silenced || providerProcess() === undefined) {
    return;
  }
  silenced = true;
  const print = console.error.bind(console);
  console.error = (...parts: unknown[]) => {
    if (parts.length !== 1 || parts[0] !== ": ") {
      print(...parts);
    }
  };
}

/** `progress` is temporary, on the resource's line. The others are permanent. */
export type LogKind = "progress" | "information" | "warning";

let client: IEngineClient | undefined;

/** Never fails, because output must not affect operations. Without a URN, the line belongs to the stack. */
export function logToEngine(kind: LogKind, urn: string | undefined, message: string): void {
  const process = providerProcess();
  if (process === undefined || (kind === "progress" && urn === undefined)) {
    return;
  }
  try {
    const { LogRequest, LogSeverity } = requireFromSdk<typeof import("@pulumi/pulumi/proto/engine_pb")>(
      "@pulumi/pulumi/proto/engine_pb",
    );
    const line = new LogRequest();
    line.setSeverity(kind === "warning" ? LogSeverity.WARNING : LogSeverity.INFO);
    line.setMessage(showable(message));
    line.setUrn(urn ?? "");
    line.setEphemeral(kind === "progress");
    client ??= connectToEngine(process.engineAddress);
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
