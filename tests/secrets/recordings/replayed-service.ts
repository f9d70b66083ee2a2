import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Received, startServer } from "../../http/server";

/** What a real server returned. */
export interface RecordedResponse {
  readonly status: number;
  readonly body: {
    readonly data?: Readonly<Record<string, unknown>> | null;
    readonly errors?: readonly string[];
    readonly warnings?: readonly string[] | null;
  } | null;
}

/** A request to a real server, and its response. */
export interface Exchange {
  /** Its place in the recording. */
  readonly index: number;
  readonly note: string;
  readonly request: {
    readonly method: string;
    /** Below the base path, with its query. */
    readonly path: string;
    readonly body?: Readonly<Record<string, unknown>>;
  };
  /** `undefined` where the server closed the connection without a response. */
  readonly response: RecordedResponse | undefined;
}

const file = join(__dirname, "..", "..", "fixtures", "wire", "openbao-2.6.2.json");

type Recorded = Omit<Exchange, "index" | "response"> & { readonly response: RecordedResponse | object };

/** All exchanges in the order in which they were recorded. */
export const exchanges: readonly Exchange[] = (JSON.parse(readFileSync(file, "utf8")) as Recorded[]).map(
  ({ response, ...recorded }, index) => ({
    ...recorded,
    index,
    response: "status" in response ? response : undefined,
  }),
);

/** The method `LIST` is the same as a query; case does not count in names. */
function targetOf(method: string, path: string): string {
  const [bare = "", query] = path.split("?");
  return `${query === "list=true" ? "LIST" : method} ${bare.toLowerCase()}`;
}

/** The nearest response in the recording about something else. */
function nearestResponse({ index }: Exchange, target: string): RecordedResponse | undefined {
  return exchanges
    .filter(({ request, response }) => response && targetOf(request.method, request.path) === target)
    .sort((left, right) => Math.abs(left.index - index) - Math.abs(right.index - index))[0]?.response;
}

/** A service that returns what a real one did: the exchange in question, and others beside it. */
export interface ReplayedService {
  readonly address: string;
  /** The requests that got the response of the exchange itself. */
  readonly received: Received[];
  replay(exchange: Exchange): void;
}

/**
 * Starts a service that replays. What the recording has no response for does not exist. Ended by `stopServers`.
 *
 * @param others responses that go before the recording, by target: `GET /identity/entity-alias/id/17`
 */
export async function replayedService(
  others: Readonly<Record<string, RecordedResponse>>,
): Promise<ReplayedService> {
  let current: Exchange | undefined;
  const received: Received[] = [];
  const responseTo = (target: string, exchange: Exchange): RecordedResponse =>
    others[target] ?? nearestResponse(exchange, target) ?? { status: 404, body: { errors: [] } };

  const { address } = await startServer((response, request) => {
    assert.ok(current !== undefined);
    const target = targetOf(request.method, request.url.replace("/v1", ""));
    const isCurrent = target === targetOf(current.request.method, current.request.path);
    received.push(...(isCurrent ? [request] : []));
    const recorded = isCurrent ? current.response : responseTo(target, current);
    if (recorded === undefined) {
      response.destroy();
      return;
    }
    response.writeHead(recorded.status, { "content-type": "application/json" });
    response.end(recorded.body === null ? undefined : JSON.stringify(recorded.body));
  });
  return {
    address,
    received,
    replay(exchange) {
      current = exchange;
      received.length = 0;
    },
  };
}
