import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { EmulatorTls } from "./options";

/** Where a server listens. */
export interface ServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: EmulatorTls | undefined;
}

/** Between two attempts to take back the port after a refusal, should somebody else have it. In milliseconds. */
const listenAgainAfter = 20;

/** A listener of HTTP or HTTPS which can be closed and opened again on the same port, and ended at once. */
export class Server {
  private readonly server: HttpServer;
  private readonly sockets = new Set<Socket>();
  private port: number;
  private listening = true;
  private opening = false;

  constructor(
    private readonly options: ServerOptions,
    listener: RequestListener,
  ) {
    this.port = options.port;
    this.server = createServer(options.tls, listener);
    // Clients must find their idle connections alive; tests that want them cut have faults for it.
    this.server.keepAliveTimeout = 300_000;
    this.server.requestTimeout = 0;
    this.server.on("connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket));
    });
  }

  /** The origin to give to a client, without a slash at the end. */
  get address(): string {
    const { host, tls } = this.options;
    return `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${this.port}`;
  }

  /** @throws Error when the port is taken or the TLS material is unusable */
  async start(): Promise<void> {
    this.server.listen(this.port, this.options.host);
    await once(this.server, "listening");
    this.port = (this.server.address() as AddressInfo).port;
    this.server.on("listening", () => {
      this.opening = false;
      if (!this.listening) {
        // Refused again, or closed, while the port was being opened.
        this.server.close();
      }
    });
    this.server.on("error", () => {
      this.opening = false;
      setTimeout(() => this.listen(), listenAgainAfter).unref();
    });
  }

  /** Stops or starts to accept connections; stopping cuts the open ones. */
  setListening(listening: boolean): void {
    if (listening === this.listening) {
      return;
    }
    this.listening = listening;
    if (listening) {
      this.listen();
    } else {
      this.server.close();
      this.cutConnections();
    }
  }

  /** Ends all connections at once and stops for good. */
  async close(): Promise<void> {
    this.listening = false;
    if (this.opening) {
      await once(this.server, "listening").catch(() => undefined);
    }
    if (this.server.listening) {
      const closed = once(this.server, "close");
      this.server.close();
      this.cutConnections();
      await closed;
    }
  }

  private listen(): void {
    if (this.listening && !this.opening && !this.server.listening) {
      this.opening = true;
      this.server.listen(this.port, this.options.host);
    }
  }

  private cutConnections(): void {
    for (const socket of this.sockets) {
      socket.destroy();
    }
  }
}

function createServer(tls: EmulatorTls | undefined, listener: RequestListener): HttpServer {
  if (tls === undefined) {
    return createHttpServer(listener);
  }
  const authority = tls.clientCertificateAuthority;
  return createHttpsServer(
    {
      key: tls.key,
      cert: tls.certificate,
      ...(authority === undefined ? {} : { ca: authority, requestCert: true, rejectUnauthorized: true }),
    },
    listener,
  );
}
