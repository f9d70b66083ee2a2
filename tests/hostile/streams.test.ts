import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import assert from "node:assert/strict";
import { readEvents, streamEvents, waitForEvent } from "../../sdk/scheduler";
import { emulatedTokens } from "../cases/support/emulated-services";
import { startServer, stopServers } from "../http/server";
import {
  frameLine,
  startRawScheduler,
  wireEvent,
  wireFrame,
  type RawRequest,
} from "../scheduler/raw-scheduler";
import { providerWith } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { configurationWith } from "../support/proxy";
import { definitions } from "../support/services";
import { Selection, tried } from "./support/extent";
import { assertUnpolluted, complaintsAbout, mutationsOf } from "./support/judge";
import { flood, outcomeOf } from "./support/tested-calls";

const frame = JSON.stringify(wireFrame(3, [wireEvent(3), wireEvent(3, { Key: "other" })]));
const last = frameLine(4, [wireEvent(4, { Key: "last" })]);
const token = emulatedTokens.scheduler;
const long = "n".repeat(100_000);
const longNames = wireEvent(3, { Topic: long, Type: long, Key: long, Namespace: long });

type Respond = (request: RawRequest) => unknown;

/** Begins a stream. @param goOn default: it ends */
const sending =
  (text: string, goOn: Respond = ({ end }) => end()): Respond =>
  (request) => {
    request.begin();
    request.write(text);
    goOn(request);
  };
const flooding = (piece: string, beginning = ""): Respond =>
  sending(beginning, ({ socket }) => flood(socket, piece));
const respondWith = (status: string, body: string, ...headers: readonly string[]): Respond => {
  const head = [`HTTP/1.1 ${status}`, `Content-Length: ${body.length}`, ...headers];
  return ({ socket }) => socket.end([...head, "", body].join("\r\n"));
};

/** Streams that have no end, or none that anybody can wait for: refused as too long, or read until the reader gives up. */
const endless: readonly (readonly [name: string, respond: Respond, isTooLong?: true])[] = [
  ["an endless string", flooding("x".repeat(65_536), '{"Index":1,"Events":[{"Key":"'), true],
  ["endlessly nested objects", flooding('{"a":'.repeat(10_000)), true],
  ["an endless list", flooding("{},".repeat(10_000), '{"Index":1,"Events":['), true],
  ["endless heartbeats", flooding("{}\n".repeat(10_000))],
  ["heartbeats without newlines", flooding("{}".repeat(10_000))],
  ["endless blanks", flooding(" \n".repeat(10_000))],
  ["an endless frame", flooding(`${frame}\n`.repeat(100))],
  ["events with long names", flooding(frameLine(3, [longNames]))],
  ["connections that end after a heartbeat", sending("{}\n")],
  ["connections that end in the middle of a frame", sending(frame.slice(0, 50))],
];

const page = "<html><body>Sign in</body></html>";

const withStatuses = (body: string, ...statuses: readonly number[]) =>
  Object.fromEntries(statuses.map((status) => [status, respondWith(`${status} No`, body)]));

/** What can come instead of a stream, grouped by the reaction if the first connection begins with it. */
const interruptions: Readonly<Record<"refused" | "resumed", Readonly<Record<string, Respond>>>> = {
  refused: {
    ...withStatuses("no", 400, 401, 403, 404, 405, 418),
    "a 500 that denies permission": respondWith("500 No", "Permission denied"),
    "a redirect": respondWith("302 Found", "", "Location: http://127.0.0.1:9/"),
    "an encoding": respondWith("200 OK", "x", "Content-Encoding: compress"),
    "what is not HTTP": (request) => request.socket.write("SSH-2.0-OpenSSH_9.9\r\n"),
    "a page": sending(page),
    "a text": sending("upstream connect error"),
    "a string with a brace": sending("event dropped from buffer {\n"),
    "an invalid frame": sending('{"Index":1,"Events":7}'),
  },
  resumed: {
    ...withStatuses(page, 408, 425, 429, 500, 502, 503, 504),
    "half a frame": sending(frame.slice(0, 50)),
    nothing: sending(""),
    "a reset": (request) => request.reset(),
    "a reset after the headers": (request) => [request.begin, request.reset].forEach((step) => step()),
  },
};

/** No pause between two connections is shorter than 50 ms. */
const mostConnections = 300 / 50 + 1;

