import type { SchedulerDialect } from "./dialect";
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
export function readSubscription(
  query: URLSearchParams,
  { looseQueries }: SchedulerDialect,
): Subscription | string {
  const strict = looseQueries === "refused";
  return (strict ? whatIsLoose(query) : undefined) ?? readParameters(query, strict);
}

function whatIsLoose(query: URLSearchParams): string | undefined {
  const unknown = [...query.keys()].find((name) => !["index", "namespace", "topic"].includes(name));
  if (unknown !== undefined) {
    return `Unknown query parameter ${JSON.stringify(unknown)}`;
  }
  for (const name of ["index", "namespace"]) {
    if (query.getAll(name).length > 1) {
      return `Query parameter ${JSON.stringify(name)} is given more than once`;
    }
  }
  return undefined;
}

function readParameters(query: URLSearchParams, strict: boolean): Subscription | string {
  const given = query.get("index") ?? "0";
  const index = given === "" && !strict ? "0" : given;
  if (!/^\d{1,15}$/.test(index)) {
    return `Invalid index ${JSON.stringify(index)}: a whole number from 0 on is needed`;
  }
  const topics: TopicFilter[] = [];
  for (const text of query.has("topic") ? query.getAll("topic") : ["*"]) {
    const [topic = "", first, ...rest] = text.split(":");
    const key = first === undefined ? "*" : [first, ...rest].join(":");
    // By the document the key is what follows a colon; the products take no other colon.
    if (strict ? topic === "" || key === "" : rest.length > 0) {
      return `Invalid topic ${JSON.stringify(text)}: a topic, or a topic and a key with a colon between them`;
    }
    topics.push({ topic, key });
  }
  return { index: Number(index), namespace: query.get("namespace") ?? "default", topics };
}

/** The part of a frame that a subscriber gets; `undefined` when it is none of its events. */
export function selectEvents(
  frame: WireFrame,
  subscription: Subscription,
  { selectedTwice }: SchedulerDialect,
): WireFrame | undefined {
  const Events = frame.Events.flatMap((event) => {
    const selections = subscription.topics.filter((filter) =>
      isWanted(event, subscription.namespace, filter),
    );
    const times = selectedTwice === "once" ? Math.min(selections.length, 1) : selections.length;
    return Array<WireEvent>(times).fill(event);
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
