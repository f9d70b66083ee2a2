import fc from "fast-check";
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { mock } from "node:test";
import { ConnectionError, ContractError, ServiceError } from "../../sdk/base/errors";
import type { Runtime } from "../../sdk/base/runtime";
import type { ResponseStream } from "../../sdk/http/transport";
import type { Event } from "../../sdk/scheduler/event";
import { Batches, followEvents, type FollowOptions, WatchedStream } from "../../sdk/scheduler/follow";
import type { Gap } from "../../sdk/scheduler/history";
import { failure } from "../http/calls";
import { impatientClock, ManualClock } from "../http/clock";
import { stopServers, unusedPort } from "../http/server";
import { until } from "../testing/call";
import { clientFor, frameLine, type RawRequest, startRawScheduler, wireEvent } from "./raw-scheduler";

type Options = Partial<FollowOptions>;

/** No wait takes any time. */
const instantClock: Runtime = {
  now: () => 0,
  date: () => 0,
  random: () => 0.5,
  sleep: () => Promise.resolve(),
};

/** Reads until there are so many events. */
async function read(
  address: string,
  count: number,
  options: Options = {},
  clock: Runtime = instantClock,
): Promise<Event[]> {
  const events: Event[] = [];
  const following = { signal: new AbortController().signal, ...options };
  for await (const frame of followEvents(clientFor(address, { maxRetries: 2 }), following, clock)) {
    events.push(...frame.events);
    if (events.length >= count) {
      break;
    }
  }
  return events;
}

const keysOf = (events: readonly Event[]): string[] => events.map(({ key }) => key);
const reading = (address: string, options?: Options): Promise<Event[]> =>
  read(address, Number.POSITIVE_INFINITY, options);

