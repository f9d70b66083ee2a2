import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import assert from "node:assert/strict";
import { readEvents, streamEvents, type StreamOptions, waitForEvent } from "../../sdk/scheduler";
import type { Properties } from "../support/provider-process";
import { startServer, stopServers } from "../http/server";
import { providerWith } from "../support/fake-engine";
import { definitions } from "../support/services";
import { emulatedTokens } from "../cases/support/emulated-services";
import {
  frameLine,
  type RawRequest,
  startRawScheduler,
  wireEvent,
  wireFrame,
} from "../scheduler/raw-scheduler";
import { Selection, tried } from "./support/extent";
import { assertUnpolluted, complaintsAbout, mutationsOf } from "./support/judge";
import { flood } from "./support/responses";
import { outcomeOf } from "./support/tested-calls";

const frame = JSON.stringify(wireFrame(3, [wireEvent(3), wireEvent(3, { Key: "other" })]));
const last = frameLine(4, [wireEvent(4, { Key: "last" })]);
const patience = "0.3s";
const token = emulatedTokens.scheduler;
const gate = { topics: ["Node"], match: {}, timeout: "30s" };
const long = "n".repeat(100_000);

/** A stream that has no end, or none that anybody can wait for. */
const endless: readonly {
  readonly name: string;
  readonly respond: (request: RawRequest) => void;
  /** What is said of it; it is not refused when there is nothing: whoever reads gives up. */
  readonly refused?: RegExp;
}[] = [
  {
    name: "a text without end",
    respond: flooding('{"Index":1,"Events":[{"Key":"', "x".repeat(65_536)),
    refused: /longer than/,
  },
  {
    name: "objects in each other without end",
    respond: flooding("", '{"a":'.repeat(10_000)),
    refused: /longer than/,
  },
  {
    name: "a list without end",
    respond: flooding('{"Index":1,"Events":[', "{},".repeat(10_000)),
    refused: /longer than/,
  },
  { name: "heartbeats without end", respond: flooding("", "{}\n".repeat(10_000)) },
  { name: "heartbeats without line ends", respond: flooding("", "{}".repeat(10_000)) },
  { name: "blanks without end", respond: flooding("", " \n".repeat(10_000)) },
  { name: "one frame without end", respond: flooding("", `${frame}\n`.repeat(100)) },
  {
    name: "events with long names",
    respond: flooding(
      "",
      frameLine(3, [wireEvent(3, { Topic: long, Type: long, Key: long, Namespace: long })]),
    ),
  },
  {
    name: "connections that end after a heartbeat",
    respond: (request) => {
      request.begin();
      request.write("{}\n");
      request.end();
    },
  },
  {
    name: "connections that end in the middle of a frame",
    respond: (request) => {
      request.begin();
      request.write(frame.slice(0, 50));
      request.end();
    },
  },
];

function flooding(beginning: string, piece: string): (request: RawRequest) => void {
  return (request) => {
    request.begin();
    request.write(beginning);
    flood(request.socket, piece);
  };
}

/** No pause between two connections is shorter than 50 ms. */
const mostConnections = 300 / 50 + 1;

