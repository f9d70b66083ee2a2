import assert from "node:assert/strict";
import { ConfigurationError, InputError, ServiceError } from "../../sdk/base/errors";
import { events, streamEvents } from "../../sdk/scheduler";
import type { StreamOptions } from "../../sdk/scheduler/stream-options";
import { type Emulator, startEmulator } from "../../sdk/testing";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { until } from "../testing/call";
import { endable } from "../../sdk/scheduler/functions";

describe("streamEvents", () => {
  useEnvironment(() => ({}));

  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startEmulator();
  });
  afterEach(async () => emulator.close());

  const node = (key: string) => ({ topic: "Node", type: "NodeRegistration", key });
  const connection = (): StreamOptions => {
    const { address, token } = emulator.scheduler;
    return { address, token };
  };
  const first = async (options: StreamOptions): Promise<string[]> => {
    for await (const frame of streamEvents(options)) {
      return frame.events.map(({ key }) => key);
    }
    return [];
  };

  it("gives the frames that the scheduler holds, then those that come", async () => {
    emulator.events.emit(node("n1"));
    emulator.events.emit([
      node("n2"),
      { topic: "Job", type: "JobRegistered", key: "web", filterKeys: ["web"] },
    ]);
    const stream = streamEvents(connection());
    const next = async () => (await stream.next()).value;
    assert.deepEqual(await next(), {
      index: 1,
      events: [
        {
          topic: "Node",
          type: "NodeRegistration",
          key: "n1",
          namespace: "",
          filterKeys: null,
          index: 1,
          payload: {},
        },
      ],
    });
    assert.equal((await next())?.events[1]?.namespace, "default");
    emulator.events.emit({ ...node("n3"), payload: { Node: { ID: "n3", Unheard: 1 } } });
    const event = (await next())?.events[0];
    assert.ok(event?.topic === "Node");
    assert.deepEqual([event.payload.Node.ID, event.payload.Node.Unheard], ["n3", 1]);
    await stream.return?.();
  });

  it("asks for JSON without a body", async () => {
    emulator.events.emit(node("n1"));
    await first(connection());
    const [request] = emulator.journal.requests();
    assert.equal(request?.method, "GET");
    assert.equal(request.body, null);
    assert.match(request.headers.accept ?? "", /\bapplication\/json\b/);
    assert.equal(request.headers["content-type"], undefined);
  });

  it("gives the registration of a node as an event of Node, with the node", async () => {
    emulator.events.emit({
      ...node("n1"),
      payload: { Node: { ID: "n1", Status: "initializing", SchedulingEligibility: "eligible" } },
    });
    for await (const { topic, type, payload } of events({ ...connection(), topics: ["Node"] })) {
      assert.deepEqual([topic, type], ["Node", "NodeRegistration"]);
      assert.deepEqual(payload, {
        Node: { ID: "n1", Status: "initializing", SchedulingEligibility: "eligible" },
      });
      break;
    }
  });

  it("takes topics, a namespace and an index", async () => {
    emulator.events.emit(node("n1"));
    emulator.events.emit({
      topic: "Deployment",
      type: "DeploymentStatusUpdate",
      key: "d1",
      namespace: "team",
      filterKeys: ["web"],
    });
    emulator.events.emit({
      topic: "Deployment",
      type: "DeploymentStatusUpdate",
      key: "d2",
      namespace: "team",
      filterKeys: ["api"],
    });
    assert.deepEqual(await first({ ...connection(), topics: ["Deployment:api"], namespace: "*" }), ["d2"]);
    assert.deepEqual(
      await first({ ...connection(), topics: ["Deployment:*", "Node:x"], namespace: "team" }),
      ["d1"],
    );
    assert.deepEqual(await first({ ...connection(), index: 3, namespace: "*" }), ["d2"]);
  });

  it("reads frames without line breaks as well", async () => {
    emulator.events.framing = "concatenated";
    emulator.events.emit(node("n1"));
    assert.deepEqual(await first(connection()), ["n1"]);
  });

  it("goes on after the connection was lost", async () => {
    emulator.events.emit(node("n1"));
    const reasons: string[] = [];
    const stream = events({ ...connection(), onReconnect: ({ reason }) => reasons.push(reason) });
    const next = async () => (await stream.next()).value?.key;
    assert.equal(await next(), "n1");
    emulator.events.disconnect();
    emulator.events.emit([node("n2"), node("n3")]);
    assert.deepEqual([await next(), await next()], ["n2", "n3"]);
    assert.equal(reasons.length, 1);
    await stream.return?.();
    await until(() => emulator.inspect().scheduler.subscriptions.length === 0);
  });

  it("reports a gap when the scheduler holds only later events than the next", async () => {
    await emulator.close();
    emulator = await startEmulator({ scheduler: { eventBufferSize: 2 } });
    emulator.events.emit(node("n1"));
    const gaps: unknown[] = [];
    const stream = events({ ...connection(), onGap: (gap) => gaps.push(gap) });
    await stream.next();
    const refusal = emulator.faults.add({ service: "scheduler", refuse: true });
    [2, 3, 4, 5].forEach((number) => emulator.events.emit(node(`n${number}`)));
    refusal.remove();
    assert.equal((await stream.next()).value?.key, "n4");
    assert.deepEqual(gaps, [{ after: 1, next: 4 }]);
    await stream.return?.();
  });

  describe("ends", () => {
    it("without an error when its signal is aborted", async () => {
      const abort = new AbortController();
      emulator.events.emit([node("n1"), node("n2")]);
      const keys: string[] = [];
      for await (const { key } of events({ ...connection(), signal: abort.signal })) {
        keys.push(key);
        abort.abort();
      }
      assert.deepEqual(keys, ["n1"]);
      await until(() => emulator.inspect().scheduler.subscriptions.length === 0);
    });

    it("when it is left while it waits", async () => {
      const stream = streamEvents(connection());
      const next = stream.next();
      await until(() => emulator.inspect().scheduler.subscriptions.length === 1);
      await stream.return?.();
      assert.equal((await next).done, true);
      assert.equal((await stream.next()).done, true);
      await until(() => emulator.inspect().scheduler.subscriptions.length === 0);
    });

    it("when it is left before it has begun, without a request", async () => {
      const stream = streamEvents(connection());
      await stream.return?.();
      assert.equal((await stream.next()).done, true);
      assert.equal(emulator.journal.count(), 0);
    });
  });

  describe("finds the scheduler", () => {
    it("in the environment", async () => {
      Object.assign(process.env, emulator.environment);
      emulator.events.emit(node("n1"));
      assert.deepEqual(await first({}), ["n1"]);
    });

    it("with the namespace of the environment unless it is given another", async () => {
      Object.assign(process.env, emulator.environment, { SCHEDULER_NAMESPACE: "team" });
      emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "a", namespace: "default" });
      emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "b", namespace: "team" });
      assert.deepEqual(await first({}), ["b"]);
      assert.deepEqual(await first({ namespace: "default" }), ["a"]);
    });

    it("says in every place where it may be named when it is in none", async () => {
      const error = await failure(first({}));
      assert.ok(ConfigurationError.isInstance(error));
      assert.match(error.message, /trivium:schedulerAddress.*SCHEDULER_ADDR.*trivium:schedulerToken/);
    });
  });

  it("says that it is refused, with the rights that it takes and where the token came from", async () => {
    const token = emulator.scheduler.addToken({ access: { readNodes: true } });
    for (const refusal of ["status", "silence"] as const) {
      emulator.events.refusal = refusal;
      const error = await failure(first({ ...connection(), token, topics: ["Node", "Job"] }));
      assert.equal(ServiceError.isInstance(error), refusal === "status");
      assert.match(error.message, /node:read for nodes; namespace:read-job in the namespace default/);
      assert.ok(!error.message.includes(token));
      if (refusal === "status") {
        assert.match(error.message, /comes from the argument token/);
      }
    }
  });

  const wrong: readonly [object, RegExp][] = [
    [{ topic: ["Node"] }, /has no member "topic"/],
    [{ topics: [] }, /topics must name at least one topic/],
    [{ topics: ["Node", ":a"] }, /topics\[1\] must be a topic/],
    [{ index: -1 }, /index must be at least 0/],
    [{ index: "5" }, /index must be a number, not a string/],
    [{ namespace: "" }, /namespace must not be empty/],
    [{ idleTimeout: "soon" }, /idleTimeout must be a duration/],
    [{ idleTimeout: 0 }, /idleTimeout must be greater than 0/],
    [{ maxFrameSize: 0 }, /maxFrameSize must be at least 1/],
    [{ signal: {} }, /signal must be an AbortSignal/],
    [{ onGap: true }, /onGap must be a function/],
    [{ token: 5 }, /token must be a string, not a number/],
    [{ provider: {} }, /`provider` must be a trivium\.Provider/],
  ];
  for (const [options, message] of wrong) {
    it(`refuses ${JSON.stringify(options)}`, async () => {
      const error = await failure(first({ ...connection(), ...options }));
      assert.ok(InputError.isInstance(error));
      assert.match(error.message, /^scheduler\.streamEvents: /);
      assert.match(error.message, message);
    });
  }
});

async function* waitFor(signal: AbortSignal): AsyncGenerator<number, void, undefined> {
  yield 1;
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }
}

describe("endable", () => {
  it("starts when it is first asked", async () => {
    let started = 0;
    const items = endable(undefined, (signal) => {
      started += 1;
      return Promise.resolve(waitFor(signal));
    });
    assert.equal(started, 0);
    assert.deepEqual(await items.next(), { done: false, value: 1 });
    assert.equal(started, 1);
    await items.return?.();
  });

  it("ends while it waits, when it is left", async () => {
    const items = endable(undefined, (signal) => Promise.resolve(waitFor(signal)));
    await items.next();
    const next = items.next();
    assert.deepEqual(await items.return?.(), { done: true, value: undefined });
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it("ends while it waits, when the caller's signal is aborted", async () => {
    const abort = new AbortController();
    const items = endable(abort.signal, (signal) => Promise.resolve(waitFor(signal)));
    await items.next();
    const next = items.next();
    abort.abort();
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it("fails as its start does, and can be left then", async () => {
    const items = endable<number>(undefined, () => Promise.reject(new Error("no start")));
    await assert.rejects(items.next(), /no start/);
    assert.deepEqual(await items.return?.(), { done: true, value: undefined });
  });
});
