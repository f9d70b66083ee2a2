import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import type { Row } from "./table";
import { divide, spreadOf } from "./turns";

const rounds = 9;
/** Large enough that the cost of starting a stream is negligible. */
const bytesInRound = 60_000_000;
const recording = join(__dirname, "../tests/fixtures/wire/nomad-1.10.5-event-stream.ndjson");

export async function eventSpeed(): Promise<readonly Row[]> {
  const { text, events } = recordedStream();
  const { library, handWritten } = await readFrom<
    Readonly<Record<"library" | "handWritten", readonly number[]>>
  >([text], "speed", events, rounds);
  const { least, median, most } = spreadOf(handWritten, library, divide);
  return [
    {
      what: "event stream over HTTP, vs. a hand-written loop",
      how:
        `CPU time of a loop of undici, split and JSON.parse / of streamEvents, for ${bytesInRound / 1e6} MB of ` +
        `a recorded stream, median of the ratios of ${rounds} rounds`,
      figure: median,
      unit: "x",
      goal: [">=", 0.95],
      detail: `${least.toFixed(2)} to ${most.toFixed(2)}`,
    },
  ];
}

export async function eventMemory(): Promise<readonly Row[]> {
  const [events, step] = [1_000_000, 100_000];
  const [first = NaN, ...later] = await readFrom<readonly number[]>(endlessFrames(), "memory", events, step);
  return [
    {
      what: `memory held by streamEvents over ${events.toLocaleString("en")} events`,
      how: `heap and buffers after garbage collection: the maximum at each ${step.toLocaleString("en")} events, minus the value after the first ${step.toLocaleString("en")}`,
      figure: (Math.max(...later) - first) / 1_000_000,
      unit: "MB",
      goal: ["<=", 1],
    },
  ];
}

/** @returns the output of a reader in a process of its own */
async function readFrom<Result>(
  chunks: Iterable<string>,
  ...parameters: readonly [what: string, ...amounts: number[]]
): Promise<Result> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    // The reader disconnects when it has seen enough.
    Readable.from(chunks)
      .on("error", () => undefined)
      .pipe(response, { end: false });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const reader = join(__dirname, "event-reader.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--expose-gc",
      "--require",
      "ts-node/register/transpile-only",
      reader,
      `http://127.0.0.1:${port}`,
      ...parameters.map(String),
    ]);
    return JSON.parse(stdout) as Result;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Repeats the frames of a real scheduler, with increasing indexes. */
function recordedStream(): { readonly text: string; readonly events: number } {
  const frames = readFileSync(recording, "utf8").trim().split("\n");
  const lines: string[] = [];
  let [events, length] = [0, 0];
  for (let index = 1; length < bytesInRound; index++) {
    const frame = JSON.parse(frames[index % frames.length] ?? "") as { readonly Events?: readonly object[] };
    const frameEvents = frame.Events?.map((event) => ({ ...event, Index: index }));
    const line = `${JSON.stringify({ ...frame, Index: index, ...(frameEvents && { Events: frameEvents }) })}\n`;
    lines.push(line);
    length += line.length;
    events += frameEvents?.length ?? 0;
  }
  return { text: lines.join(""), events };
}

/** All events differ, so that a cache of one does not help with another. */
function* endlessFrames(): Generator<string, void, undefined> {
  const members = { Topic: "Node", Type: "NodeEvent", Namespace: "", FilterKeys: null };
  for (let [index, chunk] = [1, ""]; ; index++) {
    const Key = `node-${index}`;
    const Payload = { Node: { ID: Key, Name: `größe-${index}`, Status: "ready" } };
    chunk += `${JSON.stringify({ Index: index, Events: [{ ...members, Key, Index: index, Payload }] })}\n`;
    if (index % 200 === 0) {
      yield chunk;
      chunk = "";
    }
  }
}
