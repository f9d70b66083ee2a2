import net from "node:net";

/** What a provider process learns of its engine besides the calls. */
export interface EngineListener {
  /** The engine has sent Cancel. */
  cancelled(): void;
  /** The last connection from the engine was closed: nobody waits for the calls in progress any more. */
  disconnected(): void;
  /** The engine has ended. */
  ended(): void;
}

/** How often, in milliseconds, to look for an engine that has no connection to this process. */
const interval = 1000;

/**
 * Follows the engine through the process's own gRPC servers, which have no hook for Cancel and none for a closed
 * connection.
 *
 * A closed connection does not prove that the engine has ended: it closes those that are idle. Neither does the end of
 * the parent process, which may be a launcher. An engine that has ended refuses connections.
 */
export class EngineConnection {
  private readonly connections = new Set<net.Socket>();
  /** Not if a person has started the process, with any address. */
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

  /** Looks for the engine until it has a connection again, or has ended. */
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

/** Whether certainly nobody listens at an address. */
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
