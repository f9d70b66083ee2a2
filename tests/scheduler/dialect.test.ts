import assert from "node:assert/strict";
import { type Event, events, readEvents, streamEvents } from "../../sdk/scheduler";
import { startEmulator } from "../../sdk/testing";
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

const kindOf = ({ topic, type }: Event): string => `${topic}/${type}`;

function countsOf(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of [...kinds].sort()) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

describe("the event stream of the product", () => {
  useEnvironment(() => ({}));
  afterEach(stopServers);

  const start = async (firstFrames?: number) => {
    const server = await startRecordedScheduler(firstFrames);
    const settings = { address: server.address, token: "canary-token", dialect: "hashicorp" } as const;
    return { server, settings };
  };
  const recordedKinds = (rename: (kind: string) => string): Record<string, number> =>
    countsOf(recordedEvents.map(({ Topic, Type }) => rename(`${String(Topic)}/${String(Type)}`)));
  const documentedNames: Readonly<Record<string, string>> = {
    "Node/NodeStreamEvent": "Node/NodeEvent",
    "Node/NodeDrain": "NodeDrain/NodeDrain",
  };

  it("is read whole: every frame and every event of a recording, in the words of the documents", async () => {
    const { server, settings } = await start();
    const frames = recorded.filter(({ Events = [] }) => Events.length > 0);
    const read: Event[] = [];
    const indexes: number[] = [];
    for await (const frame of streamEvents(settings)) {
      indexes.push(frame.index);
      read.push(...frame.events);
      if (indexes.length === frames.length) {
        break;
      }
    }
    assert.deepEqual([frames.length, recordedEvents.length], [32, 50]);
    assert.deepEqual(
      indexes,
      frames.map(({ Index }) => Index),
    );
    assert.deepEqual(
      countsOf(read.map(kindOf)),
      recordedKinds((kind) => documentedNames[kind] ?? kind),
    );
    assert.deepEqual(
      read.map(({ key, namespace, filterKeys, index, payload }) => ({
        key,
        namespace,
        filterKeys,
        index,
        payload,
      })),
      recordedEvents.map(({ Key, Namespace, FilterKeys, Index, Payload }) => ({
        key: Key,
        namespace: Namespace,
        filterKeys: FilterKeys,
        index: Index,
        payload: Payload,
      })),
    );
    assert.match(server.requests[0]?.head ?? "", /\r\nx-nomad-token: canary-token\r\n/i);
  });

  const subscriptions: readonly [readonly string[], Record<string, number>, string][] = [
    [["NodeDrain"], { "NodeDrain/NodeDrain": 5 }, "topic=Node"],
    [
      ["Node"],
      { "Node/AllocationUpdated": 4, "Node/NodeDrain": 5, "Node/NodeEvent": 1, "Node/NodeRegistration": 2 },
      "topic=Node",
    ],
    [
      ["NodeDrain", "Node"],
      {
        "Node/AllocationUpdated": 4,
        "Node/NodeEvent": 1,
        "Node/NodeRegistration": 2,
        "NodeDrain/NodeDrain": 5,
      },
      "topic=Node",
    ],
    [
      ["NodeDrain", "ACLToken"],
      { "ACLToken/ACLTokenUpserted": 3, "NodeDrain/NodeDrain": 5 },
      "topic=Node&topic=ACLToken",
    ],
  ];
  for (const [topics, expected, asked] of subscriptions) {
    it(`brings to who asks for ${topics.join(" and ")} each event once`, async () => {
      const { server, settings } = await start();
      const count = Object.values(expected).reduce((sum, each) => sum + each, 0);
      const read = await readEvents({ ...settings, topics, until: { count } });
      assert.deepEqual(countsOf(read.map(kindOf)), expected);
      assert.match(server.requests[0]?.head ?? "", new RegExp(`\\?index=0&${asked} HTTP`));
    });
  }

  it("is resumed behind what nobody asked for, which leaves no gap", async () => {
    const drains = recordedEvents.filter(({ Topic, Type }) => Topic === "Node" && Type === "NodeDrain");
    const nodeFrames = recorded.filter(({ Events = [] }) => Events.some(({ Topic }) => Topic === "Node"));
    const isDrain = ({ Type }: WireEvent): boolean => Type === "NodeDrain";
    const firstFrames = nodeFrames.findIndex(({ Events = [] }) => Events.some(isDrain));
    assert.ok(firstFrames > 0, "other events of nodes come first");
    const { server, settings } = await start(firstFrames);
    const gaps: object[] = [];
    const read = await readEvents({
      ...settings,
      topics: ["NodeDrain"],
      until: { count: drains.length },
      onGap: (gap) => gaps.push(gap),
    });
    assert.deepEqual(
      read.map(({ index }) => index),
      drains.map(({ Index }) => Index),
    );
    assert.equal(server.requests[1]?.index, nodeFrames[firstFrames - 1]?.Index);
    assert.deepEqual(gaps, []);
  });

  it("brings an event once that several topics select, of a scheduler that sends it for each", async () => {
    const emulator = await startEmulator({ dialect: { scheduler: "hashicorp" } });
    try {
      for (const [topic, type, key] of [
        ["Node", "NodeRegistration", "n1"],
        ["NodeDrain", "NodeDrain", "n1"],
        ["NodeDrain", "NodeDrain", "n2"],
        ["Service", "ServiceRegistration", "web"],
      ] as const) {
        emulator.events.emit({ topic, type, key });
      }
      const { address, token } = emulator.scheduler;
      const read = async (...topics: string[]): Promise<string[]> => {
        const options = { address, token, dialect: "hashicorp", until: { idle: 0.2 } } as const;
        return (await readEvents({ ...options, topics })).map(({ topic, key }) => `${topic}/${key}`);
      };
      assert.deepEqual(await read("Node", "NodeDrain", "NodeDrain:n1", "Node:n2"), [
        "Node/n1",
        "NodeDrain/n1",
        "NodeDrain/n2",
      ]);
      assert.deepEqual(await read("*", "NodeDrain", "*:n1"), [
        "Node/n1",
        "NodeDrain/n1",
        "NodeDrain/n2",
        "Service/web",
      ]);
      assert.deepEqual(await read("NodeDrain:n2", "Node:n1"), ["Node/n1", "Node/n1", "NodeDrain/n2"]);
    } finally {
      await emulator.close();
    }
  });

  it("is found by the product's own variables, unless an address is given", async () => {
    const { server, settings } = await start();
    Object.assign(process.env, {
      SCHEDULER_DIALECT: "hashicorp",
      NOMAD_ADDR: server.address,
      NOMAD_TOKEN: "canary-nomad-token",
      NOMAD_NAMESPACE: "team",
    });
    const stream = events({ topics: ["Node"] });
    assert.equal((await stream.next()).value?.topic, "Node");
    await stream.return?.();
    const head = server.requests[0]?.head ?? "";
    assert.match(head, /&namespace=team&topic=Node /);
    assert.match(head, /x-nomad-token: canary-nomad-token/i);
    const elsewhere = events({ topics: ["Node"], address: settings.address });
    assert.equal((await elsewhere.next()).value?.topic, "Node");
    await elsewhere.return?.();
    assert.doesNotMatch(server.requests[1]?.head ?? "", /x-nomad-token|authorization|canary/i);
  });
});
