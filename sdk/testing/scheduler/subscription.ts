import type { Subscription, TopicFilter, WireEvent, WireFrame } from "./types";

/** @returns the subscription, or an error; the products accept unknown and repeated parameters */
export function readSubscription(query: URLSearchParams, isHashicorp: boolean): Subscription | string {
  const loose = [...query.keys()].find(
    (name) => name !== "topic" && (!["index", "namespace"].includes(name) || query.getAll(name).length > 1),
  );
  if (loose !== undefined && !isHashicorp) {
    return `The query parameter ${JSON.stringify(loose)} is unknown, or given more than once`;
  }
  const given = query.get("index") ?? "0";
  const index = given === "" && isHashicorp ? "0" : given;
  if (!/^\d{1,15}$/.test(index)) {
    return `Invalid index ${JSON.stringify(index)}: a whole number from 0 on is needed`;
  }
  const topics: TopicFilter[] = [];
  for (const text of query.has("topic") ? query.getAll("topic") : ["*"]) {
    const [topic = "", first, ...rest] = text.split(":");
    const key = first === undefined ? "*" : [first, ...rest].join(":");
    // By the document the key is what follows the first colon; the products reject a second one.
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
    const selections = topics.filter((filter) => isWanted(event, namespace, filter)).length;
    return Array<WireEvent>(isHashicorp ? selections : Math.min(selections, 1)).fill(event);
  });
  return Events.length > 0 ? { Index: frame.Index, Events } : undefined;
}

function isWanted(event: WireEvent, namespace: string, { topic, key }: TopicFilter): boolean {
  const inNamespace = namespace === "*" || event.Namespace === "" || event.Namespace === namespace;
  return (
    inNamespace &&
    (topic === "*" || topic === event.Topic) &&
    (key === "*" || key === event.Key || (event.FilterKeys?.includes(key) ?? false))
  );
}
