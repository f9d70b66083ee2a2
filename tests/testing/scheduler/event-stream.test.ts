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
<<<<<<< HEAD
    it("ends the stream of whoever reads too slowly to stay within it", async () => {
=======
    it("keeps the newest frames; an older index starts at the oldest of them", async () => {
      await start({ scheduler: { eventBufferSize: 3 } });
      for (let number = 1; number <= 5; number++) {
        emulator.events.emit(node(`n${number}`));
      }
      const reader = await Reader.open(emulator, "?index=1");
      assert.deepEqual(await reader.keys(3), ["n3", "n4", "n5"]);
      emulator.events.emit(node("n6"));
      assert.deepEqual(await reader.keys(4), ["n3", "n4", "n5", "n6"]);
    });

    it("holds 100 frames unless told otherwise", async () => {
      await start();
      for (let number = 1; number <= 101; number++) {
        emulator.events.emit(node(`n${number}`));
      }
      const { frames } = emulator.inspect().scheduler;
      assert.deepEqual([frames.length, frames[0]?.Index], [100, 2]);
    });

    it("ends the stream of a reader that is too slow to stay within it", async () => {
>>>>>>> 58fa1b2 (Test titles in the field's terms; the index of errors links pages, not anchors with underscores)
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
<<<<<<< HEAD
=======

    it("is read on by a slow reader that stayed within it", async () => {
      await start({ scheduler: { eventBufferSize: 30 } });
      const reader = await Reader.open(emulator);
      await reader.lines(1);
      reader.pause();
      const payload = { Node: { Name: "x".repeat(1024 * 1024) } };
      for (let number = 1; number <= 20; number++) {
        emulator.events.emit({ ...node(`n${number}`), payload });
      }
      reader.resume();
      assert.equal((await reader.keys(20)).at(-1), "n20");
    });
  });

  describe("played by a test", () => {
    beforeEach(async () => start());

    it("can be cut, and taken up again", async () => {
      const reader = await Reader.open(emulator);
      await until(() => emulator.inspect().scheduler.subscriptions.length === 1);
      emulator.events.disconnect();
      await until(() => reader.ended);
      emulator.events.emit(node("n1"));
      assert.deepEqual(await (await Reader.open(emulator)).keys(1), ["n1"]);
    });

    it("can send any bytes", async () => {
      const reader = await Reader.open(emulator);
      await reader.lines(1);
      const bytes = new TextEncoder().encode('{"Index":1,"Events":[{"Key":"ü"}]}\n');
      const middle = bytes.indexOf(0xbc);
      emulator.events.write(bytes.subarray(0, middle));
      emulator.events.write(bytes.subarray(middle));
      emulator.events.write('{}{"Index":2}');
      await until(() => reader.text.endsWith("2}"));
      assert.equal(reader.text, '{}\n{"Index":1,"Events":[{"Key":"ü"}]}\n{}{"Index":2}');
    });

    it("can send everything without line breaks", async () => {
      emulator.events.framing = "concatenated";
      emulator.events.emit(node("n1"));
      const reader = await Reader.open(emulator);
      emulator.advance("30s");
      await until(() => reader.text.endsWith("}{}"));
      assert.match(reader.text, /^\{\}\{"Index":1,.*\}\{\}$/);
    });

    it("ends with a reset", async () => {
      const reader = await Reader.open(emulator);
      emulator.reset();
      await until(() => reader.ended);
      const { frames, subscriptions } = emulator.inspect().scheduler;
      assert.deepEqual([frames, subscriptions], [[], []]);
    });

    it("ends when the token is no longer valid, for its owner only", async () => {
      const token = emulator.scheduler.addToken();
      const [theirs, others] = [await Reader.open(emulator, "", token), await Reader.open(emulator)];
      emulator.scheduler.revokeToken(token);
      await until(() => theirs.ended);
      emulator.events.emit(node("n1"));
      assert.deepEqual(await others.keys(1), ["n1"]);
    });
>>>>>>> 58fa1b2 (Test titles in the field's terms; the index of errors links pages, not anchors with underscores)
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
      "topic=Node:a:b",
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
<<<<<<< HEAD
=======

    it("without a message if configured, as newer releases do", async () => {
      emulator.events.refusal = "silence";
      const token = emulator.scheduler.addToken({ access: { readNodes: true } });
      const reader = await Reader.open(emulator, "?topic=Job", token);
      await until(() => reader.ended);
      assert.equal(reader.text, "");
      emulator.reset();
      assert.equal(await refusal("?topic=Job", { readNodes: true }), 403);
    });

    const allowed: readonly [SchedulerAccess, string][] = [
      [{ readNodes: true }, "?topic=Node&topic=NodeDrain"],
      [{ readJobs: ["a"] }, "?topic=Job&topic=Allocation&topic=Deployment:x&topic=Evaluation&namespace=a"],
      [{ readJobs: "*" }, "?topic=Job&namespace=*"],
      ["management", "?namespace=*"],
    ];
    for (const [access, query] of allowed) {
      it(`nothing to ${JSON.stringify(access)} for ${query}`, async () => {
        const reader = await Reader.open(emulator, query, emulator.scheduler.addToken({ access }));
        assert.deepEqual(await reader.lines(1), [{}]);
      });
    }
  });

  it("can be hit by faults: a stream dropped, refused or cut at its start", async () => {
    await start();
    emulator.faults.add({ service: "scheduler", drop: "before" });
    await assert.rejects(call(emulator, "scheduler", "GET", path));
    emulator.faults.add({ service: "scheduler", status: 500, body: "no leader" });
    assert.equal(await refusal(""), 500);
    emulator.faults.add({ service: "scheduler", truncate: true });
    await assert.rejects(call(emulator, "scheduler", "GET", path));
>>>>>>> 58fa1b2 (Test titles in the field's terms; the index of errors links pages, not anchors with underscores)
  });
});
