import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { HttpTransport } from "../../sdk/http/http-transport";
import type { WireObject } from "../../sdk/scheduler/decoder";
import { SchedulerClient } from "../../sdk/scheduler/client";
import type { SchedulerClientSettings } from "../../sdk/scheduler/refusal";
import { startRawServer, type TestServer } from "../http/server";

/** One request for the stream, answered by hand. */
export type RawRequest = ReturnType<typeof rawRequest>;

/**
 * @param head the request line and the headers
 * @param number how many requests there have been, this one included
 */
function rawRequest(socket: Socket, head: string, number: number) {
  const index = Number(/[?&]index=(\d+)/.exec(head)?.[1] ?? 0);
  let rest = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";
  /** Begins to answer, in the way of newer schedulers: the end of the connection is the end of the stream. */
  const begin = (): void => {
    socket.write(rest);
    rest = "";
  };
  /** Begins to answer unless it has, and writes. */
  const write = (bytes: string | Uint8Array): void => {
    begin();
    socket.write(bytes);
  };
  /** Writes, and ends the stream in good order. */
  const end = (bytes = ""): void => {
    write(bytes);
    socket.end();
  };
  const reset = (): void => void socket.resetAndDestroy();
  return { socket, head, index, number, begin, write, end, reset };
}

/** Starts a server which answers requests for the stream byte by byte as a test says. */
export async function startRawScheduler(
  response: (request: RawRequest) => void,
): Promise<TestServer & { readonly requests: RawRequest[] }> {
  const requests: RawRequest[] = [];
  const server = await startRawServer((socket, head) => {
    const request = rawRequest(socket, head, requests.length + 1);
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
  const { signal } = new AbortController();
  const caller = { signal, progress: () => undefined, announce: () => undefined };
  return new SchedulerClient(transport, caller, {
    service: "scheduler",
    dialect: "documented",
    namespace: undefined,
    ...settings,
  });
}

/** The stream of a real scheduler: its bytes as they came. */
export const recordedStream = readFileSync(
  join(__dirname, "..", "fixtures", "wire", "nomad-1.10.5-event-stream.ndjson"),
);

/** An event as the wire has it, of a node unless told otherwise. */
export function wireEvent(index: number, members: WireObject = {}): WireObject {
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
export function wireFrame(index: number, events: readonly WireObject[] = [wireEvent(index)]): WireObject {
  return { Index: index, Events: events };
}

/** A frame on a line of its own. */
export function frameLine(index: number, events?: readonly WireObject[]): string {
  return `${JSON.stringify(wireFrame(index, events))}\n`;
}
