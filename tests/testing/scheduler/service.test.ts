import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, get } from "node:http";
import { join } from "node:path";
import {
  type Emulator,
  type EmulatorOptions,
  type SchedulerAccess,
  startEmulator,
} from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { type Reply, at, call, until } from "../call";
import { mayRead, subscribe } from "./subscribe";

describe("what the emulated scheduler says about itself and its callers", () => {
  const emulator = useEmulator({ dialect: { scheduler: "hashicorp" } });

  const ask = async (path: string, token?: string | null): Promise<Reply> =>
    call(emulator, "scheduler", "GET", path, token === undefined ? {} : { token });

  it("is the token that the scheduler has made, as it was made", async () => {
    emulator.secrets.addSchedulerRole({ name: "r", policies: ["one", "two"] });
    assert.equal((await call(emulator, "secrets", "GET", "/v1/scheduler/creds/r")).status, 200);
    const made = emulator.inspect().scheduler.aclTokens.at(-1) ?? assert.fail("no token");
    const { body } = await ask("/v1/acl/token/self", made.secretId);
    assert.deepEqual(
      ["AccessorID", "SecretID", "Name", "Type", "Policies", "CreateTime"].map((name) => at(body, name)),
      [made.accessorId, made.secretId, made.name, "client", ["one", "two"], made.createdAt],
    );
  });
});

describe("the emulated scheduler's access control", () => {
  const emulator = useEmulator();

  /** A token that the secrets service has had made. */
  async function issue(policies: readonly string[], type?: "management"): Promise<string> {
    emulator.secrets.addSchedulerRole({ name: "r", policies, ...(type === undefined ? {} : { type }) });
    const { status } = await call(emulator, "secrets", "GET", "/v1/scheduler/creds/r");
    assert.equal(status, 200);
    return emulator.inspect().scheduler.aclTokens.at(-1)?.secretId ?? assert.fail("no token");
  }

  it("lets a client token read what its policies say together, as they are now", async () => {
    const token = await issue(["nodes", "jobs", "unknown"]);
    assert.deepEqual(
      [await mayRead(emulator, token, "Node"), await mayRead(emulator, token, "Job")],
      [403, 403],
      "a policy that does not exist allows nothing",
    );
    emulator.scheduler.addPolicy({ name: "nodes", readNodes: true });
    emulator.scheduler.addPolicy({ name: "jobs", readJobs: ["default", "web"] });
    assert.equal(await mayRead(emulator, token, "Node", "Job", "Deployment"), 200);
    assert.equal(await mayRead(emulator, token, "ACLToken"), 403);
    assert.equal(await mayRead(emulator, token), 403);
    emulator.scheduler.addPolicy({ name: "jobs", readJobs: "*" });
    assert.equal(await mayRead(emulator, token, "Job"), 200);
    emulator.scheduler.removePolicy("jobs");
    assert.equal(await mayRead(emulator, token, "Job"), 403);
    assert.equal(await mayRead(emulator, token, "Node"), 200);
  });

  it("ends the streams of the tokens that have a policy when it changes, and no others", async () => {
    emulator.scheduler.addPolicy({ name: "nodes", readNodes: true });
    emulator.scheduler.addPolicy({ name: "other", readNodes: true });
    const concerned = await subscribe(emulator, await issue(["nodes"]), "Node");
    const others = [
      await subscribe(emulator, await issue(["other"]), "Node"),
      await subscribe(emulator, emulator.scheduler.token),
    ];
    emulator.scheduler.addPolicy({ name: "nodes", readNodes: false });
    await concerned.ended;
    assert.equal(emulator.inspect().scheduler.subscriptions.length, 2);
    others.forEach((other) => other.close());
  });
});

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

    it("queries that are not documented", async () => {
      for (const query of [
        ...["index=-1", "index=1.5", "index=", "index=1&index=2", "namespace=a&namespace=b"],
        ...["topic=", "topic=:a", "topic=Node:", "topics=Node"],
      ]) {
        assert.equal(await refusal(`?${query}`), 400, query);
      }
    });

    it("what a token has no right to", async () => {
      const most = { readNodes: true, readJobs: "*" } as const;
      for (const [access, query] of [
        [most, ""],
        [{ readJobs: "*" }, "?topic=Node"],
        [{ readJobs: ["a"] }, "?topic=Job&namespace=b"],
        [{ readNodes: true, readJobs: ["a"] }, "?topic=Node&namespace=*"],
        [most, "?topic=ACLToken"],
        [most, "?topic=Custom"],
        [{ readNodes: true }, "?topic=Node&topic=Job"],
      ] as const) {
        assert.equal(await refusal(query, access), 403, query);
      }
    });
  });
});

