import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { FaultMoment } from "pulumi-trivium/testing";

/** One connection of a client, and the one to the service behind it. */
interface Passage {
  readonly client: Socket;
  readonly service: Socket;
  /** Whether the client has asked for something that is not answered yet. */
  busy: boolean;
  /** Whether the answer that comes next is lost. */
  losesAnswer: boolean;
}

/** Told of each request; says whether its connection is cut, before or after the service has processed it. */
export type RequestObserver = (method: string, path: string) => FaultMoment | undefined;

/**
 * Stands before a service and passes everything on. A service that strikes a request can only do so once it has
 * arrived; what the gate adds is a connection that is refused for a certain request, also when others came before it,
 * and the moment at which an answer is complete on its way. Before a real server, which strikes nothing itself, it cuts
 * the connection of a request.
 */
export class Gate {
  private readonly passages = new Set<Passage>();
  private server: Server | undefined;
  private draining = false;
  private intercept: (() => void) | undefined;
  private port = 0;
  onRequest: RequestObserver = () => undefined;

  private constructor(private readonly servicePort: number) {}

  /** @param address of the service, on loopback */
  static async before(address: string): Promise<Gate> {
    const gate = new Gate(Number(new URL(address).port));
    await gate.open();
    return gate;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Accepts connections, on the same port as ever. */
  async open(): Promise<void> {
    this.draining = false;
    this.intercept = undefined;
    if (this.server === undefined) {
      const server = createServer({ noDelay: true }, (client) => this.pass(client));
      this.server = server;
      server.listen(this.port, "127.0.0.1");
      await once(server, "listening");
      this.port = (server.address() as AddressInfo).port;
    }
  }

  /** Refuses connections from now on. Requests under way are still answered; that is then their connection's end. */
  refuse(): void {
    this.server?.close();
    this.server = undefined;
    this.draining = true;
    for (const { client, busy } of this.passages) {
      if (!busy) {
        client.destroy();
      }
    }
  }

  /** Holds back the next answer, and calls back when it has come. */
  onResponse(callback: () => void): void {
    this.intercept = callback;
  }

  /** Ends all connections. */
  cut(): void {
    for (const { client } of this.passages) {
      client.destroy();
    }
  }

  close(): void {
    this.server?.close();
    this.server = undefined;
    this.cut();
  }

  private pass(client: Socket): void {
    const service = connect({ port: this.servicePort, host: "127.0.0.1", noDelay: true });
    const passage: Passage = { client, service, busy: false, losesAnswer: false };
    this.passages.add(passage);
    client.on("data", (chunk) => {
      const [, method, path] = /^([A-Z]+) (\S+) HTTP\/1\.1\r\n/.exec(chunk.toString("latin1")) ?? [];
      const cut = method === undefined || path === undefined ? undefined : this.onRequest(method, path);
      if (cut === "before") {
        client.resetAndDestroy();
        return;
      }
      passage.busy = true;
      passage.losesAnswer ||= cut === "after";
      service.write(chunk);
    });
    service.on("data", (chunk) => this.response(passage, chunk));
    // A connection that breaks on one side breaks in the same way on the other.
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      socket.on("error", () => other.resetAndDestroy());
      socket.on("end", () => other.end());
      socket.on("close", () => {
        other.destroy();
        this.passages.delete(passage);
      });
    }
  }

  private response(passage: Passage, chunk: Buffer): void {
    const { intercept } = this;
    if (passage.losesAnswer) {
      passage.client.resetAndDestroy();
      return;
    }
    if (intercept !== undefined) {
      this.intercept = undefined;
      intercept();
      return;
    }
    passage.busy = false;
    passage.client.write(this.draining ? saidToBeTheLast(chunk) : chunk);
  }
}

/** An answer with the header that tells the client to open another connection for its next request. */
function saidToBeTheLast(response: Buffer): Buffer {
  const text = response.toString("latin1");
  return /^HTTP\/1\.1 \d/.test(text)
    ? Buffer.from(
        text.replace(/\r\nconnection: [^\r]*/i, "").replace("\r\n", "\r\nConnection: close\r\n"),
        "latin1",
      )
    : response;
}
