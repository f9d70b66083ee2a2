import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import type { Duration, HeldBytes, Times } from "./event-reader";
import { growingIndexes, recordedFrames } from "./streams";
import type { Row } from "./table";
import { ratio } from "./turns";

const rounds = 9;
/** So many that what happens once in a stream does not count. */
const bytesInRound = 60_000_000;
const eventsInAll = 1_000_000;
const samples = 10;
const framesInChunk = 200;

/** How fast a program gets the events of a stream over HTTP, beside a loop that is written by hand. */
export async function eventSpeed(): Promise<readonly Row[]> {
  const { text, events } = growingIndexes(recordedFrames(), bytesInRound);
  const { library, handWritten } = await readFrom<Times>([text], "speed", events, rounds);
  // As much work in less time is faster.
  const speed = (measure: keyof Duration) =>
    ratio(
      handWritten.map((duration) => duration[measure]),
      library.map((duration) => duration[measure]),
    );
  return [
    {
      what: "event stream over HTTP, beside a hand-written loop",
      how: `time of a loop of undici, split and JSON.parse / time of streamEvents, for ${bytesInRound / 1e6} MB of a recorded stream, median of the ratios of ${rounds} rounds`,
      unit: "x",
      figures: [
        { ...speed("cpu"), label: "CPU" },
        { ...speed("wall"), label: "wall" },
      ],
      goal: { bound: "least", value: 0.95 },
    },
  ];
}

/** How much more memory a program holds after many events of one stream than after the first of them. */
export async function eventMemory(): Promise<readonly Row[]> {
  const step = eventsInAll / samples;
  const held = await readFrom<HeldBytes>(endlessFrames(), "memory", eventsInAll, step);
  const [first = Number.NaN, ...later] = held;
  return [
    {
      what: `memory held by streamEvents over ${eventsInAll.toLocaleString("en")} events`,
      how: `heap and buffers after garbage collection: the most at any ${step.toLocaleString("en")} events - after the first so many; flat means within 1 MB`,
      unit: "MB",
      figures: [{ value: (Math.max(...later) - first) / 1_000_000 }],
      goal: { bound: "most", value: 1 },
    },
  ];
}

/**
 * Has a process of its own read what a scheduler sends, as fast as it is read.
 *
 * @returns what the reader printed
 */
async function readFrom<Result>(
  chunks: Iterable<string>,
  ...parameters: readonly [what: string, ...amounts: number[]]
): Promise<Result> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    // The reader leaves when it has seen enough.
    Readable.from(chunks)
      .on("error", () => undefined)
      .pipe(response, { end: false });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--expose-gc",
      "--require",
      "ts-node/register/transpile-only",
      join(__dirname, "event-reader.ts"),
      `http://127.0.0.1:${port}`,
      ...parameters.map(String),
    ]);
    return JSON.parse(stdout) as Result;
  } finally {
    server.closeAllConnections();
    server.close();
  }
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