describe("streams of events that nobody expects", function () {
  this.timeout(600_000);

  afterEach(stopServers);

  const optionsFor = (address: string): StreamOptions & { readonly address: string } => ({
    address,
    token,
    maxRetries: 0,
    maxFrameSize: 1024 * 1024,
  });
  const messageOf = (call: Promise<unknown>): Promise<string | undefined> =>
    call.then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  const judge = (message: string, what: string): void => {
    // That none came in time is said of no request.
    const complaints = complaintsAbout(message, [token]).filter(
      (complaint) => !/^it names no request: Timed out after .* waiting for an event /.test(complaint),
    );
    assert.deepEqual(complaints, [], what);
  };

  const selection = new Selection(11);

  let bytes = "";
  const startScheduler = () =>
    startRawScheduler((request) => {
      request.begin();
      request.write(bytes);
    });

  it("hostile events are refused, or read up to the event that is waited for", async () => {
    const server = await startScheduler();
    for (const { at, what, apply } of selection.from(mutationsOf(frame))) {
      bytes = `${apply(frame)}\n${last}`;
      const waiting = { ...optionsFor(server.address), match: { key: "last" }, timeout: "30s" };
      const message = await messageOf(waitForEvent(waiting));
      tried("scheduler.waitForEvent", "streams");
      if (message !== undefined) {
        assert.match(message, /Unexpected response to GET \/event\/stream/, `${at} is ${what}`);
        judge(message, `${at} is ${what}`);
      }
      assertUnpolluted();
    }
  });

  it("hostile events are refused by an EventGate, or kept as the engine can hold them", async () => {
    const server = await startScheduler();
    const definition = definitions.get("scheduler:EventGate") ?? assert.fail();
    const provider = providerWith(definition, {
      "trivium:schedulerAddress": server.address,
      "trivium:schedulerToken": token,
      "trivium:schedulerMaxRetries": "0",
    });
    const { inputs } = await provider.check({}, gate);
    for (const { at, what, apply } of selection.from(mutationsOf(frame))) {
      bytes = `${apply(frame)}\n${last}`;
      const outcome = await outcomeOf(provider.create(inputs));
      tried("scheduler:EventGate", "streams");
      if (outcome.kind === "failed") {
        assert.match(outcome.error.message, /Unexpected response|cannot be stored/, `${at} is ${what}`);
        judge(outcome.error.message.replace("The event ", "GET /event/stream "), `${at} is ${what}`);
      } else {
        assert.ok(outcome.kind === "done" && outcome.id, `${at} is ${what}`);
        Struct.fromJavaScript((outcome.outputs ?? {}) as Properties).serializeBinary();
      }
      assertUnpolluted();
    }
  });

  for (const { name, respond, refused } of endless) {
    it(`a gate reconnects after ${name}`, async () => {
      const server = await startRawScheduler(respond);
      const options = optionsFor(server.address);
      const waiting = messageOf(waitForEvent({ ...options, match: { key: "none" }, timeout: patience }));
      const message = (await waiting) ?? assert.fail("it has come");
      tried("scheduler.waitForEvent", "streams");
      judge(message, name);
      assert.match(message, refused ?? /^Timed out after 0\.3 s waiting for an event with key "none"/);
      assert.ok(server.requests.length <= mostConnections, `${server.requests.length} connections`);
      const reading = messageOf(readEvents({ ...options, until: { timeout: patience, count: 1_000 } }));
      tried("scheduler.readEvents", "streams");
      assert.match((await reading) ?? "", refused ?? /^$/);
    });
  }

  const respondWith =
    (status: string, body: string, ...headers: readonly string[]) =>
    (request: RawRequest): void => {
      request.socket.end(
        [`HTTP/1.1 ${status}`, `Content-Length: ${body.length}`, ...headers, "", body].join("\r\n"),
      );
    };
  const sending =
    (text: string) =>
    (request: RawRequest): void => {
      request.begin();
      request.write(text);
      request.end();
    };
  const page = "<html><body>Sign in</body></html>";
  /** What may come in the place of a stream. Whether a first connection goes on is said of it. */
  const interruptions: readonly (readonly [
    what: string,
    respond: (request: RawRequest) => void,
    first: "refused" | "resumed",
  ])[] = [
    ...[400, 401, 403, 404, 405, 418].map(
      (status) => [String(status), respondWith(`${status} No`, "no"), "refused"] as const,
    ),
    ...[408, 425, 429, 500, 502, 503, 504].map(
      (status) => [String(status), respondWith(`${status} No`, page), "resumed"] as const,
    ),
    ["500 that refuses", respondWith("500 No", "Permission denied"), "refused"],
    ["a redirect", respondWith("302 Found", "", "Location: http://127.0.0.1:9/"), "refused"],
    ["an encoding", respondWith("200 OK", "x", "Content-Encoding: gzip"), "refused"],
    ["what is not HTTP", (request) => request.socket.write("SSH-2.0-OpenSSH_9.9\r\n"), "resumed"],
    ["a page", sending(page), "refused"],
    ["a text", sending("upstream connect error"), "refused"],
    ["a text with a brace", sending("event dropped from buffer {\n"), "refused"],
    ["an invalid frame", sending('{"Index":1,"Events":7}'), "refused"],
    ["half a frame", sending(frame.slice(0, 50)), "resumed"],
    ["nothing", sending(""), "resumed"],
    ["a reset", (request) => request.reset(), "resumed"],
    [
      "a reset after the headers",
      (request) => [request.begin, request.reset].forEach((step) => step()),
      "resumed",
    ],
  ];
  const moments = ["before the first byte", "after the first frame", "at a reconnection"] as const;
  for (const moment of moments) {
    for (const [what, interrupt, first] of interruptions) {
      const isRefused = moment === moments[0] && first === "refused";
      it(`a stream is ${isRefused ? "refused" : "resumed"} after ${what} ${moment}`, async () => {
        const at = moments.indexOf(moment) === 2 ? 2 : 1;
        const server = await startRawScheduler((request) => {
          if (request.number > at) {
            sending(last)(request);
          } else if (request.number < at || moment === moments[1]) {
            request.begin();
            request.write(`{}\n${frame}\n`);
            const end =
              request.number < at ? request.end : () => interrupt({ ...request, begin: () => undefined });
            setImmediate(end);
          } else {
            interrupt(request);
          }
        });
        const reasons: string[] = [];
        const waiting = waitForEvent({
          ...optionsFor(server.address),
          maxRetries: 1,
          match: { key: "last" },
          timeout: "20s",
          onReconnect: ({ reason }) => reasons.push(reason),
        });
        const message = await messageOf(waiting);
        tried("scheduler.waitForEvent", "streams");
        assert.equal(message === undefined, !isRefused, message);
        assert.equal(reasons.length > 0, !isRefused);
        if (message !== undefined) {
          judge(message, what);
        }
      });
    }
  }

  it("events are not looked for at another server", async () => {
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
