import net from "node:net";

export interface EngineListener {
  cancelled(): void;
  /** The last connection from the engine was closed: nothing waits for the calls in progress. */
  disconnected(): void;
  ended(): void;
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
  /** False if a user started the process by hand, with any address. */
  private isStartedByEngine: boolean;

  constructor(
    private readonly address: string,
    private readonly listener: EngineListener,
  ) {
    const { _getActiveHandles: activeHandles } = process as { _getActiveHandles?: () => unknown[] };
    const handles = activeHandles?.call(process) ?? [];
    const servers = handles.filter(isHttp2Server);
    for (const server of servers) {
      server.prependListener("stream", (_stream: unknown, headers: Readonly<Record<string, unknown>>) => {
        if (headers[":path"] === "/pulumirpc.ResourceProvider/Cancel") {
          listener.cancelled();
        }
      });
      server.on("connection", (socket) => this.follow(socket));
    }
    handles.filter((handle) => isSocketOf(servers, handle)).forEach((socket) => this.follow(socket));
    this.isStartedByEngine = this.connections.size > 0;
    if (servers.length > 0 && !this.isStartedByEngine) {
      this.look();
    }
  }

  private follow(socket: net.Socket): void {
    this.connections.add(socket);
    socket.once("close", () => {
      this.connections.delete(socket);
      if (this.connections.size === 0) {
        this.listener.disconnected();
        this.look();
      }
    });
  }

  /** Checks until the engine connects again or has ended. */
  private look(): void {
    if (this.connections.size > 0) {
      return;
    }
    void refuses(this.address).then((refused) => {
      if (!refused) {
        this.isStartedByEngine = true;
        setTimeout(() => this.look(), interval).unref();
      } else if (this.isStartedByEngine && this.connections.size === 0) {
        this.listener.ended();
      }
    });
  }
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
