import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { HttpTransport } from "../../sdk/http/http-transport";
import { SchedulerClient, type SchedulerClientSettings } from "../../sdk/scheduler/client";
import { startRawServer, type TestServer } from "../http/server";

/** One request for the stream, answered by hand. */
export interface RawRequest {
  readonly socket: Socket;
  /** The request line and the headers. */
  readonly head: string;
  /** The index that is asked for. */
  readonly index: number;
  /** How many requests there have been, this one included. */
  readonly number: number;
  /** Begins to answer, in the way of newer schedulers: the end of the connection is the end of the stream. */
  readonly begin: () => void;
  /** Begins to answer unless it has, and writes. */
  readonly write: (bytes: string | Uint8Array) => void;
  /** Writes, and ends the stream in good order. */
  readonly end: (bytes?: string) => void;
  /** Resets the connection. */
  readonly reset: () => void;
}

/** Starts a server which answers requests for the stream byte by byte as a test says. */
export async function startRawScheduler(
  response: (request: RawRequest) => void,
): Promise<TestServer & { readonly requests: RawRequest[] }> {
  const requests: RawRequest[] = [];
  const server = await startRawServer((socket, head) => {
    const index = Number(/[?&]index=(\d+)/.exec(head)?.[1] ?? 0);
    let rest = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";
    const begin = (): void => {
      socket.write(rest);
      rest = "";
    };
    const write = (bytes: string | Uint8Array): void => {
      begin();
      socket.write(bytes);
    };
    const end = (bytes = ""): void => {
      write(bytes);
      socket.end();
    };
    const reset = (): void => void socket.resetAndDestroy();
    const request = { socket, head, index, number: requests.length + 1, begin, write, end, reset };
    requests.push(request);
    response(request);
  });
  return { ...server, requests };
}

/** A client of the scheduler at an address. */
export function clientFor(address: string, settings: Partial<SchedulerClientSettings> = {}): SchedulerClient {
  const transport = new HttpTransport({
    service: "scheduler",
    dialect: "documented",
    address,
    basePath: "/v1",
    token: () => ({ value: "canary-token", source: "a test" }),
  });
  const caller = {
    signal: new AbortController().signal,
    progress: () => undefined,
    announce: () => undefined,
  };
  return new SchedulerClient(transport, caller, { dialect: "documented", namespace: undefined, ...settings });
}

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
