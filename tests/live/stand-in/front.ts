import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What a front answers itself. */
export interface FrontRoute {
  /** Methods and path, as `POST /v1/sys/mounts/(.+)`, matched whole. */
  readonly matches: RegExp;
  /** @returns the body of the answer; none means 204 */
  handle(parameters: readonly string[], body: unknown): object | undefined;
}

/** Ends a request with a status that is not a success. */
export class FrontRefusal extends Error {
  constructor(readonly status: number) {
    super(`status ${status}`);
  }
}

/** A server before another. */
export interface Front {
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Starts a server on loopback that answers some requests itself and hands on all others.
 *
 * @param behind the address of the server that has the rest
 */
export async function startFront(behind: string, routes: readonly FrontRoute[]): Promise<Front> {
  const server = createServer((request, response) => {
    void answer(behind, routes, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  behind: string,
  routes: readonly FrontRoute[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "", url = "", headers } = request;
  const called = `${method} ${decodeURIComponent(url)}`;
  for (const route of routes) {
    const match = route.matches.exec(called);
    if (match !== null) {
      const body = await text(request);
      try {
        const content = route.handle(match.slice(1), body === "" ? undefined : JSON.parse(body));
        response.writeHead(content === undefined ? 204 : 200, { "content-type": "application/json" });
        response.end(content === undefined ? undefined : JSON.stringify(content));
      } catch (error) {
        response.writeHead(error instanceof FrontRefusal ? error.status : 400).end('{"errors":["refused"]}');
      }
      return;
    }
  }
  const onward = forward(new URL(url, behind), { method, headers }, (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(response);
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}
