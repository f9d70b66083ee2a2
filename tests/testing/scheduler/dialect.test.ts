import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SchedulerAccess } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { at, call } from "../call";

const recording = join(__dirname, "../../fixtures/wire/nomad-1.10.5-event-stream.ndjson");
const path = "/v1/event/stream";

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

    it("is masked in the journal", async () => {
      await read();
      assert.equal(emulator.journal.requests()[0]?.headers["x-nomad-token"], "***");
      assert.equal(emulator.journal.requests()[0]?.caller, "main");
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

    it("come once for each filter that selects them", async () => {
      emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "web", filterKeys: ["front"] });
      assert.deepEqual(await keys("?topic=Job:web&topic=Job:front&topic=Job:other"), ["web", "web"]);
    });

    it("come whatever else the query says", async () => {
      emulator.events.emit(node("n1"));
      assert.deepEqual(await keys("?region=global&index=&namespace=default&namespace=b"), ["n1"]);
      assert.deepEqual(await keys("?topic=Node:"), []);
      const reply = await call(emulator, "scheduler", "GET", `${path}?topic=Node:a:b`);
      assert.equal(reply.status, 400);
    });
  });

  it("shows services to whom it shows jobs", async () => {
    const token = emulator.scheduler.addToken({ access: { readJobs: ["default"] } });
    assert.match(await read("?topic=Service", { "X-Nomad-Token": token }), /^\{\}\n/);
  });
});

function membersOf(value: unknown): readonly string[] {
  return Object.keys(value ?? {});
}
