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

describe("streamEvents", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);
  afterEach(() => until(() => emulator.inspect().scheduler.subscriptions.length === 0));

  const node = (key: string, payload = {}) => ({ topic: "Node", type: "NodeRegistration", key, payload });
  const first = async (options: StreamOptions = {}): Promise<string[]> => {
    for await (const frame of streamEvents(options)) {
      return frame.events.map(({ key }) => key);
    }
    return [];
  };

  it("streamEvents returns the frames in the scheduler's buffer, then new ones", async () => {
    emulator.events.emit(node("n1"));
    emulator.events.emit([
      node("n2"),
      { topic: "Job", type: "JobRegistered", key: "web", filterKeys: ["web"] },
    ]);
    const stream = streamEvents();
    const next = async () => (await stream.next()).value;
    const event = { topic: "Node", type: "NodeRegistration", namespace: "", filterKeys: null, payload: {} };
    assert.deepEqual(await next(), { index: 1, events: [{ ...event, key: "n1", index: 1 }] });
    assert.equal((await next())?.events[1]?.namespace, "default");
    emulator.events.emit(node("n3"));
    assert.equal((await next())?.events[0]?.key, "n3");
    await stream.return?.();
  });

  it("streamEvents asks for JSON without a body", async () => {
    emulator.events.emit(node("n1"));
    await first();
    const [request] = emulator.journal.requests();
    assert.equal(request?.method, "GET");
    assert.equal(request.body, null);
    assert.match(request.headers.accept ?? "", /\bapplication\/json\b/);
    assert.equal(request.headers["content-type"], undefined);
  });

  it("streamEvents gives the registration of a node as an event of Node, with the node", async () => {
    const Node = { ID: "n1", Status: "initializing", SchedulingEligibility: "eligible" };
    emulator.events.emit(node("n1", { Node }));
    for await (const { topic, type, payload } of events({ topics: ["Node"] })) {
      assert.deepEqual([topic, type, payload], ["Node", "NodeRegistration", { Node }]);
      break;
    }
  });

  it("streamEvents tells the compiler the payload of each topic", async () => {
    const payloads: readonly [topic: string, payload: Readonly<Record<string, object | boolean>>][] = [
      ["ACLToken", { ACLToken: { AccessorID: "of ACLToken" } }],
      ["ACLPolicy", { ACLPolicy: { Name: "of ACLPolicy" } }],
      ["ACLRole", { ACLRole: { ID: "of ACLRole" } }],
      ["ACLAuthMethod", { AuthMethod: { Name: "of ACLAuthMethod" } }],
      ["ACLBindingRule", { ACLBindingRule: { AuthMethod: "of ACLBindingRule" } }],
      ["Job", { Job: { ID: "of Job" }, Deleted: true }],
      ["Evaluation", { Evaluation: { JobID: "of Evaluation" } }],
      ["Allocation", { Allocation: { ClientStatus: "of Allocation" } }],
      ["Deployment", { Deployment: { Status: "of Deployment" } }],
      ["Service", { Service: { ServiceName: "of Service" } }],
      ["NodePool", { NodePool: { Name: "of NodePool" } }],
      ["HostVolume", { Volume: { PluginID: "of HostVolume" } }],
      ["CSIVolume", { Volume: { ExternalID: "of CSIVolume" } }],
      ["CSIPlugin", { Plugin: { Provider: "of CSIPlugin" } }],
      ["Variable", { Metadata: { Path: "of Variable" }, Deleted: false }],
    ];
    /** Compiles only if the topic determines the payload. */
    const named = (event: Event): readonly [string, boolean?] => {
      switch (event.topic) {
        case "Node":
        case "NodeDrain":
          return [event.payload.Node.Name];
        case "ACLToken":
          return [event.payload.ACLToken.AccessorID];
        case "ACLPolicy":
          return [event.payload.ACLPolicy.Name];
        case "ACLRole":
          return [event.payload.ACLRole.ID];
        case "ACLAuthMethod":
          return [event.payload.AuthMethod.Name];
        case "ACLBindingRule":
          return [event.payload.ACLBindingRule.AuthMethod];
        case "Job":
          return [event.payload.Job.ID, event.payload.Deleted];
        case "Evaluation":
          return [event.payload.Evaluation.JobID];
        case "Allocation":
          return [event.payload.Allocation.ClientStatus];
        case "Deployment":
          return [event.payload.Deployment.Status];
        case "Service":
          return [event.payload.Service.ServiceName];
        case "NodePool":
          return [event.payload.NodePool.Name];
        case "HostVolume":
          return [event.payload.Volume.PluginID];
        case "CSIVolume":
          return [event.payload.Volume.ExternalID];
        case "CSIPlugin":
          return [event.payload.Plugin.Provider];
        case "Variable":
          return [event.payload.Metadata.Path, event.payload.Deleted];
        case "Operator":
          return [typeof event.payload.UtilizationSnapshot];
      }
    };
    payloads.forEach(([topic, payload]) => emulator.events.emit({ topic, type: "X", key: "k", payload }));
    const read = await readEvents({ index: 1, until: { count: payloads.length } });
    assert.deepEqual(
      read.map((event) => named(event)),
      payloads.map(([topic, { Deleted }]) => [`of ${topic}`, ...(Deleted === undefined ? [] : [Deleted])]),
    );
  });

  it("streamEvents takes topics, a namespace and an index", async () => {
    const deployment = { topic: "Deployment", type: "DeploymentStatusUpdate", namespace: "team" };
    emulator.events.emit(node("n1"));
    emulator.events.emit({ ...deployment, key: "d1", filterKeys: ["web"] });
    emulator.events.emit({ ...deployment, key: "d2", filterKeys: ["api"] });
    assert.deepEqual(await first({ topics: ["Deployment:api"], namespace: "*" }), ["d2"]);
    assert.deepEqual(await first({ topics: ["Deployment:*", "Node:x"], namespace: "team" }), ["d1"]);
    assert.deepEqual(await first({ index: 3, namespace: "*" }), ["d2"]);
  });

  it("streamEvents reads frames without line breaks as well", async () => {
    emulator.events.framing = "concatenated";
    emulator.events.emit(node("n1"));
    assert.deepEqual(await first(), ["n1"]);
  });

  it("streamEvents reports a gap when the scheduler holds only later events than the next", async () => {
    emulator.events.emit(node("n1"));
    const gaps: unknown[] = [];
    const stream = events({ onGap: (gap) => gaps.push(gap) });
    await stream.next();
    const refusal = emulator.faults.add({ service: "scheduler", refuse: true });
    // The scheduler holds a hundred events.
    for (let number = 2; number <= 103; number++) {
      emulator.events.emit(node(`n${number}`));
    }
    refusal.remove();
    assert.equal((await stream.next()).value?.key, "n4");
    assert.deepEqual(gaps, [{ after: 1, next: 4 }]);
    await stream.return?.();
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

  for (const [name, follow] of [
    ["streamEvents", streamEvents],
    ["events", events],
  ] as const) {
    it(`streamEvents ends when it is left while it waits: ${name}`, async () => {
      const stream = follow();
      const next = stream.next();
      await until(() => emulator.inspect().scheduler.subscriptions.length === 1);
      await stream.return?.();
      assert.deepEqual([(await next).done, (await stream.next()).done], [true, true]);
    });

    it(`streamEvents ends without a request when it is left before it has begun: ${name}`, async () => {
      const stream = follow();
      await stream.return?.();
      assert.equal((await stream.next()).done, true);
      assert.equal(emulator.journal.count(), 0);
    });

    it(`streamEvents fails before a request without an address, and can be left then: ${name}`, async () => {
      Reflect.deleteProperty(process.env, "SCHEDULER_ADDR");
      const stream = follow();
      const error = await failure(stream.next());
      assert.ok(ConfigurationError.isInstance(error));
      assert.match(error.message, /trivium:schedulerAddress.*SCHEDULER_ADDR/);
      assert.equal((await stream.return?.())?.done, true);
    });
  }

  it("streamEvents takes the namespace of the environment unless it is given another, and names none without either", async () => {
    emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "a", namespace: "default" });
    emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "b", namespace: "team" });
    assert.deepEqual(await first(), ["a"]);
    process.env.SCHEDULER_NAMESPACE = "team";
    assert.deepEqual(await first(), ["b"]);
    assert.deepEqual(await first({ namespace: "default" }), ["a"]);
    const namespaces = emulator.journal.requests().map(({ query }) => query.namespace);
    assert.deepEqual(namespaces, [undefined, "team", "default"]);
  });
});

