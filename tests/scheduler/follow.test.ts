import fc from "fast-check";
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { mock } from "node:test";
import { ConnectionError } from "../../sdk/base/errors";
import type { Runtime } from "../../sdk/base/timing";
import { followEvents, type FollowOptions } from "../../sdk/scheduler/follow";
import type { Gap } from "../../sdk/scheduler/history";
import { failure } from "../http/calls";
import { ManualClock } from "../http/clock";
import { stopServers, unusedPort } from "../http/server";
import { until } from "../testing/call";
import { clientFor, frameLine, type RawRequest, startRawScheduler, wireEvent } from "./raw-scheduler";

type Options = Partial<FollowOptions>;

let time = 0;

/** No wait takes any time. */
const instantClock: Runtime = {
  now: () => time,
  date: () => time,
  random: () => 0.5,
  sleep: (milliseconds) => {
    time += milliseconds;
    return Promise.resolve();
  },
};

/** @returns the keys of the first so many events */
async function read(
  address: string,
  count = Number.POSITIVE_INFINITY,
  options: Options = {},
  clock: Runtime = instantClock,
): Promise<string[]> {
  const keys: string[] = [];
  const following = { signal: new AbortController().signal, ...options };
  for await (const { events } of followEvents(clientFor(address, { maxRetries: 2 }), following, clock)) {
    keys.push(...events.map(({ key }) => key));
    if (keys.length >= count) {
      break;
    }
  }
  return keys;
}

