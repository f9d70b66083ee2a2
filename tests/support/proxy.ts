import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as forward,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { ServiceName } from "../../sdk/testing";

/** The three services. */
export const services = ["provisioning", "secrets", "scheduler"] as const;

/** A request as it came. */
export interface SeenRequest {
  readonly service: ServiceName;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Counted from 0 since the last `clear`. */
  readonly number: number;
}

/** A request that a service has processed, with its response. */
export interface Exchange extends SeenRequest {
  readonly status: number;
  /** The body of the response. */
  readonly response: string;
}

/** What a client gets in place of a response, or of a part of it. */
export interface Replacement {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What becomes of a request or a response: another response, a reset, silence, bytes written by hand; or it passes. */
export type Intervention = Replacement | "reset" | "hold" | ((socket: Socket) => void) | undefined;

/** Decides about each request before its service gets it. */
export type Refusal = (request: SeenRequest) => Intervention;

/** Decides about each response before its client gets it. */
export type Alteration = (exchange: Exchange) => Intervention;

/** Services by their addresses on loopback. */
export type Targets = Readonly<Partial<Record<ServiceName, { readonly address: string }>>>;

/** How a proxy starts. */
export interface ProxyOptions {
  /** Where it listens, on loopback. Default: where nothing else does. */
  readonly ports?: Readonly<Partial<Record<ServiceName, number>>>;
  /** Whether it keeps `exchanges`. Responses then pass as soon as they are complete. */
  readonly records?: boolean;
}

const hopByHop = ["connection", "keep-alive", "transfer-encoding"];

/**
 * Stands before services: it sees every request, can respond before or after the service has processed it, and can
 * refuse connections. What breaks on one side breaks on the other. Streams of events pass as they come.
 */
export class Proxy {
  /** Every request since the last `clear`. */
  readonly requests: SeenRequest[] = [];
  /** Those that were processed since then; empty unless the proxy records them. */
  readonly exchanges: Exchange[] = [];
  before: Refusal | undefined;
  after: Alteration | undefined;
  /** What a service gets in place of a path or a body. */
  rewrite = (sent: string): string => sent;
  private readonly listeners = new Map<ServiceName, { readonly server: Server; port: number }>();
  private draining = false;

  private constructor(
    private readonly targets: Targets,
    private readonly options: ProxyOptions,
  ) {}

  /** @param targets the services, such as those of an emulator */
  static async start(targets: Targets, options: ProxyOptions = {}): Promise<Proxy> {
    const proxy = new Proxy(targets, options);
    for (const service of services.filter((name) => targets[name] !== undefined)) {
      const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
        proxy.pass(service, incoming, outgoing).catch(() => incoming.socket.resetAndDestroy());
      });
      server.on("connection", (socket) => socket.on("error", () => undefined));
      proxy.listeners.set(service, { server, port: options.ports?.[service] ?? 0 });
    }
    await proxy.open();
    return proxy;
  }

  /** Where clients reach a service. */
  address(service: ServiceName): string {
    return `http://127.0.0.1:${this.listeners.get(service)?.port ?? 0}`;
  }

  /** Forgets what has passed, and lets everything through. */
  clear(): void {
    this.requests.length = 0;
    this.exchanges.length = 0;
    this.before = undefined;
    this.after = undefined;
  }

  /** Accepts connections, on the same ports as ever. */
  async open(): Promise<void> {
    this.draining = false;
    for (const listener of this.listeners.values()) {
      if (!listener.server.listening) {
        listener.server.listen(listener.port, "127.0.0.1");
        await once(listener.server, "listening");
        listener.port = (listener.server.address() as AddressInfo).port;
      }
    }
  }

  /** Refuses connections from now on. Requests under way are still answered; that is then their connection's end. */
  refuse(): void {
    this.draining = true;
    for (const { server } of this.listeners.values()) {
      server.close();
      server.closeIdleConnections();
    }
  }

  /** Ends all connections. */
  cut(): void {
    this.listeners.forEach(({ server }) => server.closeAllConnections());
  }

  close(): void {
    this.refuse();
    this.cut();
  }

  private async pass(
    service: ServiceName,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const { method = "", url: target = "", headers, rawHeaders } = incoming;
    const body = await text(incoming);
    const request = { service, method, target, headers, rawHeaders, body, number: this.requests.length };
    this.requests.push(request);
    const refusal = this.before?.(request);
    if (refusal !== undefined) {
      intervene(refusal, outgoing, {});
      return;
    }
    const response = await this.forwarded(request, outgoing);
    const { statusCode: status = 0 } = response;
    if (this.draining) {
      outgoing.setHeader("connection", "close");
    }
    if (target.includes("/event/stream") || (this.after === undefined && this.options.records !== true)) {
      const passed = Object.entries(response.headers).filter(([name]) => !hopByHop.includes(name));
      outgoing.writeHead(status, Object.fromEntries(passed)).flushHeaders();
      response.on("error", () => outgoing.destroy()).pipe(outgoing);
      return;
    }
    const exchange = { ...request, status, response: await text(response) };
    this.exchanges.push(exchange);
    const { "content-type": type = "application/json" } = response.headers;
    intervene(this.after?.(exchange) ?? {}, outgoing, { status, type, body: exchange.response });
  }

  private async forwarded(
    { service, method, target, headers, body }: SeenRequest,
    outgoing: ServerResponse,
  ): Promise<IncomingMessage> {
    const { hostname, port } = new URL(this.targets[service]?.address ?? "");
    const sent = this.rewrite(body);
    const length = sent === "" ? {} : { "content-length": String(Buffer.byteLength(sent)) };
    const ends = sent === "" ? hopByHop.slice(0, 2) : hopByHop;
    const kept = Object.entries(headers).filter(([name]) => !ends.includes(name));
    const request = forward({
      ...{ hostname, port, method, path: this.rewrite(target), agent: false },
      headers: { ...Object.fromEntries(kept), ...length, connection: "close" },
    });
    outgoing.on("close", () => request.destroy());
    request.on("error", () => undefined).end(sent);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return response;
  }
}

function intervene(
  intervention: Exclude<Intervention, undefined>,
  outgoing: ServerResponse,
  usual: { readonly status?: number; readonly type?: string; readonly body?: string },
): void {
  const { socket } = outgoing;
  if (intervention === "reset") {
    socket?.resetAndDestroy();
  } else if (typeof intervention === "function") {
    if (socket !== null) {
      intervention(socket);
    }
  } else if (intervention !== "hold") {
    const { status = usual.status ?? 200, headers = {}, body = usual.body ?? "" } = intervention;
    outgoing.writeHead(status, {
      ...(usual.type === undefined ? {} : { "content-type": usual.type }),
      ...headers,
    });
    outgoing.end(status === 204 ? undefined : body);
  }
}
