import { once } from "node:events";
import { Agent, createServer, request as forwardRequest, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Emulator, ServiceName } from "../../../sdk/testing";

/** A request that came through, and what the emulator answered to it. */
export interface Exchange {
  readonly service: ServiceName;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  readonly status: number;
  /** The answer's body, as text. */
  readonly body: string;
  /** Counted from 0 since the journal was last cleared. */
  readonly number: number;
}

/** What is answered in place of what the emulator said. */
export interface Replacement {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What becomes of an answer: another one, bytes written by hand, or what it is. */
export type Alteration = (exchange: Exchange) => Replacement | ((socket: Socket) => void) | undefined;

/**
 * Stands before the emulator: everything passes through it, and answers can be made hostile on their way back. Request
 * targets go on exactly as they came.
 */
export class Front {
  /** Every request that has passed since the last `clear`. */
  readonly exchanges: Exchange[] = [];
  /** Applied to each answer. */
  alter: Alteration | undefined;
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly addresses = new Map<ServiceName, string>();

  private constructor(private readonly emulator: Emulator) {}

  static async start(emulator: Emulator): Promise<Front> {
    const front = new Front(emulator);
    for (const service of ["provisioning", "secrets", "scheduler"] as const) {
      await front.listen(service);
    }
    return front;
  }

  address(service: ServiceName): string {
    return this.addresses.get(service) ?? "";
  }

  /** The settings of all services, by their names in stack configuration. */
  get configuration(): Record<string, string> {
    const services = ["provisioning", "secrets", "scheduler"] as const;
    return Object.fromEntries(
      services.flatMap((service) => [
        [`trivium:${service}Address`, this.address(service)],
        [`trivium:${service}Token`, this.emulator[service].token],
      ]),
    );
  }

  /** Forgets what has passed, and passes answers on as they are. */
  clear(): void {
    this.exchanges.length = 0;
    this.alter = undefined;
  }

  close(): void {
    this.agent.destroy();
    this.servers.forEach((server) => server.close());
    this.sockets.forEach((socket) => socket.destroy());
  }

  private async listen(service: ServiceName): Promise<void> {
    const server = createServer((incoming, outgoing) => {
      this.pass(service, incoming)
        .then(({ answer, exchange }) => {
          const altered = this.alter?.(exchange);
          if (typeof altered === "function") {
            altered(incoming.socket);
            return;
          }
          const { status = exchange.status, headers = {}, body = exchange.body } = altered ?? {};
          const { "content-type": type = "application/json" } = answer.headers;
          outgoing.writeHead(status, { "content-type": type, ...headers });
          outgoing.end(status === 204 ? undefined : body);
        })
        .catch(() => outgoing.destroy());
    });
    server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => this.sockets.delete(socket));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.servers.push(server);
    this.addresses.set(service, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  private async pass(
    service: ServiceName,
    incoming: IncomingMessage,
  ): Promise<{ readonly answer: IncomingMessage; readonly exchange: Exchange }> {
    const { method = "", url: target = "", headers } = incoming;
    const { hostname, port } = new URL(this.emulator[service].address);
    const outgoing = forwardRequest({ agent: this.agent, hostname, port, path: target, method, headers });
    outgoing.end(await buffer(incoming));
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    const body = (await buffer(answer)).toString("utf8");
    const { statusCode: status = 0 } = answer;
    const exchange = {
      service,
      method,
      target,
      headers,
      status,
      body,
      number: this.exchanges.length,
    };
    this.exchanges.push(exchange);
    return { answer, exchange };
  }
}
