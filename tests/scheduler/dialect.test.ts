import assert from "node:assert/strict";
import { type Event, events, readEvents, streamEvents } from "../../sdk/scheduler";
import { useEnvironment } from "../connection/environment";
import { stopServers } from "../http/server";
import { recordedStream, startRawScheduler } from "./raw-scheduler";

type WireEvent = Readonly<Record<string, unknown>> & { readonly FilterKeys: readonly string[] | null };

const recorded = recordedStream
  .toString()
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as { readonly Index?: number; readonly Events?: readonly WireEvent[] });
const recordedEvents = recorded.flatMap(({ Events = [] }) => Events);

/** How often the filters of a request select an event: the product sends it as often. */
function timesSelected(head: string, { Topic, Key, FilterKeys }: WireEvent): number {
  const url = new URL(/^GET (\S+)/.exec(head)?.[1] ?? "", "http://scheduler");
  const topics = url.searchParams.getAll("topic").map((topic) => topic.split(":"));
  const filters = topics.length === 0 ? [["*"]] : topics;
  return filters.filter(
    ([name, key = "*"]) => [Topic, "*"].includes(name) && [Key, "*", ...(FilterKeys ?? [])].includes(key),
  ).length;
}

/**
 * Sends of the recording what a request asks for.
 *
 * @param firstFrames after how many frames the first connection ends; it stays when absent
 */
async function startRecordedScheduler(firstFrames = Number.POSITIVE_INFINITY) {
  return startRawScheduler((request) => {
    request.begin();
    let frames = 0;
    for (const { Index, Events = [] } of recorded) {
      const selected = Events.flatMap((event) =>
        Array<WireEvent>(timesSelected(request.head, event)).fill(event),
      );
      if (Index === undefined) {
        request.write("{}\n");
      } else if (selected.length > 0 && Index >= request.index) {
        request.write(`${JSON.stringify({ Index, Events: selected })}\n`);
        frames += 1;
        if (request.number === 1 && frames === firstFrames) {
          request.end();
          return;
        }
      }
    }
  });
}

const documentedNames: Readonly<Record<string, readonly [topic: string, type: string]>> = {
  NodeStreamEvent: ["Node", "NodeEvent"],
  NodeDrain: ["NodeDrain", "NodeDrain"],
};

function documented({ Topic, Type, Key, Namespace, FilterKeys, Index, Payload }: WireEvent): object {
  const [topic, type] = documentedNames[String(Type)] ?? [Topic, Type];
  return {
    topic,
    type,
    key: Key,
    namespace: Namespace,
    filterKeys: FilterKeys,
    index: Index,
    payload: Payload,
  };
}

describe("the event stream of the product", () => {
  useEnvironment(() => ({}));
  afterEach(stopServers);

  const start = async (firstFrames?: number) => {
    const server = await startRecordedScheduler(firstFrames);
    const settings = { address: server.address, token: "canary-token", dialect: "hashicorp" } as const;
    return { server, settings };
  };

  it("the product's event stream reads every frame and every event of a recording, with the documented names", async () => {
    const { server, settings } = await start();
    const frames = recorded.filter(({ Events = [] }) => Events.length > 0);
    const read: { index: number; events: readonly Event[] }[] = [];
    for await (const frame of streamEvents(settings)) {
      if (read.push(frame) === frames.length) {
        break;
      }
    }
    assert.deepEqual([frames.length, recordedEvents.length], [32, 50]);
    assert.deepEqual(
      read,
      frames.map(({ Index, Events = [] }) => ({ index: Index, events: Events.map(documented) })),
    );
    assert.match(server.requests[0]?.head ?? "", /\r\nx-nomad-token: canary-token\r\n/i);
  });

  const nodes = { "Node/AllocationUpdated": 4, "Node/NodeEvent": 1, "Node/NodeRegistration": 2 };
  const subscriptions: readonly [readonly string[], Record<string, number>, string][] = [
    [["NodeDrain"], { "NodeDrain/NodeDrain": 5 }, "topic=Node"],
    [["Node"], { ...nodes, "Node/NodeDrain": 5 }, "topic=Node"],
    [["NodeDrain", "Node"], { ...nodes, "NodeDrain/NodeDrain": 5 }, "topic=Node"],
    [["NodeDrain:*", "Node"], { ...nodes, "NodeDrain/NodeDrain": 5 }, "topic=Node"],
    [
      ["NodeDrain", "ACLToken"],
      { "ACLToken/ACLTokenUpserted": 3, "NodeDrain/NodeDrain": 5 },
      "topic=Node&topic=ACLToken",
    ],
  ];
  for (const [topics, expected, asked] of subscriptions) {
    it(`the product's event stream delivers each event once to a subscription to ${topics.join(" and ")}`, async () => {
      const { server, settings } = await start();
      const count = Object.values(expected).reduce((sum, each) => sum + each, 0);
      const counts: Record<string, number> = {};
      for (const { topic, type } of await readEvents({ ...settings, topics, until: { count } })) {
        counts[`${topic}/${type}`] = (counts[`${topic}/${type}`] ?? 0) + 1;
      }
      assert.deepEqual(counts, expected);
      assert.match(server.requests[0]?.head ?? "", new RegExp(`\\?index=0&${asked} HTTP`));
    });
  }

  it("the product's event stream is resumed behind what nobody asked for, which leaves no gap", async () => {
    const isDrain = ({ Topic, Type }: WireEvent): boolean => Topic === "Node" && Type === "NodeDrain";
    const drains = recordedEvents.filter(isDrain);
    const nodeFrames = recorded.filter(({ Events = [] }) => Events.some(({ Topic }) => Topic === "Node"));
    const firstFrames = nodeFrames.findIndex(({ Events = [] }) => Events.some(isDrain));
    assert.ok(firstFrames > 0, "other events of nodes come first");
    const { server, settings } = await start(firstFrames);
    const gaps: object[] = [];
    const until = { count: drains.length };
    const onGap = (gap: object): void => void gaps.push(gap);
    const read = await readEvents({ ...settings, topics: ["NodeDrain"], until, onGap });
    const indexs = read.map(({ index }) => index);
    assert.deepEqual(
      indexs,
      drains.map(({ Index }) => Index),
    );
    assert.equal(server.requests[1]?.index, nodeFrames[firstFrames - 1]?.Index);
    assert.deepEqual(gaps, []);
  });

  it("the product's event stream is found by the product's own variables, unless an address is given", async () => {
    const { server, settings } = await start();
    Object.assign(process.env, {
      SCHEDULER_DIALECT: "hashicorp",
      NOMAD_ADDR: server.address,
      NOMAD_TOKEN: "canary-nomad-token",
      NOMAD_NAMESPACE: "team",
    });
    for (const options of [{}, { address: settings.address }]) {
      const stream = events({ topics: ["Node"], ...options });
      assert.equal((await stream.next()).value?.topic, "Node");
      await stream.return?.();
    }
    const [own = "", given = ""] = server.requests.map(({ head }) => head);
    assert.match(own, /&namespace=team&topic=Node /);
    assert.match(own, /x-nomad-token: canary-nomad-token/i);
    assert.doesNotMatch(given, /x-nomad-token|authorization|canary/i);
  });
});
