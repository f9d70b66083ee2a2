import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from "node:http";
import {
  createServer as createListener,
  type AddressInfo,
  type Server as Listener,
  type Socket,
} from "node:net";
import { Duplex, Transform } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import type { EmulatorTls } from "./types";

/** Where a server listens. */
export interface ServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: EmulatorTls | undefined;
  /** Whether it understands the method LIST, which is none of HTTP's own. */
  readonly understandsList: boolean;
}

/**
 * Between two attempts to take back the port after a refusal, should another client have it. In milliseconds.
 */
const listenAgainAfter = 20;

/** HTTP or HTTPS on a port that can be closed and opened again, and ended at once. */
export class Server {
  /** Takes a connection that was just opened. */
  private readonly accept: (socket: Socket) => void;
  private readonly sockets = new Set<Socket>();
  /** The port is opened by a listener of its own, a new one each time: closing one cannot upset the next. */
  private listener: Listener | undefined;
  private port: number;
  private closed = false;

  constructor(
    private readonly options: ServerOptions,
    respond: RequestListener,
  ) {
    this.port = options.port;
    const server = createHttpServer(respond);
    // Clients must find their idle connections alive; tests that want them cut have faults for it.
    server.keepAliveTimeout = 300_000;
    this.accept = createEntrance(options, server);
  }

  /** The origin to give to a client, without a slash at the end. */
  get address(): string {
    const { host, tls } = this.options;
    return `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${this.port}`;
  }

  /** @throws Error when the port is taken */
  async start(): Promise<void> {
    const listener = this.createListener();
    listener.listen(this.port, this.options.host);
    await once(listener, "listening");
    this.port = (listener.address() as AddressInfo).port;
    this.listener = listener;
  }

  /** Stops or starts to accept connections; stopping cuts the open ones. */
  setListening(listening: boolean): void {
    if (!listening) {
      this.stop();
    } else if (this.listener === undefined && !this.closed) {
      this.listen();
    }
  }

  /** Ends all connections at once and stops for good. */
  async close(): Promise<void> {
    this.closed = true;
    const { listener } = this;
    if (listener !== undefined) {
      const closed = once(listener, "close");
      this.stop();
      await closed;
    }
  }

  private listen(): void {
    const listener = this.createListener();
    this.listener = listener;
    listener.on("listening", () => {
      if (this.listener !== listener) {
        // Stopped while it was about to open.
        listener.close();
      }
    });
    listener.on("error", () => {
      setTimeout(() => {
        if (this.listener === listener) {
          this.listen();
        }
      }, listenAgainAfter).unref();
    });
    listener.listen(this.port, this.options.host);
  }

  private stop(): void {
    this.listener?.close();
    this.listener = undefined;
    for (const socket of this.sockets) {
      socket.destroy();
    }
  }

  private createListener(): Listener {
    // As Node's own servers of the two kinds do it.
    const allowHalfOpen = this.options.tls === undefined;
    return createListener({ allowHalfOpen, noDelay: true }, (socket) => {
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket));
      this.accept(socket);
    });
  }
}

function createEntrance(
  { tls, understandsList }: ServerOptions,
  server: HttpServer,
): (socket: Socket) => void {
  const enter = (connection: Duplex): void => {
    server.emit("connection", understandsList ? withGetForList(connection) : connection);
  };
  if (tls === undefined) {
    return enter;
  }
  const authority = tls.clientCertificateAuthority;
  const handshakes = createTlsServer(
    {
      key: tls.key,
      cert: tls.certificate,
      ALPNProtocols: ["http/1.1"],
      ...(authority === undefined ? {} : { ca: authority, requestCert: true, rejectUnauthorized: true }),
    },
    enter,
  );
  handshakes.on("tlsClientError", (_, socket) => socket.destroy());
  return (socket) => handshakes.emit("connection", socket);
}

/**
 * A connection on which requests with the method LIST arrive as what they are equivalent to: GET with `list=true`.
 * Node's own parser knows a fixed set of methods, and ends the connection at any other.
 *
 * @param socket whose requests each begin with a chunk of their own, as those of all clients do
 */
function withGetForList(socket: Duplex): Duplex {
  const rewritten = new Transform({
    transform(chunk: Buffer, _, done) {
      const isList = chunk.subarray(0, 5).equals(Buffer.from("LIST "));
      done(null, isList ? Buffer.from(getForList(chunk.toString("latin1")), "latin1") : chunk);
    },
  });
  return Duplex.from({ readable: socket.pipe(rewritten), writable: socket });
}

function getForList(request: string): string {
  return request.replace(/^LIST (\S+) HTTP\/1\.1\r\n/, (_, target: string) => {
    return `GET ${target}${target.includes("?") ? "&" : "?"}list=true HTTP/1.1\r\n`;
  });
}
