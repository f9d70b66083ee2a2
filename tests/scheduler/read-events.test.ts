import assert from "node:assert/strict";
import { InputError } from "../../sdk/base/errors";
import { readEvents, type ReadUntil } from "../../sdk/scheduler";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { stopServers } from "../http/server";
import { useEmulator } from "../support/use-emulator";
import { until as happened } from "../testing/call";
import { startRawScheduler } from "./raw-scheduler";
import { frameLine } from "./wire";

describe("readEvents", () => {
  useEnvironment(() => emulator.environment);

  const emulator = useEmulator();
  beforeEach(() => {
    emulator.events.emit(
      [1, 2, 3].map((number) => ({ topic: "Node", type: "NodeEvent", key: `n${number}` })),
    );
    emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "web" });
  });
  afterEach(stopServers);
  afterEach(() => happened(() => emulator.inspect().scheduler.subscriptions.length === 0));

  const keys = async (until: ReadUntil, more: object = {}): Promise<string[]> =>
    (await readEvents({ until, ...more })).map(({ key }) => key);

  it("reads so many, and not one more, also when they come in one frame", async () => {
    assert.deepEqual(await keys({ count: 2 }), ["n1", "n2"]);
    assert.deepEqual(await keys({ count: 4 }), ["n1", "n2", "n3", "web"]);
  });

  it("reads the available events until no more arrive", async () => {
    assert.deepEqual(await keys({ idle: "0.2s" }), ["n1", "n2", "n3", "web"]);
    assert.deepEqual(await keys({ idle: 0.2 }, { topics: ["Job"] }), ["web"]);
    assert.deepEqual(await keys({ idle: 0.1 }, { topics: ["Deployment"] }), []);
  });

  it("begins to wait for silence when there is a connection", async () => {
    emulator.faults.add({ service: "scheduler", drop: "before", times: 2 });
    assert.deepEqual(await keys({ idle: 0.05 }, { topics: ["Job"], maxRetries: 5 }), ["web"]);
  });

  it("reads for so long", async () => {
    assert.deepEqual(await keys({ timeout: "0.3s" }), ["n1", "n2", "n3", "web"]);
  });

  it("ends with whatever comes first", async () => {
    assert.deepEqual(await keys({ count: 1, idle: "10m", timeout: "1h" }), ["n1"]);
  });

  describe("from a scheduler that begins to answer with its first event", () => {
    const patience = { token: "of-a-test", requestTimeout: "50ms", maxRetries: 0 };

    it("goes on until there is one", async () => {
      const { address, requests } = await startRawScheduler((request) => {
        if (request.number === 3) {
          request.begin();
          request.write(frameLine(1));
        }
      });
      assert.deepEqual(await keys({ count: 1 }, { address, ...patience }), ["n1"]);
      assert.equal(requests.length, 3);
    });

    it("treats the lack of one as silence", async () => {
      const { address, requests } = await startRawScheduler(() => undefined);
      assert.deepEqual(await keys({ idle: "0.1s" }, { address, ...patience }), []);
      assert.equal(requests.length, 2);
    });
  });

  it("fails when it is aborted", async () => {
    const abort = new AbortController();
    const reading = failure(readEvents({ until: { count: 100 }, signal: abort.signal }));
    await happened(() => emulator.inspect().scheduler.subscriptions.length === 1);
    abort.abort();
    assert.match((await reading).message, /Cancelled while reading events, after/);
  });

  it("fails when it is refused", async () => {
    const token = emulator.scheduler.addToken({ access: {} });
    assert.match((await failure(keys({ count: 1 }, { token }))).message, /403/);
  });

  const wrong: readonly [object, RegExp][] = [
    [{}, /until must have `count`, `idle` or `timeout`/],
    [{ count: 0 }, /until\.count must be at least 1/],
    [{ idle: "now" }, /until\.idle must be a duration/],
    [{ counts: 1 }, /until has no member "counts"/],
  ];
  for (const [until, message] of wrong) {
    it(`refuses ${JSON.stringify(until)}`, async () => {
      const error = await failure(keys(until));
      assert.ok(InputError.isInstance(error));
      assert.match(error.message, message);
    });
  }

  it("says that it has to be told when to end", async () => {
    assert.match(
      (await failure(readEvents({} as never))).message,
      /scheduler\.readEvents: until is required/,
    );
  });
});