describe("following events", () => {
  afterEach(stopServers);

  it("the follower requests the subscription as JSON, with the token", async () => {
    const server = await startRawScheduler((request) => request.write(frameLine(9)));
    await read(server.address, 1, { index: 9, namespace: "*", topics: ["Node", "Deployment:a b"] });
    await read(server.address, 1);
    const [first = "", second = ""] = server.requests.map(({ head }) => head);
    const path = "/v1/event/stream?index=9&namespace=*&topic=Node&topic=Deployment%3Aa%20b";
    assert.ok(first.startsWith(`GET ${path} HTTP/1.1\r\n`), first);
    assert.match(first, /^authorization: Bearer canary-token\r$/im);
    assert.match(first, /^accept: .*\bapplication\/json\r$/im);
    assert.match(first, /^accept-encoding: identity\r$/im);
    assert.doesNotMatch(first, /^content-/im);
    assert.match(second, /^GET \/v1\/event\/stream\?index=0 HTTP/);
  });

  it("the follower resumes from the last index, reads a frame again that was cut off, and does not repeat events", async () => {
    const server = await startRawScheduler((request) => {
      request.write("{}\n");
      if (request.number === 1) {
        request.end(frameLine(4) + frameLine(5) + frameLine(6).slice(0, 40));
      } else {
        request.write(frameLine(5) + frameLine(6) + frameLine(7));
      }
    });
    assert.deepEqual(await read(server.address, 4), ["n4", "n5", "n6", "n7"]);
    const indexs = server.requests.map(({ index }) => index);
    assert.deepEqual(indexs, [0, 5]);
  });

  it("the follower reconnects if connections without a byte are closed after a while, because there were no events", async () => {
    let now = 0;
    const server = await startRawScheduler((request) => {
      request.begin();
      if (request.number === 10) {
        request.write(frameLine(1));
      }
    });
    const onConnected = (): void => {
      now += 6_000;
      server.requests.at(-1)?.end();
    };
    const events = await read(server.address, 1, { onConnected }, { ...instantClock, now: () => now });
    assert.deepEqual([events, server.requests.length], [["n1"], 10]);
  });

  it("the follower does not lose or repeat events if the connection is cut at any byte fifty times in a row", async function () {
    this.timeout(60_000);
    // Several frames share an index, and several events.
    const all = Array.from({ length: 40 }, (_, number) => {
      const index = 10 + Math.floor(number / 3);
      const keys = [`a${number}`, `b${number}`].slice(0, 1 + (number % 2));
      const events = keys.map((Key) => wireEvent(index, { Key }));
      return { index, keys, line: frameLine(index, events) };
    });
    const expected = all.flatMap(({ keys }) => keys);
    const cut = fc.tuple(fc.integer({ min: 1, max: 2500 }), fc.boolean());
    const fifty = fc.array(cut, { minLength: 50, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(fifty, fc.boolean(), async (cuts, inLines) => {
        const server = await startRawScheduler((request) => {
          const lines = all.filter(({ index }) => index >= request.index).map(({ line }) => line);
          const text = ["{}\n", ...lines].join("");
          const bytes = Buffer.from(inLines ? text : text.replaceAll("\n", ""));
          const [length, resets] = cuts[request.number - 1] ?? [bytes.length, undefined];
          request.begin();
          if (resets === undefined) {
            request.write(bytes);
          } else {
            request.socket.write(bytes.subarray(0, length), () => (resets ? request.reset() : request.end()));
          }
        });
        const gaps: Gap[] = [];
        const events = await read(server.address, expected.length, { onGap: (gap) => gaps.push(gap) });
        assert.deepEqual(events, expected);
        assert.deepEqual(gaps, []);
        stopServers();
      }),
      { numRuns: 12 },
    );
  });

  it("the follower reports a possible gap before the frame that follows it, even before the first frame of an index", async () => {
    const server = await startRawScheduler((request) =>
      request.end(request.number === 1 ? frameLine(5) : frameLine(9)),
    );
    const told: unknown[] = [];
    const onGap = (gap: Gap): void => void told.push(gap);
    const following = { signal: new AbortController().signal, index: 3, onGap };
    for await (const { index } of followEvents(clientFor(server.address), following, instantClock)) {
      told.push(index);
      if (index === 9) {
        break;
      }
    }
    assert.deepEqual(told, [{ after: 3, next: 5 }, 5, { after: 5, next: 9 }, 9]);
    await until(() => server.requests[0]?.socket.destroyed ?? false);
  });

  it("the follower abandons a connection without data, and reports that", async () => {
    const server = await startRawScheduler((request) => request.write(frameLine(request.number)));
    const reasons = new Set<string>();
    const options: Options = { idleTimeout: 0.03, onReconnect: ({ reason }) => reasons.add(reason) };
    await read(server.address, 3, options);
    assert.deepEqual([...reasons], ["the scheduler sent nothing for too long"]);
  });

  it("the follower leaves nothing behind after the signal, however many connections there were", async () => {
    const { signal } = new AbortController();
    const server = await startRawScheduler((request) => request.end(frameLine(request.number)));
    const told: number[] = [];
    const onConnected = (): void => void told.push(getEventListeners(signal, "abort").length);
    await read(server.address, 30, { signal, onConnected });
    assert.ok(Math.max(...told) <= 1, String(told));
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  const forbidden = (request: RawRequest): void => {
    request.socket.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 18\r\n\r\nPermission denied\n");
  };
  const forbiddenLater = (request: RawRequest): void =>
    request.number === 1 ? request.end(frameLine(1)) : forbidden(request);
  const noVersion = (request: RawRequest): void =>
    void request.socket.write("HTTP/0.0 200 OK\r\nContent-Type: application/json\r\n\r\n{}\n");
  const sending = (text: string) => (request: RawRequest) => request.end(text);
  const refused =
    /Could not follow the scheduler's events: GET .*403: Permission denied\. .*The token from a test lacks .*node:read for nodes; namespace:read-job in the namespace team .*; a management token for ACLToken\./;
  const silence =
    /accepted several connections and closed each without a response.*namespace:read-job in the namespace default/;
  const team: Options = { topics: ["Node", "Job:web", "ACLToken"], namespace: "team" };
  const tooLong = /longer than 100 bytes.*maxFrameSize/;

  const fatal: readonly [string, (request: RawRequest) => void, number, RegExp, Options?][] = [
    ["at once when it is refused, naming the required permissions", forbidden, 1, refused, team],
    ["after a few seconds when a connection that it resumes is refused", forbiddenLater, 9, /403/],
    ["after five connections that are closed without a byte", sending(""), 5, silence, { topics: ["Job"] }],
    ["on an HTTP version that does not exist", noVersion, 1, /an HTTP version that does not exist.*1\.11\.2/],
    ["at once on a page", sending("<html><body>Sign in</body></html>"), 1, /got an HTML page.*proxy/],
    [
      "at once on something that is not a frame",
      sending('{"Index":1,"Events":"canary"}'),
      1,
      /Events of a frame to be/,
    ],
    [
      "on a frame that is too long, naming the option that raises the limit",
      sending(frameLine(1)),
      1,
      tooLong,
      { maxFrameSize: 100 },
    ],
  ];
  for (const [title, respond, requests, message, options] of fatal) {
    it(`the follower gives up ${title}`, async () => {
      const server = await startRawScheduler(respond);
      const error = await failure(read(server.address, undefined, options));
      assert.match(error.message, message);
      assert.ok(!error.message.includes("canary"), error.message);
      assert.equal(server.requests.length, requests);
    });
  }

  const closed = "subscription closed by server, client should resubscribe";
  for (const [what, text, reason, gaps] of [
    ["a closed subscription", closed, /^subscription closed by server, client should resubscribe$/, []],
    ["dropped events", "event dropped from buffer\n", /^event dropped from buffer$/, [{ after: 1, next: 2 }]],
    ["a page of a proxy", "<html><body>Back soon</body></html>", /Back soon/, []],
  ] as const) {
    it(`the follower resumes after ${what}, and reports it as the reason`, async () => {
      const server = await startRawScheduler((request) => {
        request.write(frameLine(1));
        setImmediate(() => request.write(request.number === 1 ? text : frameLine(2)));
      });
      const reasons: string[] = [];
      const found: Gap[] = [];
      const events = await read(server.address, 2, {
        onGap: (gap) => found.push(gap),
        onReconnect: (reconnection) => reasons.push(reconnection.reason),
      });
      assert.deepEqual([events, found, reasons.length], [["n1", "n2"], gaps, 1]);
      assert.match(reasons[0] ?? "", reason);
    });
  }

  it("the follower gives up after some attempts if there never was a connection", async () => {
    const port = await unusedPort();
    const reasons: string[] = [];
    const onReconnect: Options["onReconnect"] = ({ reason }) => void reasons.push(reason);
    const error = await failure(read(`http://127.0.0.1:${port}`, undefined, { onReconnect }));
    assert.ok(ConnectionError.isInstance(error));
    assert.match(error.message, /Nothing is listening there/);
    assert.equal(reasons.length, 2);
  });

  type Respond = (request: RawRequest, abort: () => void) => void;
  const heartbeat: Respond = (request) => request.write("{}\n");
  const reset: Respond = (request) => request.reset();
  const aborted: readonly [string, Respond, (abort: () => void) => Options][] = [
    ["while it connects", (_request, abort) => abort(), () => ({})],
    ["while it waits for an event", heartbeat, (abort) => ({ onConnected: () => setImmediate(abort) })],
    ["while it waits to connect again", reset, (abort) => ({ onReconnect: () => setImmediate(abort) })],
  ];
  for (const [title, respond, optionsFor] of aborted) {
    it(`the follower ends at once without an error when it is aborted ${title}`, async () => {
      const abort = new AbortController();
      const clock = new ManualClock();
      const server = await startRawScheduler((request) => respond(request, () => abort.abort()));
      const options = { signal: abort.signal, ...optionsFor(() => abort.abort()) };
      const { done } = await followEvents(clientFor(server.address), options, clock).next();
      assert.deepEqual([done, clock.asleep, server.requests.length], [true, 0, 1]);
      await until(() => server.requests[0]?.socket.destroyed ?? false);
    });
  }

  it("the follower ends when it is aborted in the middle of a backlog, and closes the connection even if nobody continues to read", async () => {
    const abort = new AbortController();
    const server = await startRawScheduler((request) => {
      request.write(Array.from({ length: 100 }, (_, index) => frameLine(index + 1)).join(""));
    });
    const frames = followEvents(clientFor(server.address), { signal: abort.signal });
    assert.equal((await frames.next()).value?.index, 1);
    abort.abort();
    await until(() => server.requests[0]?.socket.destroyed ?? false);
    assert.equal((await frames.next()).done, true);
  });

  it("the follower resolves concurrent calls in order, and returns each frame once", async () => {
    const server = await startRawScheduler((request) =>
      request.write([1, 2, 3, 4].map((index) => frameLine(index)).join("")),
    );
    const frames = followEvents(clientFor(server.address), { signal: new AbortController().signal });
    const responses = await Promise.all(Array.from({ length: 4 }, () => frames.next()));
    const actual = responses.map(({ value }) => value?.index);
    assert.deepEqual(actual, [1, 2, 3, 4]);
    await frames.return();
    assert.equal((await frames.next()).done, true);
  });

  it("the follower does not treat a slow reader as silence", async () => {
    const server = await startRawScheduler((request) => request.write(frameLine(1)));
    const frames = followEvents(clientFor(server.address), { signal: new AbortController().signal });
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      await frames.next();
      mock.timers.tick(100_000);
      server.requests[0]?.write(frameLine(2));
      assert.equal((await frames.next()).value?.index, 2);
      await frames.return();
    } finally {
      mock.timers.reset();
    }
    assert.equal(server.requests.length, 1);
  });
});
