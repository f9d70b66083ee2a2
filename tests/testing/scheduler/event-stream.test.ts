import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import {
  startEmulator,
  type Emulator,
  type EmulatorOptions,
  type SchedulerAccess,
} from "../../../sdk/testing";
import { at, call, until } from "../call";

const path = "/v1/event/stream";

/** One open stream, read by a plain client. */
class Reader {
  text = "";
  ended = false;

  private constructor(private readonly response: IncomingMessage) {
    response.setEncoding("utf8").on("data", (chunk: string) => (this.text += chunk));
    response.on("error", () => undefined);
    response.on("close", () => (this.ended = true));
  }

  static async open(emulator: Emulator, query = "", token = emulator.scheduler.token): Promise<Reader> {
    const headers = { Authorization: `Bearer ${token}` };
    const request = get(emulator.scheduler.address + path + query, { headers, agent: false });
    request.on("error", () => undefined);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers["content-type"], "application/json");
    return new Reader(response);
  }

  /** Waits for so many lines. */
  async lines(count: number): Promise<unknown[]> {
    await until(() => this.text.split("\n").length > count);
    const lines = this.text.split("\n");
    assert.equal(lines.length, count + 1, this.text);
    assert.equal(lines.at(-1), "");
    return lines.slice(0, -1).map((line) => JSON.parse(line) as unknown);
  }

  /** The keys of all events so far, once there are so many frames beside the first heartbeat. */
  async keys(frames: number): Promise<unknown[]> {
    return (await this.lines(frames + 1)).slice(1).flatMap((frame) => {
      const events = at(frame, "Events");
      assert.ok(Array.isArray(events));
      return events.map((event: unknown) => at(event, "Key"));
    });
  }

  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  close(): void {
    this.response.destroy();
  }
}

describe("the emulator's event stream", () => {
  let emulator: Emulator;
  const start = async (options?: EmulatorOptions): Promise<void> => {
    emulator = await startEmulator(options);
  };
  afterEach(async () => emulator.close());

  const node = (key: string) => ({ topic: "Node", type: "NodeRegistration", key });
  const refusal = async (query: string, access?: SchedulerAccess): Promise<number> => {
    const token = access === undefined ? emulator.scheduler.token : emulator.scheduler.addToken({ access });
    return (await call(emulator, "scheduler", "GET", path + query, { token })).status;
  };

  describe("frames", () => {
    beforeEach(async () => start());

    it("may have an index of its own, never a smaller one than before", () => {
      assert.equal(emulator.events.emit(node("n1"), 7), 7);
      assert.equal(emulator.events.emit(node("n2"), 7), 7);
      assert.equal(emulator.events.emit(node("n3")), 8);
      assert.throws(() => emulator.events.emit(node("n4"), 7), /from 8 on, not 7/);
      assert.throws(() => emulator.events.emit(node("n4"), 8.5), /whole number/);
      const frames = emulator.inspect().scheduler.frames;
      assert.deepEqual(
        frames.map(({ Index, Events }) => [Index, Events[0]?.Index, Events[0]?.Key]),
        [
          [7, 7, "n1"],
          [7, 7, "n2"],
          [8, 8, "n3"],
        ],
      );
    });
  });

  describe("the buffer", () => {
    it("ends the stream of a reader that is too slow to stay within it", async () => {
      await start({ scheduler: { eventBufferSize: 4 } });
      const reader = await Reader.open(emulator);
      await reader.lines(1);
      reader.pause();
      const payload = { Node: { Name: "x".repeat(1024 * 1024) } };
      for (let number = 1; number <= 40 && emulator.inspect().scheduler.subscriptions.length > 0; number++) {
        emulator.events.emit({ ...node(`n${number}`), payload });
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(emulator.inspect().scheduler.subscriptions.length, 0);
      reader.resume();
      await until(() => reader.ended);
    });
  });

  describe("refuses", () => {
    beforeEach(async () => start());

    it("other paths and methods", async () => {
      assert.equal((await call(emulator, "scheduler", "GET", "/v1/jobs")).status, 404);
      const reply = await call(emulator, "scheduler", "POST", path);
      assert.deepEqual([reply.status, reply.headers.get("allow")], [405, "GET"]);
    });

    for (const query of [
      "index=-1",
      "index=x",
      "index=1.5",
      "index=",
      "index=1&index=2",
      "namespace=a&namespace=b",
      "topic=",
      "topic=:a",
      "topic=Node:",
      "topics=Node",
    ]) {
      it(`the query ${query}`, async () => assert.equal(await refusal(`?${query}`), 400));
    }

    const denied: readonly [string, SchedulerAccess, string][] = [
      ["everything", { readNodes: true, readJobs: "*" }, ""],
      ["nodes", { readJobs: "*" }, "?topic=Node"],
      ["jobs in another namespace", { readJobs: ["a"] }, "?topic=Job&namespace=b"],
      ["all namespaces", { readNodes: true, readJobs: ["a"] }, "?topic=Node&namespace=*"],
      ["tokens", { readNodes: true, readJobs: "*" }, "?topic=ACLToken"],
      ["policies", { readNodes: true, readJobs: "*" }, "?topic=ACLPolicy"],
      ["an unknown topic", { readNodes: true, readJobs: "*" }, "?topic=Custom"],
      ["one of two topics", { readNodes: true }, "?topic=Node&topic=Job"],
    ];
    for (const [what, access, query] of denied) {
      it(`${what} without the right to it`, async () => assert.equal(await refusal(query, access), 403));
    }
  });
});
