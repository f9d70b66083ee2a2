import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Exchange, RecordedService } from "./recording";

/** What a relay does with what passes through it. */
export interface RelayOptions {
  readonly service: RecordedService;
  /** Where it listens, on loopback. */
  readonly port: number;
  /** The address of the real service. */
  readonly to: string;
  /** What the service gets in place of a path or a body. Default: the same. */
  readonly request?: (text: string) => string;
  /** What the client gets in place of a body. Default: the same. */
  readonly answer?: (text: string) => string;
  /** Told of every request, once it is answered. */
  readonly exchanged?: (exchange: Exchange) => void;
}

const passedOn = ["authorization", "x-secrets-token", "content-type", "accept"];

/** Stands before a service under a fixed address, sees everything that passes, and can change it. */
export class Relay {
  private constructor(private readonly server: Server) {}

  /** @throws Error when the port is taken */
  static async start(options: RelayOptions): Promise<Relay> {
    const server = createServer((incoming, outgoing) => {
      pass(options, incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error));
    });
    server.listen(options.port, "127.0.0.1");
    await once(server, "listening");
    return new Relay(server);
  }

  async close(): Promise<void> {
    const closed = once(this.server, "close");
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

async function pass(
  { service, to, request = same, answer = same, exchanged }: RelayOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = "GET", url: target = "/" } = incoming;
  const body = await textOf(incoming);
  const headers = Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = incoming.headers[name];
      return typeof value === "string" ? [[name, value] as const] : [];
    }),
  );
  const response = await fetch(`${to}${request(target)}`, {
    method,
    headers,
    ...(body === "" ? {} : { body: request(body) }),
  });
  const text = await response.text();
  const type = response.headers.get("content-type");
  outgoing.writeHead(response.status, type === null ? {} : { "content-type": type });
  outgoing.end(answer(text));
  exchanged?.({ service, method, target, headers, body, status: response.status, answer: text });
}

function same(text: string): string {
  return text;
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of message.setEncoding("utf8")) {
    text += String(chunk);
  }
  return text;
}
