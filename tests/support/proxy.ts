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

export const services = ["provisioning", "secrets", "scheduler"] as const;

/** Stack configuration. @param settings of a service, by the ends of their names: `Address` */
export function configurationWith(
  settings: (service: ServiceName) => Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    services.flatMap((service) =>
      Object.entries(settings(service)).map(([name, value]) => [`trivium:${service}${name}`, value]),
    ),
  );
}

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

export interface Exchange extends SeenRequest {
  readonly status: number;
  readonly response: string;
}

/** Replaces a response, or a part of it. */
export interface Replacement {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Replaces a response, resets the connection, never responds, responds with the first half of the bytes, or writes raw
 * bytes; `undefined` lets it pass. `late`: nobody responds, and the service gets the request with `processLate`.
 */
export type Intervention =
  Replacement | "reset" | "hold" | "half" | "late" | ((socket: Socket) => void) | undefined;

export type Refusal = (request: SeenRequest) => Intervention;

export type Alteration = (exchange: Exchange) => Intervention;

export type Targets = Readonly<Partial<Record<ServiceName, { readonly address: string }>>>;

export interface ProxyOptions {
  /** Ports on loopback. Default: any free port. */
  readonly ports?: Readonly<Partial<Record<ServiceName, number>>>;
  /** Whether it keeps `exchanges`. Responses then pass only once they are complete. */
  readonly records?: boolean;
}

const hopByHop = ["connection", "keep-alive", "transfer-encoding"];

/** Sees every request, responds before or after the service, refuses connections. Event streams pass as they come. */
export class Proxy {
  readonly requests: SeenRequest[] = [];
  /** Empty unless the proxy records them. */
  readonly exchanges: Exchange[] = [];
  before: Refusal | undefined;
  after: Alteration | undefined;
  /** Rewrites the path and the body for the service. */
  rewrite = (sent: string): string => sent;
  private readonly listeners = new Map<ServiceName, { readonly server: Server; port: number }>();
  private draining = false;
  private readonly late: (() => Promise<unknown>)[] = [];

  private constructor(
    public targets: Targets,
    private readonly options: ProxyOptions,
  ) {}

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

  address(service: ServiceName): string {
    return `http://127.0.0.1:${this.listeners.get(service)?.port ?? 0}`;
  }

  clear(): void {
    this.requests.length = 0;
    this.exchanges.length = 0;
    this.before = undefined;
    this.after = undefined;
  }

  /** On the same ports as before. */
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

  /** Pending requests still get a response, which ends their connection. */
  refuse(): void {
    this.draining = true;
    for (const { server } of this.listeners.values()) {
      server.close();
      server.closeIdleConnections();
    }
  }

  cut(): void {
    this.listeners.forEach(({ server }) => server.closeAllConnections());
  }

  close(): void {
    this.refuse();
    this.cut();
  }

  async processLate(): Promise<void> {
    for (let request = this.late.shift(); request !== undefined; request = this.late.shift()) {
      await request();
    }
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
    if (refusal === "late") {
      // A service responds once it has processed the request. An event stream would never end.
      this.late.push(async () => (await this.forwarded(request)).destroy());
      return;
    }
    if (refusal !== undefined) {
      intervene(refusal, outgoing, {});
      return;
    }
    const response = await this.forwarded(request, outgoing);
    const { statusCode: status = 0 } = response;
    if (this.draining) {
      outgoing.setHeader("connection", "close");
    }
    const isStream = target.includes("/event/stream");
    const broken = isStream ? this.after?.({ ...request, status, response: "" }) : undefined;
    if (broken !== undefined) {
      response.destroy();
      intervene(broken, outgoing, { status });
      return;
    }
    if (isStream || (this.after === undefined && this.options.records !== true)) {
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
    outgoing?: ServerResponse,
  ): Promise<IncomingMessage> {
    const { hostname, port } = new URL(this.targets[service]?.address ?? "");
    const sent = this.rewrite(body);
    const length = sent === "" ? {} : { "content-length": String(Buffer.byteLength(sent)) };
    const ends = sent === "" ? hopByHop.slice(0, 2) : hopByHop;
    const kept = Object.entries(headers).filter(([name]) => !ends.includes(name));
    const request = forward({
      hostname,
      port,
      method,
      path: this.rewrite(target),
      agent: false,
      headers: { ...Object.fromEntries(kept), ...length, connection: "close" },
    });
    outgoing?.on("close", () => request.destroy());
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
  } else if (intervention === "half") {
    const { status = 200, type = "application/json", body = "" } = usual;
    const length = Buffer.byteLength(body);
    const head = `HTTP/1.1 ${status} OK\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;
    socket?.end(body === "" ? head.slice(0, head.length / 2) : head + body.slice(0, body.length / 2));
  } else if (intervention !== "hold" && intervention !== "late") {
    const { status = usual.status ?? 200, headers = {}, body = usual.body ?? "" } = intervention;
    outgoing.writeHead(status, {
      ...(usual.type === undefined ? {} : { "content-type": usual.type }),
      ...headers,
    });
    outgoing.end(status === 204 ? undefined : body);
  }
}
