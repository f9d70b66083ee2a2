import assert from "node:assert/strict";
import { ConfigurationError, InputError } from "../../sdk/base/errors";
import {
  type Event,
  events,
  readEvents,
  type ReadUntil,
  streamEvents,
  waitForEvent,
} from "../../sdk/scheduler";
import { SeenEvents } from "../../sdk/scheduler/await-event";
import { readFrame } from "../../sdk/scheduler/decoder";
import type { StreamOptions } from "../../sdk/scheduler/options";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { stopServers } from "../http/server";
import { warningsOf } from "../resource/mocks";
import { useEmulator } from "../support/use-emulator";
import { until } from "../testing/call";
import { frameLine, startRawScheduler, wireEvent, wireFrame } from "./raw-scheduler";

describe("functions that follow events", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);
  afterEach(stopServers);
  afterEach(() => until(() => emulator.inspect().scheduler.subscriptions.length === 0));

  const connected = (): Promise<void> => until(() => emulator.inspect().scheduler.subscriptions.length === 1);
  const emit = (key: string, more: object = {}): void =>
    void emulator.events.emit({ topic: "Job", type: "JobRegistered", key, ...more });
  const node = (key: string, payload = {}) => ({ topic: "Node", type: "NodeRegistration", key, payload });
  const first = async (options: StreamOptions = {}): Promise<string[]> => {
    for await (const frame of streamEvents(options)) {
      return frame.events.map(({ key }) => key);
    }
    return [];
  };

  it("streamEvents returns the frames in the scheduler's buffer, then new ones", async () => {
    emulator.events.emit(node("n1"));
    emulator.events.emit([node("n2"), { topic: "Job", type: "JobRegistered", key: "web" }]);
    const stream = streamEvents();
    const next = async () => (await stream.next()).value;
    const event = { topic: "Node", type: "NodeRegistration", namespace: "", filterKeys: null, payload: {} };
    assert.deepEqual(await next(), { index: 1, events: [{ ...event, key: "n1", index: 1 }] });
    assert.equal((await next())?.events[1]?.namespace, "default");
    emulator.events.emit(node("n3"));
    assert.equal((await next())?.events[0]?.key, "n3");
    await stream.return?.();
  });

  it("streamEvents has a payload type for each topic", async () => {
    /** Compiles only if the topic determines the payload. */
    type Reader<Topic> = (payload: (Event & { readonly topic: Topic })["payload"]) => unknown;
    type Topic = "Node" | "NodeDrain" | "ACLAuthMethod" | "Job" | "HostVolume" | "Variable" | "Operator";
    const named: { readonly [Each in Topic]: Reader<Each> } = {
      Node: ({ Node }) => Node.Name,
      NodeDrain: ({ Node }) => Node.Name,
      ACLAuthMethod: ({ AuthMethod }) => AuthMethod.Name,
      Job: ({ Job, Deleted }) => Deleted === true && Job.ID,
      HostVolume: ({ Volume }) => Volume.PluginID,
      Variable: ({ Metadata, Deleted }) => Deleted && Metadata.Path,
      Operator: ({ UtilizationSnapshot }) => UtilizationSnapshot,
    };
    emulator.events.emit(node("n1", { Node: { Name: "first" } }));
    for await (const event of events({ topics: ["Node"] })) {
      assert.equal(event.topic === "Node" && named.Node(event.payload), "first");
      break;
    }
  });

  it("streamEvents accepts topics, a namespace and an index", async () => {
    const deployment = { topic: "Deployment", type: "DeploymentStatusUpdate", namespace: "team" };
    emulator.events.emit(node("n1"));
    emulator.events.emit({ ...deployment, key: "d1", filterKeys: ["web"] });
    emulator.events.emit({ ...deployment, key: "d2", filterKeys: ["api"] });
    assert.deepEqual(await first({ topics: ["Deployment:api"], namespace: "*" }), ["d2"]);
    assert.deepEqual(await first({ topics: ["Deployment:*", "Node:x"], namespace: "team" }), ["d1"]);
    assert.deepEqual(await first({ index: 3, namespace: "*" }), ["d2"]);
  });

  it("streamEvents ends without an error when its signal is aborted", async () => {
    const abort = new AbortController();
    emulator.events.emit([node("n1"), node("n2")]);
    const keys: string[] = [];
    for await (const { key } of events({ signal: abort.signal })) {
      keys.push(key);
      abort.abort();
    }
    assert.deepEqual(keys, ["n1"]);
  });

  for (const follow of [streamEvents, events]) {
    it(`${follow.name} ends when it is left: before its first request, while it waits, or after it failed without an address`, async () => {
      const unused = follow();
      await unused.return?.();
      assert.equal((await unused.next()).done, true);
      assert.equal(emulator.journal.count(), 0);
      const stream = follow();
      const next = stream.next();
      await connected();
      await stream.return?.();
      assert.deepEqual([(await next).done, (await stream.next()).done], [true, true]);
      Reflect.deleteProperty(process.env, "SCHEDULER_ADDR");
      const failed = follow();
      const error = await failure(failed.next());
      assert.ok(ConfigurationError.isInstance(error));
      assert.match(error.message, /trivium:schedulerAddress.*SCHEDULER_ADDR/);
      assert.equal((await failed.return?.())?.done, true);
    });
  }

  it("streamEvents uses the namespace from its options, else from the environment, and otherwise does not send one", async () => {
    emit("a");
    emit("b", { namespace: "team" });
    assert.deepEqual(await first(), ["a"]);
    process.env.SCHEDULER_NAMESPACE = "team";
    assert.deepEqual(await first(), ["b"]);
    assert.deepEqual(await first({ namespace: "default" }), ["a"]);
    const namespaces = emulator.journal.requests().map(({ query }) => query.namespace);
    assert.deepEqual(namespaces, [undefined, "team", "default"]);
  });

  const emitAll = (): void => {
    emulator.events.emit(["n1", "n2", "n3"].map((key) => node(key)));
    emit("web");
  };
  const keys = async (limits: ReadUntil, more: object = {}): Promise<string[]> =>
    (await readEvents({ until: limits, ...more })).map(({ key }) => key);

  const all = ["n1", "n2", "n3", "web"];
  const reads: readonly [string, ReadUntil, object, string[]][] = [
    [
      "exactly the requested number of events, even if one frame contains more",
      { count: 2 },
      {},
      ["n1", "n2"],
    ],
    ["the requested number of frames", { count: 4 }, {}, all],
    ["the available events until no more arrive", { idle: "0.2s" }, {}, all],
    ["the available events of a topic", { idle: 0.2 }, { topics: ["Job"] }, ["web"]],
    ["none if none arrives", { idle: 0.1 }, { topics: ["Deployment"] }, []],
    ["for the requested time", { timeout: "0.3s" }, {}, all],
    ["until the first of several limits", { count: 1, idle: "10m", timeout: "1h" }, {}, ["n1"]],
  ];
  for (const [title, limits, more, expected] of reads) {
    it(`readEvents reads ${title}`, async () => {
      emitAll();
      assert.deepEqual(await keys(limits, more), expected);
    });
  }

  it("readEvents begins to count idle time once there is a connection", async () => {
    emitAll();
    emulator.faults.add({ service: "scheduler", drop: "before", times: 2 });
    assert.deepEqual(await keys({ idle: 0.05 }, { topics: ["Job"], maxRetries: 5 }), ["web"]);
  });

  it("readEvents continues until there is a connection, and then counts a lost one as idle time", async () => {
    const { address, requests } = await startRawScheduler((request) => {
      if (request.number === 3) {
        request.write(frameLine(1));
      }
    });
    const patience = { address, token: "of-a-test", requestTimeout: "50ms", maxRetries: 0 };
    assert.deepEqual(await keys({ count: 1 }, patience), ["n1"]);
    assert.equal(requests.length, 3);
    assert.deepEqual(await keys({ idle: "0.1s" }, patience), []);
    assert.equal(requests.length, 5);
  });

  it("a program receives the nearest number for an index or payload above 2^53, and the stream resumes from the exact index", async () => {
    const line = (index: string): string =>
      `{"Index":${index},"Events":[{"Topic":"Job","Type":"T","Key":"k${index.slice(-2)}","Index":${index},"Payload":{"Job":{"Time":1764365501123456789}}}]}\n`;
    const server = await startRawScheduler((request) => {
      request.write(line("9007199254740993"));
      if (request.number === 1) {
        request.end();
      } else {
        request.write(line("9007199254740994") + line("9007199254740995"));
      }
    });
    const read = await readEvents({ address: server.address, token: "of-a-test", until: { count: 3 } });
    const shown = read.map(({ index, key, payload }) => [key, index, payload]);
    const payload = { Job: { Time: Number("1764365501123456789") } };
    assert.deepEqual(shown, [
      ["k93", Number("9007199254740993"), payload],
      ["k94", Number("9007199254740994"), payload],
      ["k95", Number("9007199254740995"), payload],
    ]);
    assert.match(server.requests[1]?.head ?? "", /index=9007199254740993 /);
  });

  for (const [call, what] of [
    [(signal) => readEvents({ signal, until: { count: 1 } }), "reading events, after 0 events"],
    [(signal) => waitForEvent({ signal, match: { key: "b" } }), 'waiting for an event with key "b"'],
  ] as readonly (readonly [(signal: AbortSignal) => Promise<unknown>, string])[]) {
    it(`a function that is aborted fails: Canceled while ${what}`, async () => {
      const abort = new AbortController();
      const ended = failure(call(abort.signal));
      await connected();
      abort.abort();
      assert.equal((await ended).message, `Canceled while ${what}.`);
    });
  }

  it("waitForEvent returns the first earlier or new event that matches or for which a function returns true", async () => {
    emit("api");
    emit("web", { type: "JobDeregistered" });
    const match = { topic: "Job", type: "JobRegistered", key: "web", namespace: "default" };
    const waiting = waitForEvent({ topics: ["Job"], match });
    await connected();
    emit("web", { payload: { Job: { Name: "web" } } });
    const { index, payload } = await waiting;
    assert.deepEqual([index, payload], [3, { Job: { Name: "web" } }]);
    assert.equal((await waitForEvent({ match })).index, 3);
    assert.equal((await waitForEvent({})).key, "api");
    assert.equal((await waitForEvent()).key, "api");
    assert.equal((await waitForEvent({ match: ({ type }) => type === "JobDeregistered" })).index, 2);
  });

  it("waitForEvent reports after its time limit which other events arrived, without their payloads", async () => {
    emulator.events.emit({ topic: "Node", type: "NodeEvent", key: "n1" });
    emit("api", { payload: { Job: { Env: "canary" } } });
    emit("api");
    const { message } = await failure(
      waitForEvent({ match: { topic: "Job", key: 'we"b' }, timeout: "0.3s" }),
    );
    assert.equal(
      message,
      'Timed out after 0.3 s waiting for an event with topic "Job" and key "we\\"b". Seen in the meantime: 3 events ' +
        '(2 Job/JobRegistered, 1 Node/NodeEvent); the last: Node/NodeEvent "n1" at 1, ' +
        'Job/JobRegistered "api" in default at 2, Job/JobRegistered "api" in default at 3.',
    );
  });

  it("waitForEvent reports after its time limit that no event arrived, and what went wrong", async () => {
    const waiting = failure(waitForEvent({ topics: ["Job"], match: () => false, timeout: 0.5 }));
    await connected();
    emulator.faults.add({ service: "scheduler", drop: "before", times: 1000 });
    emulator.events.disconnect();
    const nothing =
      /^Timed out after 0\.5 s waiting for an event that matches\. No other event was seen in the meantime\. The connection was interrupted; the last reason: /;
    assert.match((await waiting).message, nothing);
  });

  it("waitForEvent warns at once about an undocumented topic, but still waits", async () => {
    let waiting: Promise<Event> | undefined;
    const warnings = await warningsOf(async () => {
      waiting = waitForEvent({ topics: ["Jobs", "Job"] });
      await connected();
    });
    const undocumented =
      /^scheduler\.waitForEvent: topics has a topic that the scheduler does not document.* expected one of .*Job.*$/;
    assert.match(warnings.join("\n"), undocumented);
    emit("web");
    assert.equal((await waiting)?.key, "web");
  });

  const calls = {
    streamEvents: (options: object) => streamEvents(options).next(),
    readEvents: (options: object) => readEvents(options as Parameters<typeof readEvents>[0]),
    waitForEvent: (options: object) => waitForEvent(options),
  };
  const wrong: readonly [keyof typeof calls, object, RegExp][] = [
    ["streamEvents", { topic: ["Node"] }, /has no member "topic"/],
    ["streamEvents", { topics: [] }, /topics must name at least one topic/],
    ["streamEvents", { topics: ["Node", ":a"] }, /topics\[1\] must be a topic/],
    ["streamEvents", { index: -1 }, /index must be at least 0/],
    ["streamEvents", { index: "5" }, /index must be a number, not a string/],
    ["streamEvents", { namespace: "" }, /namespace must not be empty/],
    ["streamEvents", { idleTimeout: "soon" }, /idleTimeout must be a duration/],
    ["streamEvents", { idleTimeout: 0 }, /idleTimeout must be greater than 0/],
    ["streamEvents", { maxFrameSize: 0 }, /maxFrameSize must be at least 1/],
    ["streamEvents", { signal: {} }, /signal must be an AbortSignal/],
    ["streamEvents", { onGap: true }, /onGap must be a function/],
    ["streamEvents", { token: 5 }, /token must be a string, not a number/],
    ["streamEvents", { provider: {} }, /`provider` must be a trivium\.Provider/],
    ["readEvents", {}, /until is required/],
    ["readEvents", { until: {} }, /until must have `count`, `idle` or `timeout`/],
    ["readEvents", { until: { count: 0 } }, /until\.count must be at least 1/],
    ["readEvents", { until: { idle: "now" } }, /until\.idle must be a duration/],
    ["readEvents", { until: { counts: 1 } }, /until has no member "counts"/],
    ["waitForEvent", { match: "web" }, /match must be a function, or an object with topic/],
    ["waitForEvent", { match: { topics: ["Job"] } }, /match has no member "topics"/],
    ["waitForEvent", { timeout: -1 }, /timeout must be a duration/],
  ];
  for (const [name, options, message] of wrong) {
    it(`a function that follows events rejects ${JSON.stringify(options)}: ${name}`, async () => {
      const error = await failure(calls[name](options));
      assert.ok(InputError.isInstance(error));
      assert.ok(error.message.startsWith(`scheduler.${name}: `), error.message);
      assert.match(error.message, message);
    });
  }
});

