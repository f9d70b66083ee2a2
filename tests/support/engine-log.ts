import { EventEmitter, once } from "node:events";
import * as grpc from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";

const severities = ["debug", "information", "warning", "error"] as const;

export interface LogLine {
  readonly severity: (typeof severities)[number];
  readonly message: string;
  readonly urn: string;
  readonly ephemeral: boolean;
}

export class EngineLog {
  readonly lines: LogLine[] = [];
  private readonly arrivals = new EventEmitter();
  private readonly server = new grpc.Server();

  static async start(): Promise<{ engine: EngineLog; address: string }> {
    const engine = new EngineLog();
    engine.server.addService(EngineService, {
      log: (call: { request: LogRequest }, callback: grpc.sendUnaryData<Empty>) => {
        const { request } = call;
        engine.lines.push({
          severity: severities[request.getSeverity()],
          message: request.getMessage(),
          urn: request.getUrn(),
          ephemeral: request.getEphemeral(),
        });
        engine.arrivals.emit("line");
        callback(null, new Empty());
      },
    });
    const port = await new Promise<number>((resolve, reject) =>
      engine.server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      ),
    );
    return { engine, address: `127.0.0.1:${port}` };
  }

  async line(pattern: RegExp): Promise<LogLine> {
    for (;;) {
      const found = this.lines.find(({ message }) => pattern.test(message));
      if (found !== undefined) {
        return found;
      }
      await once(this.arrivals, "line");
    }
  }

  stop(): void {
    this.server.forceShutdown();
  }
}
