import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The stream of a real scheduler: its bytes as they came. */
export const recordedStream = readFileSync(
  join(__dirname, "..", "fixtures", "wire", "nomad-1.10.5-event-stream.ndjson"),
);

/** An event as the wire has it, of a node unless told otherwise. */
export function wireEvent(
  index: number,
  members: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    Topic: "Node",
    Type: "NodeRegistration",
    Key: `n${index}`,
    Namespace: "",
    FilterKeys: null,
    Index: index,
    Payload: { Node: { ID: `n${index}`, Name: "größe 漢字 🙂" } },
    ...members,
  };
}

/** A frame as the wire has it, with one event unless told otherwise. */
export function wireFrame(
  index: number,
  events: readonly Readonly<Record<string, unknown>>[] = [wireEvent(index)],
): Readonly<Record<string, unknown>> {
  return { Index: index, Events: events };
}

/** A frame on a line of its own. */
export function frameLine(index: number, events?: readonly Readonly<Record<string, unknown>>[]): string {
  return `${JSON.stringify(wireFrame(index, events))}\n`;
}
