import assert from "node:assert/strict";
import { eventHeading, eventLine } from "../../sdk/command-line/event-line";
import type { Event } from "../../sdk/scheduler";
import { readFrame } from "../../sdk/scheduler/decoder";
import { recordedStream, wireEvent, wireFrame } from "../scheduler/wire";

function event(members: Readonly<Record<string, unknown>>): Event {
  return readFrame(wireFrame(7, [wireEvent(7, members)]))?.events[0] ?? assert.fail("there is no event");
}

describe("eventLine", () => {
  it("is one line for every event of a real scheduler", () => {
    const lines = recordedStream.toString().trim().split("\n");
    const events = lines.flatMap(
      (line) => readFrame(JSON.parse(line) as Record<string, unknown>)?.events ?? [],
    );
    for (const each of events) {
      const line = eventLine(each);
      assert.match(line, /^ *\d+ {2}\w+ +\w+ +\S+ +(?:-|default)(?: {2}.*)?$/);
      assert.ok(line.includes(each.topic) && line.includes(each.type) && line.includes(each.key));
      assert.ok(line.length < 250, line);
    }
  });

  it("says what tells most, and not the key twice", () => {
    const payload = { Allocation: { Name: "web.web[0]", JobID: "web", ClientStatus: "running", Env: "x" } };
    assert.match(
      eventLine(event({ Topic: "Allocation", Key: "web", Namespace: "default", Payload: payload })),
      / default {5}Name=web\.web\[0\] ClientStatus=running$/,
    );
  });

  it("lets nothing through that would steer the terminal", () => {
    const line = eventLine(event({ Key: "\u001b[2Jn\n1\u202e", Payload: { Node: { Name: "\u0007" } } }));
    assert.ok(!/[\p{Cc}\p{Cf}]/u.test(line), JSON.stringify(line));
  });
});

describe("eventHeading", () => {
  it("names the columns of the lines below it", () => {
    const event = {
      index: 7,
      topic: "Node",
      type: "NodeRegistration",
      key: "a",
      namespace: "",
      filterKeys: null,
      payload: { Node: { Name: "worker" } },
    } as const;
    const [heading, line] = [eventHeading(), eventLine(event as never)];
    for (const [name, value] of [
      ["topic", "Node"],
      ["type", "NodeRegistration"],
      ["key", "a "],
      ["details", "Name=worker"],
    ] as const) {
      assert.equal(heading.indexOf(name), line.indexOf(value), name);
    }
  });
});