describe("following events", () => {
  afterEach(stopServers);

  it("asks for what the subscription says, with the token", async () => {
    const server = await startRawScheduler((request) => {
      request.begin();
      request.write(frameLine(9));
    });
    await read(server.address, 1, { index: 9, namespace: "*", topics: ["Node", "Deployment:a b"] });
    const head = server.requests[0]?.head ?? "";
    assert.match(
      head,
      /^GET \/v1\/event\/stream\?index=9&namespace=\*&topic=Node&topic=Deployment%3Aa%20b HTTP\/1\.1\r\n/,
    );
    assert.match(head, /^authorization: Bearer canary-token\r$/im);
    assert.match(head, /^accept-encoding: identity\r$/im);
  });

  it("asks for nothing that nobody asked for", async () => {
    const server = await startRawScheduler((request) => {
      request.begin();
      request.write(frameLine(1));
    });
    await read(server.address, 1);
    assert.match(server.requests[0]?.head ?? "", /^GET \/v1\/event\/stream\?index=0 HTTP/);
  });

  it("resumes from the last index, reads again what was cut off, and repeats nothing", async () => {
    const server = await startRawScheduler((request) => {
      request.begin();
      request.write("{}\n");
      if (request.number === 1) {
        request.write(frameLine(4) + frameLine(5) + frameLine(6).slice(0, 40));
        request.end();
      } else {
        request.write(frameLine(5) + frameLine(6) + frameLine(7));
      }
    });
    assert.deepEqual(keysOf(await read(server.address, 4)), ["n4", "n5", "n6", "n7"]);
    assert.deepEqual(
      server.requests.map(({ index }) => index),
      [0, 5],
    );
  });

  it("goes on where connections are closed without a byte after a while: there were no events", async () => {
    let now = 0;
    let close = (): void => undefined;
    const server = await startRawScheduler((request) => {
      request.begin();
      if (request.number === 10) {
        request.write(frameLine(1));
      }
      close = () => request.end();
    });
    const onConnected = (): void => {
      now += 6_000;
      close();
    };
    const events = await read(server.address, 1, { onConnected }, { ...instantClock, now: () => now });
    assert.deepEqual([keysOf(events), server.requests.length], [["n1"], 10]);
  });

  it("loses and repeats nothing when the connection is cut at any byte fifty times in a row", async function () {
    this.timeout(60_000);
    // Several frames share an index, and several events.
    const all = Array.from({ length: 40 }, (_, number) => {
      const index = 10 + Math.floor(number / 3);
      const keys = [`a${number}`, `b${number}`].slice(0, 1 + (number % 2));
      return {
        index,
        keys,
        line: frameLine(
          index,
          keys.map((Key) => wireEvent(index, { Key })),
        ),
      };
    });
    const expected = all.flatMap(({ keys }) => keys);
    const cut = fc.tuple(fc.integer({ min: 1, max: 2500 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        fc.array(cut, { minLength: 50, maxLength: 50 }),
        fc.boolean(),
        async (cuts, inLines) => {
          const server = await startRawScheduler((request) => {
            const lines = all.filter(({ index }) => index >= request.index).map(({ line }) => line);
            const text = ["{}\n", ...lines].join("");
            const bytes = Buffer.from(inLines ? text : text.replaceAll("\n", ""));
            const [length, resets] = cuts[request.number - 1] ?? [bytes.length, undefined];
            request.begin();
            if (resets === undefined) {
              request.write(bytes);
            } else {
              request.socket.write(bytes.subarray(0, length), () =>
                resets ? request.reset() : request.end(),
              );
            }
          });
          const gaps: Gap[] = [];
          const events = await read(server.address, expected.length, { onGap: (gap) => gaps.push(gap) });
          assert.deepEqual(keysOf(events), expected);
          assert.deepEqual(gaps, []);
          stopServers();
        },
      ),
      { numRuns: 12 },
    );
  });

  it("reports a possible gap before the frame that follows it", async () => {
    const server = await startRawScheduler((request) => {
      request.begin();
      request.write(request.number === 1 ? frameLine(5) : frameLine(9));
      request.end();
    });
    const told: unknown[] = [];
    const following = { signal: new AbortController().signal, onGap: (gap: Gap) => told.push(gap) };
    for await (const { index } of followEvents(clientFor(server.address), following, instantClock)) {
      told.push(index);
      if (index === 9) {
        break;
      }
    }
    assert.deepEqual(told, [5, { after: 5, next: 9 }, 9]);
  });

  it("gives up a connection on which nothing comes, and tells so", async () => {
    const server = await startRawScheduler((request) => {
      request.begin();
      request.write(frameLine(request.number));
    });
    const reasons = new Set<string>();
    const options: Options = { idleMilliseconds: 30, onReconnect: ({ reason }) => reasons.add(reason) };
    await read(server.address, 3, options);
    assert.deepEqual([...reasons], ["the scheduler sent nothing for too long"]);
  });

  it("waits longer and longer for a scheduler that has gone, and goes on when it is back", async () => {
    const clock = impatientClock();
    const server = await startRawScheduler((request) => {
      if (request.number > 1 && request.number < 8) {
        request.reset();
        return;
      }
      request.begin();
      request.write(frameLine(request.number));
      request.end();
    });
    assert.deepEqual(keysOf(await read(server.address, 2, {}, clock)), ["n1", "n8"]);
    assert.deepEqual(clock.sleeps, [75, 75, 150, 300, 600, 1200, 2400]);
  });

  it("leaves nothing behind at the signal, however many connections there were", async () => {
    const { signal } = new AbortController();
    const server = await startRawScheduler((request) => {
      request.begin();
      request.write(frameLine(request.number));
      request.end();
    });
    const told: number[] = [];
    const onConnected = (): void => void told.push(getEventListeners(signal, "abort").length);
    await read(server.address, 30, { signal, onConnected }, instantClock);
    assert.ok(Math.max(...told) <= 1, String(told));
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  describe("gives up", () => {
    const refused = async (respond: (request: RawRequest) => void, options: Options = {}) => {
      const server = await startRawScheduler(respond);
      const error = await failure(reading(server.address, options));
      assert.ok(!error.message.includes("canary"), error.message);
      return { error, requests: server.requests.length };
    };
    const respondWith = (status: string, body: string) => (request: RawRequest) => {
      request.write(
        `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    };

    it("at once when it is refused, saying which rights it takes", async () => {
      const { error, requests } = await refused(respondWith("403 Forbidden", "Permission denied\n"), {
        topics: ["Node", "Job:web", "ACLToken"],
        namespace: "team",
      });
      assert.ok(ServiceError.isInstance(error));
      assert.equal(error.status, 403);
      assert.match(error.message, /Could not follow the scheduler's events: GET .*403: Permission denied\./);
      assert.match(error.message, /The token comes from a test\./);
      assert.match(
        error.message,
        /node:read for nodes; namespace:read-job in the namespace team .*; a management token for ACLToken\./,
      );
      assert.equal(requests, 1);
    });

    it("at once on 401, and on the 500 by which some schedulers refuse", async () => {
      for (const respond of [
        respondWith("401 Unauthorized", "ACL token not found"),
        respondWith("500 Internal Server Error", "Permission denied"),
      ]) {
        const { error, requests } = await refused(respond);
        assert.match(error.message, /requires a management token for all topics/);
        assert.equal(requests, 1);
      }
    });

    it("at once when a connection is refused that is to be resumed", async () => {
      const { error, requests } = await refused((request) => {
        if (request.number === 1) {
          request.begin();
          request.write(frameLine(1));
          request.end();
        } else {
          respondWith("403 Forbidden", "Permission denied")(request);
        }
      });
      assert.match(error.message, /403/);
      assert.equal(requests, 2);
    });

    it("after five connections that are closed at once without a byte, as newer schedulers refuse", async () => {
      const { error, requests } = await refused(
        (request) => {
          request.begin();
          request.end();
        },
        { topics: ["Job"] },
      );
      assert.match(error.message, /accepted several connections and closed each without a response/);
      assert.match(error.message, /namespace:read-job in the namespace default/);
      assert.equal(requests, 5);
    });

    it("at once on an HTTP version that does not exist, naming it", async () => {
      const { error, requests } = await refused((request) => {
        request.write("HTTP/0.0 200 OK\r\nContent-Type: application/json\r\n\r\n{}\n");
      });
      assert.ok(ConnectionError.isInstance(error));
      assert.match(error.message, /an HTTP version that does not exist/);
      assert.match(error.message, /1\.11\.2/);
      assert.equal(requests, 1);
    });

    it("at once on what is no stream of events", async () => {
      for (const [body, message] of [
        ["<html><body>Sign in</body></html>", /got an HTML page.*proxy/],
        ['{"Index":1,"Events":"canary"}', /Events of a frame to be a list/],
      ] as const) {
        const { error, requests } = await refused((request) => {
          request.begin();
          request.write(body);
          request.end();
        });
        assert.ok(ContractError.isInstance(error));
        assert.match(error.message, message);
        assert.equal(requests, 1);
      }
    });

    it("at once on an encoding that it has not asked for", async () => {
      const { error, requests } = await refused((request) => {
        request.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\ncanary");
      });
      assert.match(error.message, /content encoding, got gzip/);
      assert.equal(requests, 1);
    });

    it("on a frame that is too long, naming what raises the limit", async () => {
      const { error } = await refused(
        (request) => {
          request.begin();
          request.write(frameLine(1));
        },
        { maxFrameSize: 100 },
      );
      assert.match(error.message, /longer than 100 bytes.*maxFrameSize/);
    });

    it("after some attempts when there never was a connection", async () => {
      const port = await unusedPort();
      const told: number[] = [];
      const onReconnect = (): void => void told.push(1);
      const error = await failure(reading(`http://127.0.0.1:${port}`, { onReconnect }));
      assert.ok(ConnectionError.isInstance(error));
      assert.match(error.message, /Nothing is listening there/);
      assert.equal(told.length, 2);
    });
  });

  describe("ends at once without an error when it is aborted", () => {
    let abort: AbortController;
    beforeEach(() => {
      abort = new AbortController();
    });
    const follow = (address: string, options: Options = {}, clock = new ManualClock()) =>
      followEvents(clientFor(address), { signal: abort.signal, ...options }, clock);
    const closed = (request: RawRequest | undefined): Promise<void> =>
      until(() => request?.socket.destroyed ?? false);

    it("before it has begun", async () => {
      abort.abort();
      const server = await startRawScheduler(() => assert.fail("there was a request"));
      assert.deepEqual(await follow(server.address).next(), { done: true, value: undefined });
    });

    it("while it connects", async () => {
      const server = await startRawScheduler(() => abort.abort());
      assert.equal((await follow(server.address).next()).done, true);
      await closed(server.requests[0]);
    });

    it("while it waits for an event", async () => {
      const server = await startRawScheduler((request) => {
        request.begin();
        request.write("{}\n");
      });
      const next = follow(server.address, { onConnected: () => setImmediate(() => abort.abort()) }).next();
      assert.equal((await next).done, true);
      await closed(server.requests[0]);
    });

    it("while it waits to connect again", async () => {
      const clock = new ManualClock();
      const server = await startRawScheduler((request) => request.reset());
      const next = follow(
        server.address,
        { onReconnect: () => setImmediate(() => abort.abort()) },
        clock,
      ).next();
      assert.equal((await next).done, true);
      assert.equal(server.requests.length, 1);
      assert.equal(clock.asleep, 0);
    });

    it("in the middle of a backlog, and closes the connection even if nobody reads on", async () => {
      const server = await startRawScheduler((request) => {
        request.begin();
        request.write(Array.from({ length: 100 }, (_, index) => frameLine(index + 1)).join(""));
      });
      const frames = follow(server.address);
      assert.equal((await frames.next()).value?.index, 1);
      abort.abort();
      await closed(server.requests[0]);
      assert.equal((await frames.next()).done, true);
    });
  });

  it("closes the connection when it is left", async () => {
    const server = await startRawScheduler((request) => {
      request.begin();
      request.write(frameLine(1) + frameLine(2));
    });
    await read(server.address, 1);
    await until(() => server.requests[0]?.socket.destroyed ?? false);
  });
});

const chunk = new Uint8Array([1]);

/** A stream that gives a chunk whenever it is told to. */
function playedStream(): ResponseStream & { readonly give: () => void; readonly isClosed: () => boolean } {
  let wake = (): void => undefined;
  let closed = false;
  let chunks = 0;
  async function* body(): AsyncGenerator<Uint8Array> {
    for (;;) {
      while (chunks === 0 && !closed) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      if (closed) {
        return;
      }
      chunks -= 1;
      yield chunk;
    }
  }
  return {
    status: 200,
    headers: {},
    body: body(),
    close() {
      closed = true;
      wake();
    },
    give() {
      chunks += 1;
      wake();
    },
    isClosed: () => closed,
  };
}

describe("WatchedStream", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  it("gives what comes, as long as it comes in time", async () => {
    const stream = playedStream();
    const watched = new WatchedStream(stream, 1000);
    for (let count = 0; count < 5; count++) {
      const reading = watched.read();
      mock.timers.tick(999);
      stream.give();
      assert.equal(await reading, chunk);
    }
    assert.deepEqual([watched.isAlive, watched.isIdle, stream.isClosed()], [true, false, false]);
  });

  it("closes the stream when nothing comes in time", async () => {
    const stream = playedStream();
    const watched = new WatchedStream(stream, 1000);
    const reading = watched.read();
    mock.timers.tick(1000);
    assert.equal(await reading, undefined);
    assert.deepEqual([watched.isAlive, watched.isIdle, stream.isClosed()], [false, true, true]);
  });

  it("does not treat a slow reader as silence", async () => {
    const stream = playedStream();
    const watched = new WatchedStream(stream, 1000);
    stream.give();
    await watched.read();
    mock.timers.tick(100_000);
    const reading = watched.read();
    stream.give();
    assert.equal(await reading, chunk);
    assert.deepEqual([watched.isIdle, stream.isClosed()], [false, false]);
  });
});

describe("Batches", () => {
  async function* ofLists(...lists: readonly (readonly number[])[]) {
    for (const list of lists) {
      await Promise.resolve();
      yield list[Symbol.iterator]();
    }
  }

  it("hands out the items of all in their order", async () => {
    const items: number[] = [];
    for await (const item of new Batches(ofLists([1, 2], [], [3]))) {
      items.push(item);
    }
    assert.deepEqual(items, [1, 2, 3]);
  });

  it("answers calls that do not wait for each other in their order, and each item once", async () => {
    const batches = new Batches(ofLists([1, 2], [3]));
    const responses = await Promise.all(Array.from({ length: 5 }, () => batches.next()));
    assert.deepEqual(
      responses.map(({ done, value }) => (done === true ? "end" : value)),
      [1, 2, 3, "end", "end"],
    );
  });

  it("throws an error of an iterator where the generator has yielded it, after the items before", async () => {
    const seen: unknown[] = [];
    function* failing() {
      yield 1;
      throw new Error("broken");
    }
    async function* generator() {
      try {
        yield failing();
      } catch (error) {
        seen.push((error as Error).message);
      }
      await Promise.resolve();
      yield [2][Symbol.iterator]();
    }
    for await (const item of new Batches(generator())) {
      seen.push(item);
    }
    assert.deepEqual(seen, [1, "broken", 2]);
  });

  it("ends the generator when it is left, and yields no more", async () => {
    let ended = false;
    async function* generator() {
      try {
        await Promise.resolve();
        yield [1, 2][Symbol.iterator]();
      } finally {
        ended = true;
      }
    }
    const batches = new Batches(generator());
    assert.equal((await batches.next()).value, 1);
    await batches.return();
    assert.ok(ended);
    assert.deepEqual(await batches.next(), { done: true, value: undefined });
  });
});