describe("readEvents", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);
  beforeEach(() => {
    emulator.events.emit(
      [1, 2, 3].map((number) => ({ topic: "Node", type: "NodeEvent", key: `n${number}` })),
    );
    emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "web" });
  });
  afterEach(stopServers);
  afterEach(() => until(() => emulator.inspect().scheduler.subscriptions.length === 0));

  const keys = async (limits: ReadUntil, more: object = {}): Promise<string[]> =>
    (await readEvents({ until: limits, ...more })).map(({ key }) => key);

  const all = ["n1", "n2", "n3", "web"];
  const reads: readonly [string, ReadUntil, object, string[]][] = [
    ["so many, and not one more, also when they come in one frame", { count: 2 }, {}, ["n1", "n2"]],
    ["so many frames", { count: 4 }, {}, all],
    ["the available events until no more arrive", { idle: "0.2s" }, {}, all],
    ["the available events of a topic", { idle: 0.2 }, { topics: ["Job"] }, ["web"]],
    ["none if none arrives", { idle: 0.1 }, { topics: ["Deployment"] }, []],
    ["for so long", { timeout: "0.3s" }, {}, all],
    ["until whatever comes first", { count: 1, idle: "10m", timeout: "1h" }, {}, ["n1"]],
  ];
  for (const [title, limits, more, expected] of reads) {
    it(`readEvents reads ${title}`, async () => {
      assert.deepEqual(await keys(limits, more), expected);
    });
  }

  it("readEvents begins to wait for silence when there is a connection", async () => {
    emulator.faults.add({ service: "scheduler", drop: "before", times: 2 });
    assert.deepEqual(await keys({ idle: 0.05 }, { topics: ["Job"], maxRetries: 5 }), ["web"]);
  });

  const patience = { token: "of-a-test", requestTimeout: "50ms", maxRetries: 0 };

  it("readEvents goes on until there is one", async () => {
    const { address, requests } = await startRawScheduler((request) => {
      if (request.number === 3) {
        request.begin();
        request.write(frameLine(1));
      }
    });
    assert.deepEqual(await keys({ count: 1 }, { address, ...patience }), ["n1"]);
    assert.equal(requests.length, 3);
  });

  it("readEvents treats the lack of one as silence", async () => {
    const { address, requests } = await startRawScheduler(() => undefined);
    assert.deepEqual(await keys({ idle: "0.1s" }, { address, ...patience }), []);
    assert.equal(requests.length, 2);
  });

  it("readEvents fails when it is aborted", async () => {
    const abort = new AbortController();
    const reading = failure(readEvents({ until: { count: 100 }, signal: abort.signal }));
    await until(() => emulator.inspect().scheduler.subscriptions.length === 1);
    abort.abort();
    assert.match((await reading).message, /Cancelled while reading events, after/);
  });
});

