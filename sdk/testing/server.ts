import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from "node:http";
import {
  type AddressInfo,
  createServer as createListener,
  type Server as Listener,
  type Socket,
} from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { noteSecret, refuseClient } from "./client-certificates";
import { withGetForList } from "./list-method";
import type { EmulatorTls } from "./types";

export interface ServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: EmulatorTls | undefined;
  /** Whether to accept the method LIST, which HTTP does not define. */
  readonly acceptsList: boolean;
}

/** Milliseconds between attempts to reopen the port, which another process might hold. */
const listenRetryDelay = 20;

/** Can be closed and reopened on the same port. */
export class Server {
  private readonly accept: (socket: Socket) => void;
  private readonly sockets = new Set<Socket>();
  /** A new listener for each opening, so that closing one cannot affect the next. */
  private listener: Listener | undefined;
  private port: number;
  private closed = false;

  constructor(
    private readonly options: ServerOptions,
    respond: RequestListener,
  ) {
    this.port = options.port;
    const server = createHttpServer(respond);
    // Clients expect idle connections to stay open; a fault can close them for a test.
    server.keepAliveTimeout = 300_000;
    this.accept = createAccept(options, server);
  }

  get address(): string {
    const { host, tls } = this.options;
    return `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${this.port}`;
  }

  /** @throws Error if the port is taken */
  async start(): Promise<void> {
    const listener = this.createListener();
    listener.listen(this.port, this.options.host);
    await once(listener, "listening");
    this.port = (listener.address() as AddressInfo).port;
    this.listener = listener;
  }

  /** Stopping also closes open connections. */
  setListening(listening: boolean): void {
    if (!listening) {
      this.stop();
    } else if (this.listener === undefined && !this.closed) {
      this.listen();
    }
  }

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
        // Stopped while it was opening.
        listener.close();
      }
    });
    listener.on("error", () => {
      setTimeout(() => {
        if (this.listener === listener) {
          this.listen();
        }
      }, listenRetryDelay).unref();
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
    // The defaults of Node's own HTTP and HTTPS servers.
    const allowHalfOpen = this.options.tls === undefined;
    return createListener({ allowHalfOpen, noDelay: true }, (socket) => {
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket));
      this.accept(socket);
    });
  }
}

function createAccept({ tls, acceptsList }: ServerOptions, server: HttpServer): (socket: Socket) => void {
  const handle = (connection: Duplex): void => {
    server.emit("connection", acceptsList ? withGetForList(connection) : connection);
  };
  if (tls === undefined) {
    return handle;
  }
  const authority = tls.clientCertificateAuthority;
  const certificate = { key: tls.key, cert: tls.certificate, ALPNProtocols: ["http/1.1"] };
  const asks = authority === undefined ? {} : { ca: authority, requestCert: true, rejectUnauthorized: false };
  const below = new Map<number | undefined, Socket>();
  const handshakes = createTlsServer({ ...certificate, ...asks }, (secure) => {
    const raw = below.get(secure.remotePort);
    if (authority === undefined || secure.authorized) {
      handle(secure);
    } else {
      refuseClient(secure, raw);
    }
  });
  handshakes.on("keylog", noteSecret).on("tlsClientError", (_, socket) => socket.destroy());
  return (socket) => {
    const { remotePort } = socket;
    below.set(remotePort, socket);
    socket.once("close", () => {
      if (below.get(remotePort) === socket) {
        below.delete(remotePort);
      }
    });
    handshakes.emit("connection", socket);
  };
}
