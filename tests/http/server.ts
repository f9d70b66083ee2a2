import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { text } from "node:stream/consumers";

/** A request as a test server got it. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server on loopback. */
export interface TestServer {
  readonly address: string;
  readonly port: number;
  /** In the order in which they came. */
  readonly received: Received[];
  readonly server: Server;
  /** Those that were ever opened. */
  readonly sockets: readonly Socket[];
}

const running = new Set<() => void>();

/** Stops every server that a test has started. For `afterEach`. */
export function stopServers(): void {
  running.forEach((stop) => stop());
  running.clear();
}

/** Answers one request; `count` is 1 for the first one. */
export type Responder = (response: ServerResponse, request: Received, count: number) => void;

/** Starts an HTTP server, or an HTTPS server when it is given a key. */
export async function startServer(respond: Responder, tls?: ServerOptions): Promise<TestServer> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      const { method = "", url = "", headers } = request;
      received.push({ method, url, headers, body });
      respond(response, { method, url, headers, body }, received.length);
    });
  };
  const isSecure = tls !== undefined;
  const server = isSecure ? createSecureServer(tls, listener) : createServer(listener);
  return { ...(await listen(server, isSecure ? "https" : "http")), received };
}

/**
 * Starts a server that writes what it likes, once for each connection, after the first bytes have come. With TLS if it is
 * given a key.
 */
export async function startRawServer(
  speak: (socket: Socket, heard: string) => void,
  tls?: ServerOptions,
): Promise<TestServer> {
  const hear = (socket: Socket): void => {
    socket.on("error", () => undefined).once("data", (bytes) => speak(socket, bytes.toString("latin1")));
  };
  const isSecure = tls !== undefined;
  const server = isSecure ? createTlsServer(tls, hear) : createSocketServer(hear);
  return { ...(await listen(server, isSecure ? "https" : "http")), received: [] };
}

/** A port of loopback at which nothing listens. */
export async function unusedPort(): Promise<number> {
  const server = createSocketServer();
  const { port } = await listen(server, "http");
  stopServers();
  await once(server, "close");
  return port;
}

/** Answers with JSON. */
export function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

async function listen(server: Server, scheme: string) {
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket.on("error", () => undefined)));
  server.on("tlsClientError", () => undefined);
  await once(server.listen(0, "127.0.0.1"), "listening");
  running.add(() => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
  });
  const { port } = server.address() as AddressInfo;
  return { address: `${scheme}://127.0.0.1:${port}`, port, server, sockets };
}
