import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A stream of events to be decoded. */
export interface Stream {
  /** What it consists of. */
  readonly title: string;
  /** Its bytes, as they come from a connection. */
  readonly chunks: readonly Uint8Array[];
  /** The same, line by line. */
  readonly lines: readonly Buffer[];
}

type Framing = "newline framing" | "concatenated framing";

const streamSize = 20_000_000;
const chunkSize = 64 * 1024;

/** The frames of a real scheduler: nodes, jobs, allocations and so on, up to 15 KB each. */
export function recordedFrames(): readonly string[] {
  const recording = join(__dirname, "../tests/fixtures/wire/nomad-1.10.5-event-stream.ndjson");
  return readFileSync(recording, "utf8").trim().split("\n");
}

/** These frames as a stream. */
export function recordedStream(framing: Framing): Stream {
  return stream("recorded stream", framing, recordedFrames());
}

/** Frames again and again, up to a size, line by line with indexes that grow, as those of a scheduler do. */
export function growingIndexes(
  frames: readonly string[],
  size: number,
): { readonly text: string; readonly events: number } {
  const lines: string[] = [];
  let [events, length] = [0, 0];
  for (let index = 1; length < size; index++) {
    const frame = JSON.parse(frames[index % frames.length] ?? "") as { readonly Events?: readonly object[] };
    const sent = frame.Events?.map((event) => ({ ...event, Index: index }));
    const line = `${JSON.stringify({ ...frame, Index: index, ...(sent && { Events: sent }) })}\n`;
    lines.push(line);
    length += line.length;
    events += sent?.length ?? 0;
  }
  return { text: lines.join(""), events };
}

/** Frames that hold little more than what every event has. */
export function smallStream(): Stream {
  return stream(
    "small lines",
    "newline framing",
    range(100).map((index) => frame(index, "Evaluation", { Evaluation: { ID: `evaluation-${index}` } })),
  );
}

/** Frames that consist mostly of characters of two and three bytes. */
export function nonLatinStream(): Stream {
  const description = "初回の実行は夜間に始まり、結果は朝までに届きます。";
  const remark = "Запуск повторяется, пока получатель не ответит. ";
  return stream(
    "lines full of non-Latin text",
    "newline framing",
    range(100).map((index) => {
      const meta = { 説明: description.repeat(1 + (index % 20)), заметка: remark.repeat(1 + (index % 20)) };
      return frame(index, "Job", { Job: { ID: `夜間処理-${index}`, Meta: meta } });
    }),
  );
}

function frame(index: number, topic: string, payload: Readonly<Record<string, unknown>>): string {
  const members = { Topic: topic, Type: `${topic}Updated`, Key: `key-${index}`, Namespace: "default" };
  return JSON.stringify({
    Index: index,
    Events: [{ ...members, FilterKeys: null, Index: index, Payload: payload }],
  });
}

function stream(what: string, framing: Framing, texts: readonly string[]): Stream {
  const separator = framing === "newline framing" ? "\n" : "";
  const lines = texts.map((text) => Buffer.from(text + separator));
  const round = Buffer.concat(lines);
  const rounds = range(Math.ceil(streamSize / round.length));
  const bytes = Buffer.concat(rounds.map(() => round));
  return {
    title: `${what}, ${framing}`,
    chunks: range(Math.ceil(bytes.length / chunkSize)).map((chunk) =>
      bytes.subarray(chunk * chunkSize, (chunk + 1) * chunkSize),
    ),
    lines: linesWithin(
      bytes,
      rounds.flatMap(() => lines.map(({ length }) => length)),
    ),
  };
}

/** Parts of the stream's own bytes: shared lines would be in the processor's cache, where those of a stream are not. */
function linesWithin(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  let position = 0;
  return lengths.map((length) => bytes.subarray(position, (position += length)));
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
