import assert from "node:assert/strict";
import { InputError } from "../../sdk/base/errors";
import { type Event, waitForEvent } from "../../sdk/scheduler";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { warningsOf } from "../resource/mocks";
import { useEmulator } from "../support/use-emulator";
import { until } from "../testing/call";
import { readFrame } from "../../sdk/scheduler/decoder";
import { Sightings } from "../../sdk/scheduler/await-event";
import { wireEvent, wireFrame } from "./wire";

describe("waitForEvent", () => {
  useEnvironment(() => emulator.environment);

  const emulator = useEmulator();
  afterEach(() => until(() => emulator.inspect().scheduler.subscriptions.length === 0));

  const connected = (): Promise<void> => until(() => emulator.inspect().scheduler.subscriptions.length === 1);
  const emit = (key: string, more: object = {}): void =>
    void emulator.events.emit({ topic: "Job", type: "JobRegistered", key, ...more });

  it("gives the first event that matches, of those that were and those that come", async () => {
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

  it("asks a function whether an event is the one", async () => {
    emit("api");
    emit("web");
    const isWeb = ({ key }: Event): boolean => key === "web";
    assert.equal((await waitForEvent({ match: isWeb })).key, "web");
  });

  it("goes on when the connection is lost", async () => {
    const waiting = waitForEvent({ match: { key: "web" } });
    await connected();
    emulator.events.disconnect();
    emit("web");
    assert.equal((await waiting).key, "web");
  });

  it("says after the time what came instead, and nothing of what it held", async () => {
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

  it("says after the time that nothing came, and what was in the way", async () => {
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

  it("warns at once of a topic that is none of the documented ones, and waits all the same", async () => {
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

  it("warns of no topic that is documented", async () => {
    const warnings = await warningsOf(async () => {
      emit("web");
      await waitForEvent({ topics: ["Job", "Node:n1", "*:web"] });
    });
    assert.deepEqual(warnings, []);
  });

  it("fails when it is aborted", async () => {
    const abort = new AbortController();
    const waiting = failure(waitForEvent({ match: { key: "web" }, signal: abort.signal }));
    await connected();
    abort.abort();
    assert.match((await waiting).message, /^Cancelled while waiting for an event with key "web"\.$/);
  });

  const wrong: readonly [object, RegExp][] = [
    [{ match: "web" }, /match must be a function, or an object with topic/],
    [{ match: { topics: ["Job"] } }, /match has no member "topics"/],
    [{ timeout: -1 }, /timeout must be a duration/],
  ];
  for (const [options, message] of wrong) {
    it(`refuses ${JSON.stringify(options)}`, async () => {
      const error = await failure(waitForEvent(options));
      assert.ok(InputError.isInstance(error));
      assert.match(error.message, message);
    });
  }
});

describe("Sightings", () => {
  let sightings: Sightings;
  beforeEach(() => {
    sightings = new Sightings();
  });
  const see = (index: number, members: Readonly<Record<string, unknown>> = {}): void =>
    readFrame(wireFrame(index, [wireEvent(index, members)]))?.events.forEach((event) => sightings.add(event));

  it("say when there were none", () => {
    assert.equal(sightings.summary, "no other seen");
    assert.equal(sightings.describe(), "No other event was seen in the meantime.");
  });

  it("count by topic and type, the most frequent first, and name the last three", () => {
    see(1);
    [2, 3, 4].forEach((index) => see(index, { Topic: "Job", Type: "JobRegistered", Namespace: "team" }));
    assert.equal(sightings.summary, '4 events seen, the last Job/JobRegistered "n4" in team at 4');
    assert.equal(
      sightings.describe(),
      "Seen in the meantime: 4 events (3 Job/JobRegistered, 1 Node/NodeRegistration); the last: " +
        'Job/JobRegistered "n2" in team at 2, Job/JobRegistered "n3" in team at 3, Job/JobRegistered "n4" in team at 4.',
    );
  });

  it("name at most ten kinds", () => {
    for (let index = 1; index <= 13; index++) {
      see(index, { Type: `Type${index}` });
    }
    assert.match(sightings.describe(), /1 Node\/Type10, and 3 more types\)/);
  });

  it("are short and limited in number, whatever the names are", () => {
    const long = "x".repeat(100_000);
    see(1, { Topic: long, Type: long, Key: long, Namespace: long });
    assert.ok(sightings.summary.length < 1_000);
    for (let index = 2; index <= 3_000; index++) {
      see(index, { Type: `Type${index}` });
    }
    assert.match(
      sightings.describe(),
      /^Seen in the meantime: 3000 events \(2000 of other types, .* and 991 more types\)/,
    );
    assert.ok(sightings.describe().length < 2_000);
  });

  it("repeat nothing of a payload", () => {
    see(1, { Payload: { Node: { Meta: { password: "canary" } } } });
    assert.ok(!(sightings.describe() + sightings.summary).includes("canary"));
  });

  it("report gaps and interruptions", () => {
    sightings.missed({ after: 3, next: 9 });
    sightings.interrupted("the scheduler sent nothing for too long");
    assert.equal(
      sightings.describe(),
      "No other event was seen in the meantime. Events between the indexes 3 and 9 may have been missed. " +
        "The connection was interrupted; the last reason: the scheduler sent nothing for too long.",
    );
  });
});
