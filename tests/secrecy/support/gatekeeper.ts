import { once } from "node:events";
import { Agent, createServer, request as forwardRequest, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Emulator, ServiceName } from "../../../sdk/testing";

/** The three services. */
export const services = ["provisioning", "secrets", "scheduler"] as const;

/** A request as it came, with everything that is secret in it. */
export interface RawRequest {
  readonly service: ServiceName;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** An answer that the services did not give. */
export interface MadeUpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
}

/** Answers in the place of a service, or lets the request through. */
export type Refusal = (request: RawRequest, number: number) => MadeUpResponse | undefined;

/**
 * Stands before the services: keeps every request as it came, and can answer in their place. What it answers itself
 * has had no effect in a service.
 */
export class Gatekeeper {
  /** Every request since the last `clear`. */
  readonly requests: RawRequest[] = [];
  /** Asked about each request; requests are counted from 0 since the last `clear`. */
  refuse: Refusal | undefined;
  /** What the secrets service warns of in each of its answers. */
  warnings: readonly string[] = [];
  private readonly addresses = new Map<ServiceName, string>();
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(private readonly emulator: Emulator) {}

  static async before(emulator: Emulator): Promise<Gatekeeper> {
    const gatekeeper = new Gatekeeper(emulator);
    await Promise.all(services.map((service) => gatekeeper.listen(service)));
    return gatekeeper;
  }

  address(service: ServiceName): string {
    return this.addresses.get(service) ?? "";
  }

  clear(): void {
    this.requests.length = 0;
    this.refuse = undefined;
    this.warnings = [];
  }

  close(): void {
    this.agent.destroy();
    this.servers.forEach((server) => server.close());
    this.sockets.forEach((socket) => socket.destroy());
  }

  private async listen(service: ServiceName): Promise<void> {
    const server = createServer((incoming, outgoing) => {
      this.answer(service, incoming).then(
        ({ status, headers, body = "" }) => {
          outgoing.writeHead(status, headers);
          if (typeof body === "string") {
            outgoing.end(body);
          } else {
            body.on("error", () => outgoing.destroy()).pipe(outgoing);
            outgoing.on("close", () => body.destroy());
          }
        },
        () => outgoing.destroy(),
      );
    });
    server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.servers.push(server);
    this.addresses.set(service, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  private async answer(service: ServiceName, incoming: IncomingMessage): Promise<MadeUpResponse> {
    const { method = "", url: target = "", rawHeaders: headers } = incoming;
    const request = { service, method, target, headers, body: await text(incoming) };
    const number = this.requests.push(request) - 1;
    return this.refuse?.(request, number) ?? this.pass(request, incoming);
  }

  private async pass(request: RawRequest, incoming: IncomingMessage): Promise<MadeUpResponse> {
    const { service } = request;
    const { hostname, port } = new URL(this.emulator[service].address);
    const { url: path, method, headers } = incoming;
    const outgoing = forwardRequest({ agent: this.agent, hostname, port, path, method, headers });
    outgoing.end(request.body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    const { statusCode: status = 0 } = answer;
    const type = answer.headers["content-type"] ?? "application/json";
    // A stream of events never ends.
    const body = service === "scheduler" ? answer : this.warned(service, await text(answer));
    return { status, headers: { "content-type": type }, body };
  }

  private warned(service: ServiceName, body: string): string {
    return service !== "secrets" || this.warnings.length === 0 || !body.startsWith("{")
      ? body
      : JSON.stringify({ ...(JSON.parse(body) as object), warnings: this.warnings });
  }
}