describe("streams of events that nobody expects", function () {
  this.timeout(600_000);

  afterEach(stopServers);

  const optionsFor = (address: string) => ({ address, token, maxRetries: 0, maxFrameSize: 1024 * 1024 });
  const messageOf = async (call: Promise<unknown>): Promise<string | undefined> =>
    (await outcomeOf(call.then(() => undefined))).message;
  const judge = (message: string, what: string): void => {
    // That none came in time is said of no request.
    const inVain = /^it names no request: Timed out after .* waiting for an event /;
    const complaints = complaintsAbout(message, [token]).filter((complaint) => !inVain.test(complaint));
    assert.deepEqual(complaints, [], what);
  };
  const selection = new Selection(11);

  it("hostile events are rejected, or read up to the awaited event, and a gate stores them in a form that the engine accepts", async () => {
    let bytes = "";
    const { address } = await startRawScheduler((request) => sending(bytes, () => undefined)(request));
    const configuration = configurationWith(() => ({ Address: address, Token: token, MaxRetries: "0" }));
    const provider = providerWith(definitions.get("scheduler:EventGate") ?? assert.fail(), configuration);
    const { inputs } = await provider.check({}, { topics: ["Node"], match: {}, timeout: "30s" });
    for (const { at, what, apply } of selection.from(mutationsOf(frame))) {
      bytes = `${apply(frame)}\n${last}`;
      const mutation = `${at} is ${what}`;
      const waiting = { ...optionsFor(address), match: { key: "last" }, timeout: "30s" };
      const message = await messageOf(waitForEvent(waiting));
      tried("scheduler.waitForEvent", "streams");
      if (message !== undefined) {
        assert.match(message, /Unexpected response to GET \/event\/stream/, mutation);
        judge(message, mutation);
      }
      const gate = await outcomeOf(provider.create(inputs));
      tried("scheduler:EventGate", "streams");
      if (gate.message !== undefined) {
        assert.match(gate.message, /Unexpected response|cannot be stored/, mutation);
        judge(gate.message.replace("The event ", "GET /event/stream "), mutation);
      } else {
        assert.ok(gate.id, mutation);
        Struct.fromJavaScript((gate.outputs ?? {}) as Properties).serializeBinary();
      }
      assertUnpolluted();
    }
  });

  for (const [name, respond, isTooLong] of endless) {
    it(`a gate reconnects after ${name}`, async () => {
      const server = await startRawScheduler(respond);
      const options = optionsFor(server.address);
      // Whatever is refused ends the wait; the rest has to be waited for.
      const timeout = isTooLong ? "30s" : "0.3s";
      const waiting = messageOf(waitForEvent({ ...options, match: { key: "none" }, timeout }));
      const message = (await waiting) ?? assert.fail("it has come");
      tried("scheduler.waitForEvent", "streams");
      judge(message, name);
      const refused = isTooLong && /longer than/;
      assert.match(message, refused ?? /^Timed out after 0\.3 s waiting for an event with key "none"/);
      assert.ok(server.requests.length <= mostConnections, `${server.requests.length} connections`);
      const reading = messageOf(readEvents({ ...options, until: { timeout, count: 1_000 } }));
      tried("scheduler.readEvents", "streams");
      assert.match((await reading) ?? "", refused ?? /^$/);
    });
  }

  const moments = ["before the first byte", "after the first frame", "after a reconnection"] as const;
  for (const [at, moment] of moments.entries()) {
    const cases = Object.entries(interruptions).flatMap(([first, each]) =>
      Object.entries(each).map(([what, interrupt]) => ({ first, what, interrupt })),
    );
    for (const { first, what, interrupt } of cases) {
      const isRefused = at === 0 && first === "refused";
      it(`a stream is ${isRefused ? "refused" : "resumed"} after ${what} ${moment}`, async () => {
        const interrupted = at === 2 ? 2 : 1;
        const { address } = await startRawScheduler((request) => {
          const begun = { ...request, begin: () => undefined };
          const goOn = request.number < interrupted ? request.end : () => interrupt(begun);
          const beginning = sending(`{}\n${frame}\n`, () => setImmediate(goOn));
          const isBegun = request.number < interrupted || at === 1;
          (request.number > interrupted ? sending(last) : isBegun ? beginning : interrupt)(request);
        });
        const reasons: string[] = [];
        const waiting = waitForEvent({
          ...optionsFor(address),
          maxRetries: 1,
          match: { key: "last" },
          timeout: "20s",
          onReconnect: ({ reason }) => reasons.push(reason),
        });
        const message = await messageOf(waiting);
        tried("scheduler.waitForEvent", "streams");
        assert.equal(message === undefined, !isRefused, message);
        assert.equal(reasons.length > 0, !isRefused);
        judge(message ?? "GET /event/stream", what);
      });
    }
  }

  it("events are not requested from another server", async () => {
    const elsewhere = await startServer((response) => response.end("{}"));
    for (const status of [301, 302, 307, 308]) {
      const server = await startServer((response) =>
        response.writeHead(status, { location: `${elsewhere.address}/v1/event/stream` }).end(),
      );
      const next = streamEvents(optionsFor(server.address))[Symbol.asyncIterator]().next();
      const message = (await messageOf(next)) ?? assert.fail("something came");
      tried("scheduler.streamEvents", "streams");
      judge(message, String(status));
      assert.equal(server.received.length, 1);
    }
    assert.deepEqual(elsewhere.received, []);
  });
});
