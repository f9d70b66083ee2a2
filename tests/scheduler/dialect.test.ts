import assert from "node:assert/strict";
import { type Event, readEvents, streamEvents } from "../../sdk/scheduler";
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

describe("the event stream of the product", () => {
  useEnvironment(() => ({}));
  afterEach(stopServers);

  /**
   * Sends of the recording what a request asks for.
   *
   * @param firstFrames after how many frames the first connection ends; it stays when absent
   */
  const start = async (firstFrames = Number.POSITIVE_INFINITY) => {
    const server = await startRawScheduler((request) => {
      request.write("{}\n");
      const frames = recorded.flatMap(({ Index = 0, Events = [] }) => {
        const selected = Events.flatMap((event) =>
          Array<WireEvent>(timesSelected(request.head, event)).fill(event),
        );
        return selected.length > 0 && Index >= request.index ? [{ Index, Events: selected }] : [];
      });
      const sent = request.number === 1 ? frames.slice(0, firstFrames) : frames;
      sent.forEach((frame) => request.write(`${JSON.stringify(frame)}\n`));
      if (sent.length < frames.length) {
        request.end();
      }
    });
    const settings = { address: server.address, token: "canary-token", dialect: "hashicorp" } as const;
    return { server, settings };
  };
  const documented = ({ Topic, Type, Key, Namespace, FilterKeys, Index, Payload }: WireEvent): object => ({
    topic: Type === "NodeDrain" ? "NodeDrain" : Topic,
    type: Type === "NodeStreamEvent" ? "NodeEvent" : Type,
    key: Key,
    namespace: Namespace,
    filterKeys: FilterKeys,
    index: Index,
    payload: Payload,
  });

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
    const expected = frames.map(({ Index, Events = [] }) => ({
      index: Index,
      events: Events.map(documented),
    }));
    assert.deepEqual(read, expected);
    for (const { topic, payload } of read.flatMap(({ events }) => events)) {
      assert.ok((topic === "NodeDrain" ? "Node" : topic) in payload, `${topic} carries its object`);
    }
    assert.match(server.requests[0]?.head ?? "", /\r\nx-nomad-token: canary-token\r\n/i);
  });

  const nodes = { "Node/AllocationUpdated": 4, "Node/NodeEvent": 1, "Node/NodeRegistration": 2 };
  const drains = { "NodeDrain/NodeDrain": 5 };
  const tokens = { "ACLToken/ACLTokenUpserted": 3 };
  const subscriptions: readonly [readonly string[], Record<string, number>, string][] = [
    [["NodeDrain", "Node"], { ...nodes, ...drains }, "topic=Node"],
    [["NodeDrain", "ACLToken"], { ...tokens, ...drains }, "topic=Node&topic=ACLToken"],
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

  it("the product's event stream resumes after events that were not requested, without a gap", async () => {
    const isDrain = ({ Topic, Type }: WireEvent): boolean => Topic === "Node" && Type === "NodeDrain";
    const drained = recordedEvents.filter(isDrain);
    const nodeFrames = recorded.filter(({ Events = [] }) => Events.some(({ Topic }) => Topic === "Node"));
    const firstFrames = nodeFrames.findIndex(({ Events = [] }) => Events.some(isDrain));
    assert.ok(firstFrames > 0, "other events of nodes come first");
    const { server, settings } = await start(firstFrames);
    const gaps: object[] = [];
    const until = { count: drained.length };
    const onGap = (gap: object): void => void gaps.push(gap);
    const read = await readEvents({ ...settings, topics: ["NodeDrain"], until, onGap });
    assert.equal(read.map(({ index }) => index).join(), drained.map(({ Index }) => Index).join());
    assert.equal(server.requests[1]?.index, nodeFrames[firstFrames - 1]?.Index);
    assert.deepEqual(gaps, []);
  });
});