describe("waitForEvent", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);
  afterEach(() => until(() => emulator.inspect().scheduler.subscriptions.length === 0));

  const connected = (): Promise<void> => until(() => emulator.inspect().scheduler.subscriptions.length === 1);
  const emit = (key: string, more: object = {}): void =>
    void emulator.events.emit({ topic: "Job", type: "JobRegistered", key, ...more });

  it("waitForEvent gives the first event that matches, of those that were and those that come", async () => {
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
  });

  it("waitForEvent asks a function whether an event is the one", async () => {
    emit("api");
    emit("web");
    const isWeb = ({ key }: Event): boolean => key === "web";
    assert.equal((await waitForEvent({ match: isWeb })).key, "web");
  });

  it("waitForEvent says after the time what came instead, and nothing of what it held", async () => {
    emit("api", { payload: { Job: { Env: "canary" } } });
    emit("api");
    emulator.events.emit({ topic: "Node", type: "NodeEvent", key: "n1" });
    const error = await failure(waitForEvent({ match: { topic: "Job", key: 'we"b' }, timeout: "0.3s" }));
    assert.equal(
      error.message,
      'Timed out after 0.3 s waiting for an event with topic "Job" and key "we\\"b". Seen in the meantime: 3 events ' +
        '(2 Job/JobRegistered, 1 Node/NodeEvent); the last: Job/JobRegistered "api" in default at 1, ' +
        'Job/JobRegistered "api" in default at 2, Node/NodeEvent "n1" at 3.',
    );
  });

  it("waitForEvent says after the time that nothing came, and what was in the way", async () => {
    const waiting = failure(waitForEvent({ topics: ["Job"], match: () => false, timeout: 0.5 }));
    await connected();
    emulator.faults.add({ service: "scheduler", drop: "before", times: 1000 });
    emulator.events.disconnect();
    const { message } = await waiting;
    assert.match(
      message,
      /^Timed out after 0\.5 s waiting for an event that matches\. No other event was seen in the meantime\./,
    );
    assert.match(message, /The connection was interrupted; the last reason: /);
  });

  it("waitForEvent warns at once of a topic that is none of the documented ones, and waits all the same", async () => {
    let waiting: Promise<Event> | undefined;
    const warnings = await warningsOf(async () => {
      waiting = waitForEvent({ topics: ["Jobs", "Job"] });
      await connected();
    });
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? "",
      /scheduler\.waitForEvent: topics has a topic that the scheduler does not document.* expected one of .*Job/,
    );
    emit("web");
    assert.equal((await waiting)?.key, "web");
  });

  it("waitForEvent fails when it is aborted", async () => {
    const abort = new AbortController();
    const waiting = failure(waitForEvent({ match: { key: "web" }, signal: abort.signal }));
    await connected();
    abort.abort();
    assert.match((await waiting).message, /^Cancelled while waiting for an event with key "web"\.$/);
  });
});

