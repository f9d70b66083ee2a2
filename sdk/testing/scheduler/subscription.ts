import type { SchedulerTraits } from "./traits";
import type { Subscription, TopicFilter, WireEvent, WireFrame } from "./types";

/** @returns the subscription, or an error; the products accept unknown and repeated parameters */
export function readSubscription(
  query: URLSearchParams,
  { ignoresParameters, keysHaveColons }: SchedulerTraits,
): Subscription | string {
  const invalid = [...query.keys()].find(
    (name) =>
      name !== "topic" && (!["index", "namespace", "region"].includes(name) || query.getAll(name).length > 1),
  );
  if (invalid !== undefined && !ignoresParameters) {
    return `The query parameter ${JSON.stringify(invalid)} is unknown, or given more than once`;
  }
  const sentIndex = query.get("index") ?? "0";
  const index = sentIndex === "" && ignoresParameters ? "0" : sentIndex;
  if (!/^\d{1,19}$/.test(index)) {
    return `Invalid index ${JSON.stringify(index)}: must be a whole number from 0 on`;
  }
  const topics: TopicFilter[] = [];
  for (const text of query.has("topic") ? query.getAll("topic") : ["*"]) {
    const [topic = "", first, ...rest] = text.split(":");
    const key = first === undefined ? "*" : [first, ...rest].join(":");
    // In the documented dialect, the key is everything after the first colon; the products reject a second colon.
    if (keysHaveColons ? topic === "" || key === "" : rest.length > 0) {
      return `Invalid topic ${JSON.stringify(text)}: a topic, or a topic and a key with a colon between them`;
    }
    topics.push({ topic, key });
  }
  return { index: Number(index), namespace: query.get("namespace") ?? "default", topics };
}

/** The products send an event once for each key that selects it. */
export function selectEvents(
  frame: WireFrame,
  { topics, namespace }: Subscription,
  { sendsForEachKey }: SchedulerTraits,
): WireFrame | undefined {
  const inNamespace = frame.Events.filter(
    ({ Namespace }) => namespace === "*" || Namespace === "" || Namespace === namespace,
  );
  const Events = sendsForEachKey
    ? inNamespace.flatMap((event) => Array<WireEvent>(timesSelected(event, topics)).fill(event))
    : inNamespace.filter((event) => topics.some((filter) => matchesFilter(event, filter)));
  return Events.length > 0 ? { Index: frame.Index, Events } : undefined;
}

/**
 * Nomad 2.0.5, nomad/stream/subscription.go, filter: `*` selects everything only if it is the only key of its
 * topic.
 */
function timesSelected(event: WireEvent, topics: readonly TopicFilter[]): number {
  const keysOf = (name: string): string[] =>
    topics.filter(({ topic }) => topic === name).map(({ key }) => key);
  const ofAll = keysOf("*");
  const keys = [...ofAll, ...keysOf(event.Topic)];
  const isAll = [ofAll, keys].some((each) => each.length === 1 && each[0] === "*");
  return isAll ? 1 : keys.filter((key) => hasKey(event, key)).length;
}

function matchesFilter(event: WireEvent, { topic, key }: TopicFilter): boolean {
  return (topic === "*" || topic === event.Topic) && (key === "*" || hasKey(event, key));
}

function hasKey({ Key, FilterKeys }: WireEvent, key: string): boolean {
  return key === Key || (FilterKeys?.includes(key) ?? false);
}