const recording = join(__dirname, "../../fixtures/wire/nomad-1.10.5-event-stream.ndjson");

describe("the emulated scheduler in the hashicorp dialect", () => {
  const emulator = useEmulator({ dialect: { scheduler: "hashicorp" } });

  const node = (key: string) => ({ topic: "Node", type: "NodeRegistration", key });
  /** What a subscriber has got at once, as text: the first heartbeat and the backlog. */
  const read = async (query = "", headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const own = { "X-Nomad-Token": emulator.scheduler.token };
    const response = await fetch(emulator.scheduler.address + path + query, {
      headers: Object.keys(headers).length > 0 ? headers : own,
    });
    assert.equal(response.status, 200, await (response.ok ? "" : response.text()));
    // Marks the end of what was sent before.
    emulator.events.write("end");
    emulator.events.disconnect();
    let text = "";
    try {
      const body: AsyncIterable<Uint8Array> = response.body ?? assert.fail("no body");
      for await (const chunk of body) {
        text += Buffer.from(chunk).toString();
      }
    } catch {
      // The connection was cut, as told.
    }
    return text;
  };
  const frames = async (query?: string): Promise<unknown[]> =>
    (await read(query))
      .replace(/end$/, "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as unknown);
  const keys = async (query?: string): Promise<unknown[]> =>
    (await frames(query)).flatMap((frame) => {
      const events = at(frame, "Events");
      return Array.isArray(events) ? events.map((event: unknown) => at(event, "Key")) : [];
    });

  describe("the token", () => {
    it("goes in a header of its own, or as a bearer token", async () => {
      const { token } = emulator.scheduler;
      const accepted: readonly Readonly<Record<string, string>>[] = [
        { "X-Nomad-Token": token },
        { Authorization: `Bearer ${token}` },
        { "X-Nomad-Token": token, Authorization: "Bearer wrong" },
      ];
      for (const headers of accepted) {
        assert.match(await read("", headers), /^\{\}\n/);
      }
    });
  });

  describe("events", () => {
    it("have the product's topics and types for the documents' ones", async () => {
      emulator.events.emit([
        { topic: "NodeDrain", type: "NodeDrain", key: "n1" },
        { topic: "Node", type: "NodeEvent", key: "n1" },
        { topic: "ACLRole", type: "ACLRoleUpserted", key: "r1" },
        { topic: "Service", type: "ServiceRegistration", key: "s1" },
      ]);
      const [, frame] = await frames();
      const members = ["Topic", "Type", "Namespace"];
      assert.deepEqual(
        [0, 1, 2, 3].map((index) => members.map((name) => at(frame, "Events", index, name))),
        [
          ["Node", "NodeDrain", ""],
          ["Node", "NodeStreamEvent", ""],
          ["ACLRole", "ACLRoleUpserted", ""],
          ["Service", "ServiceRegistration", "default"],
        ],
      );
      assert.deepEqual(await keys("?topic=NodeDrain"), []);
    });

    it("are written with the members of the recorded ones, in their order", async () => {
      const recorded = readFileSync(recording, "utf8")
        .split("\n")
        .filter((line) => line.includes('"Events"'))
        .map((line) => JSON.parse(line) as unknown);
      emulator.events.emit(node("n1"));
      const [, sent] = await frames();
      assert.ok(recorded.length > 20);
      for (const frame of recorded) {
        assert.deepEqual(membersOf(frame), membersOf(sent));
        assert.deepEqual(membersOf(at(frame, "Events", 0)), membersOf(at(sent, "Events", 0)));
      }
    });

    it("come again when the index is not reached yet: the newest", async () => {
      ["n1", "n2", "n3"].forEach((key) => emulator.events.emit(node(key)));
      assert.deepEqual(await keys("?index=4"), ["n3"]);
      assert.deepEqual(await keys("?index=1000"), ["n3"]);
      assert.deepEqual(await keys("?index=2"), ["n2", "n3"]);
      emulator.reset();
      assert.deepEqual(await keys("?index=1000"), []);
    });

    it("come whatever else the query says", async () => {
      emulator.events.emit(node("n1"));
      assert.deepEqual(await keys("?region=global&index=&namespace=default&namespace=b"), ["n1"]);
      assert.deepEqual(await keys("?topic=Node:"), []);
      const reply = await call(emulator, "scheduler", "GET", `${path}?topic=Node:a:b`);
      assert.equal(reply.status, 400);
    });
  });
});

function membersOf(value: unknown): readonly string[] {
  return Object.keys(value ?? {});
}
