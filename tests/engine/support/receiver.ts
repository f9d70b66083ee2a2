import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
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

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      receiver.requests.push({ path: request.url ?? "", headers: request.headers, body });
      response.writeHead(receiver.status).end("noted");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const receiver: Receiver = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    status: 200,
    async close() {
      server.close().closeAllConnections();
      await once(server, "close");
    },
  };
  return receiver;
}

/** @returns a receiver that is started before the tests of the calling suite, and closed after its last hook */
export function useReceiver(): Receiver {
  return useRunning("a receiver", startReceiver, (receiver) => receiver.close());
}
