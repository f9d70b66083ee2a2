import type { Subscription, TopicFilter, WireEvent, WireFrame } from "./types";

/** @returns the subscription, or an error; the products accept unknown and repeated parameters */
export function readSubscription(query: URLSearchParams, isHashicorp: boolean): Subscription | string {
  const invalid = [...query.keys()].find(
    (name) =>
      name !== "topic" && (!["index", "namespace", "region"].includes(name) || query.getAll(name).length > 1),
  );
  if (invalid !== undefined && !isHashicorp) {
    return `The query parameter ${JSON.stringify(invalid)} is unknown, or given more than once`;
  }
  const sentIndex = query.get("index") ?? "0";
  const index = sentIndex === "" && isHashicorp ? "0" : sentIndex;
  if (!/^\d{1,15}$/.test(index)) {
    return `Invalid index ${JSON.stringify(index)}: must be a whole number from 0 on`;
  }
  const topics: TopicFilter[] = [];
  for (const text of query.has("topic") ? query.getAll("topic") : ["*"]) {
    const [topic = "", first, ...rest] = text.split(":");
    const key = first === undefined ? "*" : [first, ...rest].join(":");
    // In the documented dialect the key is all after the first colon; the products reject a second colon.
    if (isHashicorp ? rest.length > 0 : topic === "" || key === "") {
      return `Invalid topic ${JSON.stringify(text)}: a topic, or a topic and a key with a colon between them`;
    }
    topics.push({ topic, key });
  }
  return { index: Number(index), namespace: query.get("namespace") ?? "default", topics };
}

/** The products send an event once for each filter that selects it. */
export function selectEvents(
  frame: WireFrame,
  { topics, namespace }: Subscription,
  isHashicorp: boolean,
): WireFrame | undefined {
  const Events = frame.Events.flatMap((event) => {
    const selections = topics.filter((filter) => matchesFilter(event, namespace, filter)).length;
    return Array<WireEvent>(isHashicorp ? selections : Math.min(selections, 1)).fill(event);
  });
  return Events.length > 0 ? { Index: frame.Index, Events } : undefined;
}

function matchesFilter(event: WireEvent, namespace: string, { topic, key }: TopicFilter): boolean {
  const inNamespace = namespace === "*" || event.Namespace === "" || event.Namespace === namespace;
  return (
    inNamespace &&
    (topic === "*" || topic === event.Topic) &&
    (key === "*" || key === event.Key || (event.FilterKeys?.includes(key) ?? false))
  );
}
