import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import type { Row } from "./table";

const eventsInAll = 1_000_000;
const samples = 10;
const framesInChunk = 200;

/**
 * How much more memory a program holds after many events of one stream than after the first of them. It gets them as
 * any program does, with `streamEvents` over HTTP; only what it holds is measured, after collecting garbage.
 */
export async function eventMemory(): Promise<readonly Row[]> {
  const scheduler = await startEndlessScheduler();
  try {
    const { port } = scheduler.address() as AddressInfo;
    const step = eventsInAll / samples;
    const reader = [
      join(__dirname, "event-reader.ts"),
      `http://127.0.0.1:${port}`,
      `${eventsInAll}`,
      `${step}`,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--expose-gc",
      "--require",
      "ts-node/register/transpile-only",
      ...reader,
    ]);
    const [first = Number.NaN, ...later] = JSON.parse(stdout) as number[];
    return [
      {
        what: `memory held by streamEvents over ${eventsInAll.toLocaleString("en")} events`,
        how: `heap and buffers after garbage collection: the most at any ${step.toLocaleString("en")} events - after the first so many; flat means within 1 MB`,
        unit: "MB",
        figures: [{ value: (Math.max(...later) - first) / 1_000_000 }],
        goal: { bound: "most", value: 1 },
      },
    ];
  } finally {
    scheduler.closeAllConnections();
    scheduler.close();
  }
}

/** A scheduler in which things happen as fast as they are read. */
async function startEndlessScheduler(): Promise<Server> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    // The reader leaves when it has seen enough.
    Readable.from(endlessFrames())
      .on("error", () => undefined)
      .pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function* endlessFrames(): Generator<string, void, undefined> {
  for (let index = 1; ; index += framesInChunk) {
    yield Array.from({ length: framesInChunk }, (_, offset) => frameLine(index + offset)).join("");
  }
}

/** No two are alike: what is remembered of one cannot serve for another. */
function frameLine(index: number): string {
  const members = { Topic: "Node", Type: "NodeEvent", Key: `node-${index}`, Namespace: "", FilterKeys: null };
  const payload = { Node: { ID: `node-${index}`, Name: `größe-${index}`, Status: "ready" } };
  const event = { ...members, Index: index, Payload: payload };
  return `${JSON.stringify({ Index: index, Events: [event] })}\n`;
}
