import assert from "node:assert/strict";
import { MalformedStreamError } from "../../sdk/scheduler/decoder";
import { readFrame } from "../../sdk/scheduler/decoder";
import { recordedStream, wireEvent, wireFrame } from "./wire";

describe("readFrame", () => {
  it("gives events the library's names and leaves payloads alone", () => {
    const payload = { Node: { ID: "n1", Unheard: { of: [1] } }, Beside: null };
    const event = wireEvent(7, { FilterKeys: ["web", ""], Namespace: "default", Payload: payload, More: 1 });
    assert.deepEqual(readFrame(wireFrame(7, [event])), {
      index: 7,
      events: [
        {
          topic: "Node",
          type: "NodeRegistration",
          key: "n7",
          namespace: "default",
          filterKeys: ["web", ""],
          index: 7,
          payload,
        },
      ],
    });
  });

  it("lets unknown topics and types through", () => {
    const events = readFrame(wireFrame(1, [wireEvent(1, { Topic: "Service", Type: "Anything" })]))?.events;
    assert.deepEqual([events?.[0]?.topic, events?.[0]?.type], ["Service", "Anything"]);
  });

  for (const nothing of [{}, { Namespace: null, FilterKeys: null, Index: null, Payload: null }]) {
    it(`accepts missing members: ${JSON.stringify(nothing)}`, () => {
      const event = { Topic: "Job", Type: "JobRegistered", Key: "web", ...nothing };
      assert.deepEqual(readFrame({ Index: 4, Events: [event] })?.events, [
        {
          topic: "Job",
          type: "JobRegistered",
          key: "web",
          namespace: "",
          filterKeys: null,
          index: 4,
          payload: {},
        },
      ]);
    });
  }

  for (const object of [{}, { Index: 0 }, { Index: 5, Events: null }, { Index: 5, Events: [] }]) {
    it(`treats ${JSON.stringify(object)} as a heartbeat`, () => {
      assert.equal(readFrame(object), undefined);
    });
  }

  const wrong: readonly [Readonly<Record<string, unknown>>, RegExp][] = [
    [{ Index: 1, Events: {} }, /Events of a frame to be a list/],
    [{ Events: [wireEvent(1)] }, /Index of a frame to be a whole number/],
    [wireFrame(1, [wireEvent(1), "canary" as never]), /Events\[1\] of a frame to be an object/],
    [
      wireFrame(1, [wireEvent(1, { Topic: 5 })]),
      /Topic, Type and Key of Events\[0\] of a frame to be strings/,
    ],
    [wireFrame(1, [wireEvent(1, { Namespace: 1 })]), /Events\[0\]\.Namespace of a frame to be a string/],
    ...[-1, 0.5, Number.POSITIVE_INFINITY, 2 ** 53].map(
      (index): [Readonly<Record<string, unknown>>, RegExp] => [
        { Index: index, Events: [wireEvent(1)] },
        /Index of a frame to be a whole number/,
      ],
    ),
    [wireFrame(1, [wireEvent(1, { Index: "1" })]), /Events\[0\]\.Index of a frame to be a whole number/],
    [
      wireFrame(1, [wireEvent(1, { FilterKeys: "web" })]),
      /FilterKeys of a frame to be a list of strings or null/,
    ],
    [
      wireFrame(1, [wireEvent(1, { FilterKeys: ["web", 1] })]),
      /FilterKeys of a frame to be a list of strings or null/,
    ],
    [wireFrame(1, [wireEvent(1, { Payload: "canary" })]), /Payload of a frame to be an object/],
  ];
  for (const [object, message] of wrong) {
    it(`refuses a frame in which ${message.source}`, () => {
      assert.throws(
        () => readFrame(object),
        (error) => {
          assert.ok(error instanceof MalformedStreamError);
          assert.match(error.message, message);
          assert.ok(!error.message.includes("canary"));
          return true;
        },
      );
    });
  }

  it("reads everything that a real scheduler has sent", () => {
    const lines = recordedStream.toString().trim().split("\n");
    const frames = lines.map((line) => readFrame(JSON.parse(line) as Record<string, unknown>));
    assert.deepEqual([frames.at(0), frames.at(-1)], [undefined, undefined], "heartbeats");
    const events = frames.flatMap((frame) => frame?.events ?? []);
    assert.equal(frames.filter((frame) => frame !== undefined).length, 32);
    assert.deepEqual(
      [...new Set<string>(events.map(({ topic }) => topic))].sort(),
      ["ACLPolicy", "ACLToken", "Allocation", "Deployment", "Evaluation", "Job", "Node"].filter((topic) =>
        recordedStream.includes(`"Topic":"${topic}"`),
      ),
    );
    for (const event of events) {
      const member = event.topic === "NodeDrain" ? "Node" : event.topic;
      assert.ok(member in event.payload, `${event.topic} carries its object`);
      if (event.topic === "Node") {
        const { Name, Status, Drivers, Attributes } = event.payload.Node;
        assert.deepEqual(
          [typeof Name, typeof Status, typeof Drivers, typeof Attributes],
          ["string", "string", "object", "object"],
        );
      }
    }
  });
});
