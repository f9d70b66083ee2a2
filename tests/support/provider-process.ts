import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import * as grpc from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";

/** Properties as they travel between the engine and a provider. */
export type Properties = Record<string, JavaScriptValue>;

/** A line that the provider showed through the engine. */
export interface LogLine {
  readonly message: string;
  readonly urn: string;
  readonly ephemeral: boolean;
}

/** What a call failed with. */
export class CallError extends Error {
  constructor(
    message: string,
    /** The object that exists all the same. */
    readonly partial: { id: string; properties: Properties; reasons: string[] } | undefined,
  ) {
    super(message);
  }
}

/** The engine's real provider process, driven over gRPC as the engine drives it. */
export class ProviderProcess {
  /** Everything that the process has printed. */
  output = "";

  private constructor(
    readonly child: ChildProcess,
    private readonly client: ResourceProviderClient,
    private readonly engine: grpc.Server,
    readonly log: LogLine[],
  ) {
    const append = (chunk: Buffer): void => {
      this.output += chunk.toString("utf8");
    };
    child.stdout?.on("data", append);
    child.stderr?.on("data", append);
  }

  /**
   * Starts the process as the engine does: in the program's directory, with the engine's address.
   *
   * @param configuration stack configuration by full key, such as `trivium:provisioningAddress`
   */
  static async start(
    directory: string,
    configuration: Properties,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<ProviderProcess> {
    const log: LogLine[] = [];
    const engine = new grpc.Server();
    engine.addService(EngineService, {
      log: (call: { request: LogRequest }, callback: grpc.sendUnaryData<Empty>) => {
        const { request } = call;
        log.push({ message: request.getMessage(), urn: request.getUrn(), ephemeral: request.getEphemeral() });
        callback(null, new Empty());
      },
    });
    const enginePort = await new Promise<number>((resolve, reject) =>
      engine.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      ),
    );
    const script = require.resolve("@pulumi/pulumi/cmd/dynamic-provider", { paths: [directory] });
    const child = spawn(process.execPath, [script, `127.0.0.1:${enginePort}`], {
      cwd: directory,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [firstLine] = (await once(child.stdout, "data")) as [Buffer];
    const client = new ResourceProviderClient(
      `127.0.0.1:${firstLine.toString("utf8").trim()}`,
      grpc.credentials.createInsecure(),
    );
    const provider = new ProviderProcess(child, client, engine, log);
    const configure = new messages.ConfigureRequest();
    configure.setArgs(Struct.fromJavaScript(configuration));
    await provider.call<messages.ConfigureResponse>((callback) => client.configure(configure, callback));
    return provider;
  }

  async check(
    olds: Properties,
    news: Properties,
  ): Promise<{ inputs: Properties; failures: { property: string; reason: string }[] }> {
    const request = new messages.CheckRequest();
    request.setOlds(Struct.fromJavaScript(olds));
    request.setNews(Struct.fromJavaScript(news));
    const response = await this.call<messages.CheckResponse>((callback) =>
      this.client.check(request, callback),
    );
    return {
      inputs: plain(response.getInputs()),
      failures: response
        .getFailuresList()
        .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() })),
    };
  }

  async diff(
    id: string,
    olds: Properties,
    news: Properties,
  ): Promise<{ changes: "unknown" | "none" | "some"; replaces: string[]; deleteBeforeReplace: boolean }> {
    const request = new messages.DiffRequest();
    request.setId(id);
    request.setOlds(Struct.fromJavaScript(olds));
    request.setNews(Struct.fromJavaScript(news));
    const response = await this.call<messages.DiffResponse>((callback) =>
      this.client.diff(request, callback),
    );
    return {
      changes: (["unknown", "none", "some"] as const)[response.getChanges()],
      replaces: response.getReplacesList(),
      deleteBeforeReplace: response.getDeletebeforereplace(),
    };
  }

  async create(inputs: Properties): Promise<{ id: string; outputs: Properties }> {
    const request = new messages.CreateRequest();
    request.setProperties(Struct.fromJavaScript(inputs));
    const response = await this.call<messages.CreateResponse>((callback) =>
      this.client.create(request, callback),
    );
    return { id: response.getId(), outputs: plain(response.getProperties()) };
  }

  /** @param properties outputs in state for a refresh, inputs of the program for a get */
  async read(
    id: string,
    properties: Properties,
  ): Promise<{ id: string; outputs: Properties; inputs: Properties }> {
    const request = new messages.ReadRequest();
    request.setId(id);
    request.setProperties(Struct.fromJavaScript(properties));
    const response = await this.call<messages.ReadResponse>((callback) =>
      this.client.read(request, callback),
    );
    return {
      id: response.getId(),
      outputs: plain(response.getProperties()),
      inputs: plain(response.getInputs()),
    };
  }

  async update(id: string, olds: Properties, news: Properties): Promise<Properties> {
    const request = new messages.UpdateRequest();
    request.setId(id);
    request.setOlds(Struct.fromJavaScript(olds));
    request.setNews(Struct.fromJavaScript(news));
    const response = await this.call<messages.UpdateResponse>((callback) =>
      this.client.update(request, callback),
    );
    return plain(response.getProperties());
  }

  async delete(id: string, properties: Properties): Promise<void> {
    const request = new messages.DeleteRequest();
    request.setId(id);
    request.setProperties(Struct.fromJavaScript(properties));
    await this.call<Empty>((callback) => this.client.delete(request, callback));
  }

  /** What the engine calls at once when the user presses Ctrl-C. */
  async cancel(): Promise<void> {
    await this.call<Empty>((callback) => this.client.cancel(new Empty(), callback));
  }

  /** Ends the process as the engine does, and waits for its end. */
  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
    this.client.close();
    this.engine.forceShutdown();
    if (this.child.exitCode !== null || this.child.signalCode !== null) {
      return this.child.exitCode;
    }
    const ended = once(this.child, "exit");
    this.child.kill(signal);
    const [code] = (await ended) as [number | null];
    return code;
  }

  private call<Response>(
    start: (callback: (error: grpc.ServiceError | null, response: Response) => void) => unknown,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      start((error, response) => (error === null ? resolve(response) : reject(callError(error))));
    });
  }
}

function plain(struct: Struct | undefined): Properties {
  return struct?.toJavaScript() ?? {};
}

function callError(error: grpc.ServiceError): CallError {
  const [details] = error.metadata.get("grpc-status-details-bin");
  const [any] = details instanceof Buffer ? Status.deserializeBinary(details).getDetailsList() : [];
  const failed = any?.unpack(
    (bytes: Uint8Array) => messages.ErrorResourceInitFailed.deserializeBinary(bytes),
    "pulumirpc.ErrorResourceInitFailed",
  );
  return new CallError(
    error.details,
    failed === null || failed === undefined
      ? undefined
      : { id: failed.getId(), properties: plain(failed.getProperties()), reasons: failed.getReasonsList() },
  );
}
