import { type EventEmitter, setMaxListeners } from "node:events";
import type { Http2Session, Http2Stream, IncomingHttpHeaders } from "node:http2";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isMap } from "node:util/types";
import type { IEngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { CancelledError, messageOf } from "../base/errors";
import type { JsonObject } from "../base/json";
import { finishProcess } from "../base/timing";
import { showable } from "../base/shown-text";
import { requireFromSdk } from "./sdk-modules";

/** The address of the engine that started the plugin. */
let engineOfPlugin: string | undefined;

export function actAsPlugin(engineAddress: string): void {
  engineOfPlugin = engineAddress;
}

const script = /[\\/]cmd[\\/]dynamic-provider([\\/]index(\.js)?)?$/;

/** In a provider process; `undefined` in every other one. */
export function engineAddress(argv: readonly string[] = process.argv): string | undefined {
  const [, running = "", address = ""] = argv;
  return engineOfPlugin ?? (script.test(running) && /:\d+$/.test(address) ? address : undefined);
}

/** The directory of the SDK if this is its process for dynamic providers. */
export function runningSdk(argv: readonly string[] = process.argv): string | undefined {
  return engineOfPlugin === undefined && engineAddress(argv) !== undefined
    ? argv[1]?.replace(script, "")
    : undefined;
}

let silenced = false;

/**
 * The provider process sends an error and also prints `${error}: ${error.stack}`. For our errors only `: ` remains,
 * which the CLI would show as a separate line.
 */
export function silenceEmptyReports(): void {
  if (silenced || engineAddress() === undefined) {
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
  const address = engineAddress();
  if (address === undefined || (kind === "progress" && urn === undefined)) {
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

const running = new Set<Promise<unknown>>();

/** Milliseconds at most for the engine to receive the results of settled work, such as a new id. */
const sendingTime = 2000;

/** The same where this version of Node.js does not show which calls are in progress. */
const defaultSendingTime = 100;

/** Milliseconds for work to settle after the engine has ended. Cancelled work takes half of that. */
const settlingTime = 8000;

let controller = newController();
let follows = false;

/** Aborted when the user cancels, or when the engine disconnects. Fetch it at the start of each call. */
export function cancellationSignal(): AbortSignal {
  followEngine();
  return controller.signal;
}

/**
 * The engine sends Cancel when the user cancels, which the SDK's server ignores, and SIGINT when it shuts down.
 * A killed engine sends nothing, and its provider processes would continue to create objects that nobody records.
 */
export function followEngine(): void {
  const address = engineAddress();
  if (follows || address === undefined) {
    return;
  }
  follows = true;
  const connection = new EngineConnection(address, {
    cancelled: cancelWork,
    disconnected: abandonWork,
    ended() {
      void Promise.race([Promise.allSettled(running), sleep(settlingTime)])
        .then(finishProcess)
        .then(() => process.exit());
    },
  });
  process.once("SIGINT", () => {
    cancelWork();
    // Without a handler the process would exit at once and lose the outcome of requests in flight.
    void Promise.allSettled(running)
      .then(() => Promise.all([finishProcess(), Promise.race([connection.idle(), sleep(sendingTime)])]))
      .finally(() => process.exit(130));
  });
}

/** Also cancels future work: the engine sends Cancel once, then ends the process. */
export function cancelWork(): void {
  controller.abort();
}

/** Cancels only the work in progress. An engine that connects again waits for its new calls. */
function abandonWork(): void {
  const abandoned = controller;
  if (!abandoned.signal.aborted) {
    controller = newController();
    abandoned.abort();
  }
}

function newController(): AbortController {
  const created = new AbortController();
  // Every request in flight listens, and Node would warn users about a leak.
  setMaxListeners(0, created.signal);
  return created;
}

/** The process waits for this work before it exits, so that no outcome of a request is lost. */
export async function untilSettled<Result>(work: () => Promise<Result>): Promise<Result> {
  const promise = work();
  running.add(promise);
  try {
    return await promise;
  } finally {
    running.delete(promise);
  }
}

/** Milliseconds between checks whether a disconnected engine is still running. */
const interval = 1000;

/**
 * Watches the gRPC servers of this process, which have no hook for Cancel and none for a closed connection.
 * Only refused connections prove that the engine has ended. It also closes idle connections, and the parent process
 * may be a launcher.
 */
export class EngineConnection {
  private readonly connections = new Set<net.Socket>();
  private readonly sessions = new Set<Http2Session>();
  /** False if a user started the process by hand, with any address. */
  private isStartedByEngine: boolean;

  constructor(
    private readonly address: string,
    private readonly listener: Readonly<Record<"cancelled" | "disconnected" | "ended", () => void>>,
  ) {
    const { _getActiveHandles: activeHandles } = process as { _getActiveHandles?: () => unknown[] };
    const handles = activeHandles?.call(process) ?? [];
    const servers = handles.filter(isHttp2Server);
    for (const server of servers) {
      server.prependListener("stream", ({ session }: Http2Stream, headers: IncomingHttpHeaders) => {
        if (session !== undefined && !this.sessions.has(session)) {
          this.sessions.add(session);
          session.once("close", () => this.sessions.delete(session));
        }
        if (headers[":path"] === "/pulumirpc.ResourceProvider/Cancel") {
          listener.cancelled();
        }
      });
      server.on("connection", (socket) => this.follow(socket));
    }
    handles.filter((handle) => isSocketOf(servers, handle)).forEach((socket) => this.follow(socket));
    this.isStartedByEngine = this.connections.size > 0;
    if (servers.length > 0 && !this.isStartedByEngine) {
      this.checkEngine();
    }
  }

  /** Resolves when the engine has the response to each call. */
  async idle(): Promise<void> {
    const sessions = [...this.sessions];
    const calls = sessions.flatMap(callsOf);
    if (sessions.length < this.connections.size || calls.includes(undefined)) {
      await sleep(defaultSendingTime);
      return;
    }
    await Promise.all(calls.map((call) => new Promise((resolve) => call?.once("close", resolve))));
    // The engine reads in order. Exiting with something unread would reset the connection, and lose what was sent.
    const open = sessions.filter(({ destroyed }) => !destroyed);
    await Promise.all(open.map((session) => new Promise((resolve) => session.ping(resolve))));
  }

  private follow(socket: net.Socket): void {
    this.connections.add(socket);
    socket.once("close", () => {
      this.connections.delete(socket);
      if (this.connections.size === 0) {
        // Nothing waits for the calls in progress.
        this.listener.disconnected();
        this.checkEngine();
      }
    });
  }

  /** Checks until the engine connects again or has ended. */
  private checkEngine(): void {
    if (this.connections.size > 0) {
      return;
    }
    void refuses(this.address).then((refused) => {
      if (!refused) {
        this.isStartedByEngine = true;
        setTimeout(() => this.checkEngine(), interval).unref();
      } else if (this.isStartedByEngine && this.connections.size === 0) {
        this.listener.ended();
      }
    });
  }
}

/** Those in progress, also from before this module was loaded. Node.js has no public way to them. */
function callsOf(session: Http2Session): readonly (EventEmitter | undefined)[] {
  const symbol = Object.getOwnPropertySymbols(session).find(({ description }) => description === "state");
  const { [symbol ?? ""]: state } = session as unknown as Readonly<Record<symbol | string, unknown>>;
  const { streams } = Object(state) as { readonly streams?: unknown };
  return isMap(streams) ? [...(Map.prototype.values.call(streams) as Iterable<EventEmitter>)] : [undefined];
}

/** Whether certainly nothing listens at the address. */
function refuses(address: string): Promise<boolean> {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    const socket = net.connect({ host, port: Number(address.slice(colon + 1)) });
    socket.unref();
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNREFUSED"));
  });
}

function isHttp2Server(handle: unknown): handle is net.Server {
  return (
    typeof handle === "object" &&
    handle !== null &&
    /^Http2(Secure)?Server$/.test(handle.constructor.name) &&
    "prependListener" in handle
  );
}

function isSocketOf(servers: readonly net.Server[], handle: unknown): handle is net.Socket {
  const { server } = handle as { readonly server?: net.Server };
  return handle instanceof net.Socket && server !== undefined && servers.includes(server);
}

/** The provider process prints the error and its stack besides sending the message, so both are empty. */
export class LifecycleError extends Error {
  constructor(message: string, cause?: unknown) {
    super(showable(message), { cause });
    this.name = "";
    this.stack = "";
  }

  override toString(): string {
    return "";
  }
}

/** The object exists, but a later step failed. The engine keeps it in state; a plain error would lose it. */
export class PartialSuccessError extends LifecycleError {
  readonly reasons: readonly string[];

  /** @param properties including `__provider`: without it neither refresh nor delete can run */
  constructor(
    readonly id: string,
    readonly properties: JsonObject,
    reason: string,
  ) {
    super(reason);
    this.reasons = [this.message];
  }
}

/** Converts any error to one readable message without secrets. `timeout` is in seconds. */
export async function reportable<Result>(
  type: string,
  hook: () => Promise<Result>,
  timeout?: number,
): Promise<Result> {
  try {
    return await untilSettled(hook);
  } catch (error) {
    if (error instanceof LifecycleError) {
      throw error;
    }
    if (timeout !== undefined && CancelledError.isInstance(error) && !cancellationSignal().aborted) {
      throw new LifecycleError(
        `The operation exceeded the ${timeout} s of customTimeouts. ${messageOf(error)}`,
        error,
      );
    }
    const bug = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
    throw new LifecycleError(
      bug
        ? `pulumi-trivium failed unexpectedly while handling ${type}: ${error.stack ?? error.message}`
        : messageOf(error),
      error,
    );
  }
}
