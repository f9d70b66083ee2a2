import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";
import * as grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { EngineLog } from "./engine-log";
import { repository } from "./packed-library";
import { quickStart } from "./quick-start";

export type Properties = Record<string, JavaScriptValue>;

export class CallError extends Error {
  constructor(
    message: string,
    /** The object that exists despite the failure. */
    readonly partial: { id: string; properties: Properties; reasons: string[] } | undefined,
  ) {
    super(message);
  }
}

type Callback<Response> = (error: grpc.ServiceError | null, response: Response) => void;

/** What the engine calls: a process, or a provider in this one. */
export interface Provider extends Pick<
  ProviderProcess,
  "check" | "diff" | "create" | "get" | "refresh" | "update" | "delete"
> {
  about?: ProviderProcess["about"];
}

/** An empty id means that the object is gone. `inputs` is `undefined` when the provider leaves those in state unchanged. */
export type ReadResult = Awaited<ReturnType<Provider["get"]>>;

export class ProviderProcess {
  /** Without the line that announces the port. */
  output = "";
  readonly errors: string[] = [];
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** What the engine sends besides properties; only the plugin uses it. */
  about: {
    readonly urn?: string;
    readonly oldInputs?: Properties;
    readonly preview?: boolean;
    /** The limit of `customTimeouts` for a creation, in seconds. */
    readonly timeout?: number;
  } = {};

  private client: ResourceProviderClient;
  private readonly underWay = new Set<grpc.ClientUnaryCall>();

  private constructor(
    private readonly child: ChildProcessByStdio<null, Readable, Readable>,
    private readonly port: number,
    readonly engine: EngineLog,
  ) {
    this.client = clientOf(port);
    const append = (chunk: Buffer): void => void (this.output += chunk.toString("utf8"));
    [child.stdout, child.stderr].forEach((stream) => stream.on("data", append));
    // Unlike "exit", "close" comes after the end of the streams.
    this.ended = new Promise((resolve) => {
      child.once("close", (code, signal) => resolve({ code, signal }));
    });
  }

