import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
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

type Recorded = Omit<Exchange, "index" | "response"> & {
  readonly response: RecordedResponse | { readonly connection: string };
};

/** All exchanges in the order in which they were recorded. */
export const exchanges: readonly Exchange[] = (JSON.parse(readFileSync(file, "utf8")) as Recorded[]).map(
  ({ note, request, response }, index) => ({
    index,
    note,
    request,
    response: "status" in response ? response : undefined,
  }),
);

/** The words of the service, as one line, without those that only count them. */
export function wordsOf({ response }: Exchange): readonly string[] {
  return (response?.body?.errors ?? []).map((text) =>
    text
      .replace(/\s+/g, " ")
      .replace(/^1 error occurred: \* /, "")
      .trim(),
  );
}

const basePath = "/v1";

/** A service that answers as a real one did: the exchange that is looked at, and others beside it. */
export interface ReplayedService {
  readonly address: string;
  /** The requests that were answered with the exchange itself. */
  readonly asked: Received[];
  /** Answers one exchange from now on. */
  replay(exchange: Exchange): void;
}

/** The method `LIST` is the same as a query; case does not count in names. */
function targetOf(method: string, path: string): string {
  const [bare = "", query] = path.split("?");
  const list = method === "LIST" || query === "list=true";
  return `${list ? "LIST" : method} ${bare.toLowerCase()}`;
}

/** What the server answers that was asked at that time about something else: the nearest answer in the recording. */
function nearestResponse({ index }: Exchange, target: string): RecordedResponse | undefined {
  return exchanges
    .filter(
      ({ request, response }) => response !== undefined && targetOf(request.method, request.path) === target,
    )
    .sort((left, right) => Math.abs(left.index - index) - Math.abs(right.index - index))[0]?.response;
}

/**
 * Starts a service that replays. What the recording has no answer for does not exist. Ended by `stopServers`.
 *
 * @param others answers that go before the recording, by target: `GET /identity/entity-alias/id/17`
 */
export async function replayedService(
  others: Readonly<Record<string, RecordedResponse>>,
): Promise<ReplayedService> {
  let current: Exchange | undefined;
  const asked: Received[] = [];

  const respond = (response: ServerResponse, request: Received): void => {
    assertHeaders(request);
    assert.ok(current !== undefined && request.url.startsWith(basePath));
    const target = targetOf(request.method, request.url.slice(basePath.length));
    const isCurrent = target === targetOf(current.request.method, current.request.path);
    if (isCurrent) {
      asked.push(request);
    }
    const recorded = isCurrent
      ? current.response
      : (others[target] ?? nearestResponse(current, target) ?? { status: 404, body: { errors: [] } });
    if (recorded === undefined) {
      response.destroy();
      return;
    }
    response.writeHead(recorded.status, { "content-type": "application/json" });
    response.end(recorded.body === null ? undefined : JSON.stringify(recorded.body));
  };

  const { address } = await startServer((response, request) => {
    try {
      respond(response, request);
    } catch (error) {
      response.writeHead(501, { "content-type": "text/plain" });
      response.end(String(error));
    }
  });
  return {
    address,
    asked,
    replay(exchange) {
      current = exchange;
      asked.length = 0;
    },
  };
}

function assertHeaders({ headers }: Received): void {
  assert.equal(headers["x-vault-request"], "true");
  assert.equal(headers["x-vault-namespace"], "teams/platform");
  assert.ok(String(headers["x-vault-token"]).startsWith("recorded"));
  assert.equal(headers["x-secrets-token"], undefined);
  assert.equal(headers.authorization, undefined);
}