it("the summary of a wait includes gaps and interruptions, and is limited in length, whatever the names are", () => {
  const sightings = new SeenEvents();
  const see = (index: number, members: Readonly<Record<string, unknown>>): void =>
    readFrame(wireFrame(index, [wireEvent(index, members)]))?.events.forEach((event) => sightings.add(event));
  sightings.gap = { after: 3, next: 9 };
  sightings.interruption = "the scheduler sent nothing for too long";
  assert.equal(sightings.summary, "no other seen");
  assert.equal(
    sightings.describe(),
    "No other event was seen in the meantime. Events between the indexes 3 and 9 might have been missed. " +
      "The connection was interrupted; the last reason: the scheduler sent nothing for too long.",
  );
  const long = "x".repeat(100_000);
  see(1, { Topic: long, Type: long, Key: long, Namespace: long });
  assert.ok(sightings.summary.length < 1_000);
  for (let index = 2; index <= 3_000; index++) {
    see(index, { Type: `Type${index}` });
  }
  assert.equal(sightings.summary, '3000 events seen, the last Node/Type3000 "n3000" at 3000');
  const found = sightings.describe();
  assert.match(found, /^Seen in the meantime: 3000 events \(1 x+.* 1 Node\/Type10, 2990 of other types\)/);
  assert.ok(found.length < 2_000);
});