  /** @param configuration stack configuration by full key, such as `trivium:provisioningAddress` */
  static start(
    directory: string,
    configuration: Properties,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<ProviderProcess> {
    const script = require.resolve("@pulumi/pulumi/cmd/dynamic-provider", { paths: [directory] });
    const whole = { NODE_OPTIONS: quickStart, ...environment };
    return ProviderProcess.launch([script], directory, configuration, whole);
  }

  /** @param options before the engine's address, such as `--logtostderr` */
  static startPlugin(
    configuration: Properties,
    environment: NodeJS.ProcessEnv = {},
    options: readonly string[] = [],
    executable = join(repository, "sdk", "plugin", "pulumi-resource-trivium"),
  ): Promise<ProviderProcess> {
    return ProviderProcess.launch([executable, ...options], repository, configuration, environment);
  }

  private static async launch(
    command: readonly string[],
    cwd: string,
    configuration: Properties,
    environment: NodeJS.ProcessEnv,
  ): Promise<ProviderProcess> {
    const { engine, address } = await EngineLog.start();
    const child = spawn(process.execPath, [...command, address], {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const port = await new Promise<number>((resolve, reject) => {
      let complaints = "";
      child.stderr.on("data", (chunk) => (complaints += String(chunk)));
      // The process prints its port on the first line.
      child.stdout.once("data", (chunk) => resolve(Number(chunk)));
      child.once("close", () => {
        engine.stop();
        reject(new Error(`The provider process ended before it listened: ${complaints}`));
      });
    });
    const provider = new ProviderProcess(child, port, engine);
    await provider.configure(configuration);
    return provider;
  }

  /** Applies only to provider texts that the process has not run yet. @returns what the provider can do */
  async configure(configuration: Properties): Promise<messages.ConfigureResponse.AsObject> {
    const request = new messages.ConfigureRequest().setArgs(structOf(configuration));
    const response = await this.call<messages.ConfigureResponse>((done) =>
      this.client.configure(request, done),
    );
    return response.toObject();
  }

  check(olds: Properties, news: Properties) {
    const request = this.asked(new messages.CheckRequest()).setOlds(structOf(olds)).setNews(structOf(news));
    return this.checked((done) => this.client.check(request, done));
  }

  /** Of a provider of this name. */
  checkConfig(name: string, news: Properties) {
    const urn = `urn:pulumi:test::test::pulumi:providers:trivium::${name}`;
    const request = new messages.CheckRequest().setUrn(urn).setNews(structOf(news));
    return this.checked((done) => this.client.checkConfig(request, done));
  }

  async diff(id: string, olds: Properties, news: Properties) {
    const request = this.asked(new messages.DiffRequest())
      .setId(id)
      .setOlds(structOf(olds))
      .setNews(structOf(news));
    const response = await this.call<messages.DiffResponse>((done) => this.client.diff(request, done));
    const details = response.getDetaileddiffMap().toArray();
    return {
      changes: (["unknown", "none", "some"] as const)[response.getChanges()],
      replaces: response.getReplacesList(),
      deleteBeforeReplace: response.getDeletebeforereplace(),
      /** The paths of what differs; only the plugin tells them. */
      ...(details.length > 0 && { details: details.map(([path]) => path) }),
    };
  }

  async create(inputs: Properties): Promise<{ id: string; outputs: Properties }> {
    const request = this.asked(new messages.CreateRequest())
      .setPreview(this.about.preview ?? false)
      .setTimeout(this.about.timeout ?? 0)
      .setProperties(structOf(inputs));
    const response = await this.call<messages.CreateResponse>((done) => this.client.create(request, done));
    return { id: response.getId(), outputs: plain(response.getProperties()) };
  }

  /** As a refresh does: with the outputs in state. */
  refresh(id: string, outputs: Properties) {
    return this.read(id, this.about.oldInputs, outputs);
  }

  /** As a program's `get` does: with the inputs alone. */
  get(id: string, inputs: Properties) {
    return this.read(id, inputs);
  }

  async update(id: string, olds: Properties, news: Properties): Promise<Properties> {
    const request = this.asked(new messages.UpdateRequest())
      .setId(id)
      .setOlds(structOf(olds))
      .setNews(structOf(news));
    const response = await this.call<messages.UpdateResponse>((done) => this.client.update(request, done));
    return plain(response.getProperties());
  }

  async delete(id: string, properties: Properties): Promise<void> {
    const request = this.asked(new messages.DeleteRequest()).setId(id).setProperties(structOf(properties));
    await this.call<Empty>((done) => this.client.delete(request, done));
  }

  async invoke(token: string, args: Properties): Promise<Properties> {
    const request = new messages.InvokeRequest().setTok(token).setArgs(structOf(args));
    const response = await this.call<messages.InvokeResponse>((done) => this.client.invoke(request, done));
    return plain(response.getReturn());
  }

  /** The engine calls this at once on Ctrl-C. */
  async cancel(): Promise<void> {
    await this.call<Empty>((done) => this.client.cancel(new Empty(), done));
  }

  /** As the engine does at shutdown; pending calls can still get a response. */
  interrupt(): void {
    this.child.kill("SIGINT");
  }

  /** The connection stays open. */
  abandonCalls(): void {
    this.underWay.forEach((call) => call.cancel());
  }

  disconnect(): void {
    this.abandonCalls();
    this.client.close();
  }

  reconnect(): void {
    this.client = clientOf(this.port);
  }

  /** Returns and clears everything that it has shown. */
  takeShown(): string[] {
    const printed = this.output === "" ? [] : [this.output];
    this.output = "";
    const lines = this.engine.lines.splice(0).map(({ message }) => message);
    return [...printed, ...this.errors.splice(0), ...lines];
  }

  get id(): number | undefined {
    return this.child.pid;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null || this.child.killed;
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.client.close();
    this.engine.stop();
    this.kill();
    await this.ended;
  }

  private asked<Request extends AboutResource>(request: Request): Request {
    request.setUrn(this.about.urn ?? "");
    request.setOldInputs?.(structOf(this.about.oldInputs));
    return request;
  }

  private async checked(start: (done: Callback<messages.CheckResponse>) => grpc.ClientUnaryCall) {
    const response = await this.call(start);
    const failures = response.getFailuresList();
    return {
      inputs: plain(response.getInputs()),
      failures: failures.map((each) => ({ property: each.getProperty(), reason: each.getReason() })),
    };
  }

  private async read(id: string, inputs?: Properties, outputs?: Properties) {
    const request = this.asked(new messages.ReadRequest()).setId(id);
    request.setInputs(structOf(inputs)).setProperties(structOf(outputs));
    const response = await this.call<messages.ReadResponse>((done) => this.client.read(request, done));
    return {
      id: response.getId(),
      outputs: plain(response.getProperties()),
      inputs: response.hasInputs() ? plain(response.getInputs()) : undefined,
    };
  }

  private call<Response>(start: (done: Callback<Response>) => grpc.ClientUnaryCall): Promise<Response> {
    return new Promise((resolve, reject) => {
      const call = start((error, response) => {
        this.underWay.delete(call);
        if (error === null) {
          resolve(response);
        } else {
          this.errors.push(error.details);
          reject(callError(error));
        }
      });
      this.underWay.add(call);
    });
  }
}

interface AboutResource {
  setUrn(urn: string): unknown;
  setOldInputs?(inputs?: Struct): unknown;
}

function clientOf(port: number): ResourceProviderClient {
  // By default clients share a connection per address, and closing one would not close it.
  const options = { "grpc.use_local_subchannel_pool": 1 };
  return new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), options);
}

function structOf(properties?: Properties): Struct | undefined {
  return properties && Struct.fromJavaScript(properties);
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
  if (failed === null || failed === undefined) {
    return new CallError(error.details, undefined);
  }
  const [id, properties] = [failed.getId(), plain(failed.getProperties())];
  return new CallError(error.details, { id, properties, reasons: failed.getReasonsList() });
}
