import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { useRunning } from "../../support/use-running";

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly address: string;
  readonly requests: ReceivedRequest[];
  /** The status of its responses. Default 200. */
  status: number;
  readonly close: () => Promise<void>;
}

/** @param port one that was free a moment ago, for a receiver that starts late; default: any */
export async function startReceiver(port = 0): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      requests.push({ path: request.url ?? "", headers: request.headers, body });
      response.writeHead(receiver.status).end("noted");
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const receiver: Receiver = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    status: 200,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

/** @returns a receiver that is started before the tests of the calling suite, and closed after its last hook */
export function useReceiver(): Receiver {
  return useRunning(
    "a receiver",
    () => startReceiver(),
    (receiver) => receiver.close(),
  );
}