describe("a function that follows events", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);

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
    it(`a function that follows events refuses ${JSON.stringify(options)}: ${name}`, async () => {
      const error = await failure(calls[name](options));
      assert.ok(InputError.isInstance(error));
      assert.ok(error.message.startsWith(`scheduler.${name}: `), error.message);
      assert.match(error.message, message);
    });
  }
});

describe("Sightings", () => {
  let sightings: SeenEvents;
  beforeEach(() => {
    sightings = new SeenEvents();
  });
  const see = (index: number, members: Readonly<Record<string, unknown>> = {}): void =>
    readFrame(wireFrame(index, [wireEvent(index, members)]))?.events.forEach((event) => sightings.add(event));

  it("sightings count by topic and type, the most frequent first, and name the last three", () => {
    see(1, { Payload: { Node: { Meta: { password: "canary" } } } });
    [2, 3, 4].forEach((index) => see(index, { Topic: "Job", Type: "JobRegistered", Namespace: "team" }));
    assert.equal(sightings.summary, '4 events seen, the last Job/JobRegistered "n4" in team at 4');
    assert.equal(
      sightings.describe(),
      "Seen in the meantime: 4 events (3 Job/JobRegistered, 1 Node/NodeRegistration); the last: " +
        'Job/JobRegistered "n2" in team at 2, Job/JobRegistered "n3" in team at 3, Job/JobRegistered "n4" in team at 4.',
    );
  });

  it("sightings are short and limited in number, whatever the names are", () => {
    const long = "x".repeat(100_000);
    see(1, { Topic: long, Type: long, Key: long, Namespace: long });
    assert.ok(sightings.summary.length < 1_000);
    for (let index = 2; index <= 3_000; index++) {
      see(index, { Type: `Type${index}` });
    }
    const found = sightings.describe();
    assert.match(found, /^Seen in the meantime: 3000 events \(1 x+.* 1 Node\/Type10, 2990 of other types\)/);
    assert.ok(sightings.describe().length < 2_000);
  });

  it("sightings report gaps and interruptions", () => {
    sightings.gap = { after: 3, next: 9 };
    sightings.interruption = "the scheduler sent nothing for too long";
    assert.equal(sightings.summary, "no other seen");
    assert.equal(
      sightings.describe(),
      "No other event was seen in the meantime. Events between the indexes 3 and 9 may have been missed. " +
        "The connection was interrupted; the last reason: the scheduler sent nothing for too long.",
    );
  });
});
