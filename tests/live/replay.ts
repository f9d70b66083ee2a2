import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "../http/server";

/** A request of an operator to a real server, and its response. */
interface Exchange {
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status: number; readonly body: unknown };
}

/** A server that answers as a real one did. */
export interface Replay {
  readonly address: string;
  /** The recorded requests that nobody has made yet. */
  readonly left: readonly string[];
}

/**
 * Plays recordings, each by a server of its own: it answers each recorded request once, and no other. Names that the
 * tests make up anew in each run are told apart by the order in which they come. Ended by `stopServers`.
 */
export function replayOf(...recordings: readonly string[]): Promise<readonly Replay[]> {
  const names = new Map<string, string>();
  const common = (text: string): string =>
    text.replace(/trivium-[\da-f]{8}/g, (name) => {
      const known = names.get(name) ?? `trivium-${names.size + 1}`;
      names.set(name, known);
      return known;
    });
  return Promise.all(recordings.map((recording) => replay(recording, common)));
}

async function replay(recording: string, common: (text: string) => string): Promise<Replay> {
  const file = join(__dirname, "..", "fixtures", "wire", recording);
  const waiting = JSON.parse(readFileSync(file, "utf8")) as Exchange[];
  const told = ({ method, path, body }: Exchange["request"]): string =>
    `${method} ${path}${body === undefined ? "" : ` ${JSON.stringify(body)}`}`;
  const { address } = await startServer((response, { method, url, body }) => {
    const sent = body === "" ? {} : { body: JSON.parse(body) as unknown };
    const asked = common(told({ method, path: url, ...sent }));
    const index = waiting.findIndex(({ request }) => told(request) === asked);
    const [found] = index < 0 ? [] : waiting.splice(index, 1);
    const { status, body: answer } = found?.response ?? {
      status: 501,
      body: { errors: [`not recorded: ${asked}`] },
    };
    response.writeHead(status, { "content-type": "application/json" });
    response.end(answer === null ? undefined : JSON.stringify(answer));
  });
  return {
    address,
    get left() {
      return waiting.map(({ request }) => told(request));
    },
  };
}
