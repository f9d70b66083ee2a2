import type { WireEvent, WireFrame } from "./event";

/** One `topic` parameter. */
export interface TopicFilter {
  /** `*` for every topic. */
  readonly topic: string;
  /** `*` for every key. */
  readonly key: string;
}

/** What a subscriber asked for. */
export interface Subscription {
  readonly index: number;
  /** `*` for every namespace. */
  readonly namespace: string;
  readonly topics: readonly TopicFilter[];
}

/** @returns what the query asks for, or a sentence which says what is wrong with it */
export function readSubscription(query: URLSearchParams): Subscription | string {
  const unknown = [...query.keys()].find((name) => !["index", "namespace", "topic"].includes(name));
  if (unknown !== undefined) {
    return `Unknown query parameter ${JSON.stringify(unknown)}`;
  }
  for (const name of ["index", "namespace"]) {
    if (query.getAll(name).length > 1) {
      return `Query parameter ${JSON.stringify(name)} is given more than once`;
    }
  }
  const index = query.get("index") ?? "0";
  if (!/^\d{1,15}$/.test(index)) {
    return `Invalid index ${JSON.stringify(index)}: a whole number from 0 on is needed`;
  }
  const topics: TopicFilter[] = [];
  for (const text of query.has("topic") ? query.getAll("topic") : ["*"]) {
    const [topic = "", key = "*", ...rest] = text.split(":");
    if (topic === "" || key === "" || rest.length > 0) {
      return `Invalid topic ${JSON.stringify(text)}: a topic, or a topic and a key with one colon between them`;
    }
    topics.push({ topic, key });
  }
  return { index: Number(index), namespace: query.get("namespace") ?? "default", topics };
}

/** The part of a frame that a subscriber gets; `undefined` when it is none of its events. */
export function selectEvents(frame: WireFrame, subscription: Subscription): WireFrame | undefined {
  const Events = frame.Events.filter((event) => isWanted(event, subscription));
  return Events.length > 0 ? { Index: frame.Index, Events } : undefined;
}

function isWanted(event: WireEvent, { namespace, topics }: Subscription): boolean {
  const inNamespace = namespace === "*" || event.Namespace === "" || event.Namespace === namespace;
  return (
    inNamespace &&
    topics.some(
      ({ topic, key }) =>
        (topic === "*" || topic === event.Topic) &&
        (key === "*" || key === event.Key || (event.FilterKeys?.includes(key) ?? false)),
    )
  );
}
