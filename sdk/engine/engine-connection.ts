import type { EventEmitter } from "node:events";
import type { Http2Session, Http2Stream, IncomingHttpHeaders } from "node:http2";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isMap } from "node:util/types";

/** The same time, if this version of Node.js does not show which calls are in progress. */
const defaultSendingTime = 100;

/** Milliseconds between checks of whether a disconnected engine is still running. */
const interval = 1000;

/**
 * Watches the gRPC servers of this process, which do not have hooks for Cancel or for a closed connection.
 * Only rejected connections prove that the engine has ended, because the engine also closes idle connections,
 * and the parent process might be a launcher.
 */
export class EngineConnection {
  private readonly connections = new Set<net.Socket>();
  private readonly sessions = new Set<Http2Session>();
  /** False if a user started the process manually, with an arbitrary address. */
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
    // The engine reads in order. If the process exited before everything was read, the connection would be
    // reset and the rest lost.
    const open = sessions.filter(({ destroyed }) => !destroyed);
    await Promise.all(open.map((session) => new Promise((resolve) => session.ping(resolve))));
  }

  private follow(socket: net.Socket): void {
    this.connections.add(socket);
    socket.once("close", () => {
      this.connections.delete(socket);
      if (this.connections.size === 0) {
        // From now on, nothing waits for the calls in progress.
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

/**
 * The calls in progress, including those from before this module was loaded. Node.js does not have a public
 * API for this.
 */
function callsOf(session: Http2Session): readonly (EventEmitter | undefined)[] {
  const symbol = Object.getOwnPropertySymbols(session).find(({ description }) => description === "state");
  const { [symbol ?? ""]: state } = session as unknown as Readonly<Record<symbol | string, unknown>>;
  const { streams } = Object(state) as { readonly streams?: unknown };
  return isMap(streams) ? [...(Map.prototype.values.call(streams) as Iterable<EventEmitter>)] : [undefined];
}

/** Whether nothing is listening at the address, for certain. */
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
