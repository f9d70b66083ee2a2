import type { Dialect } from "../base/settings";
import type { Event } from "./event";

const documentedTopics = [
  "ACLToken",
  "ACLPolicy",
  "Allocation",
  "Job",
  "Evaluation",
  "Deployment",
  "Node",
  "NodeDrain",
] as const;

/** Topics of later releases of the product, which the documentation of that time does not list. */
const laterTopics = [
  "ACLAuthMethod",
  "ACLBindingRule",
  "ACLRole",
  "CSIPlugin",
  "CSIVolume",
  "HostVolume",
  "NodePool",
  "Operator",
  "Service",
  "Variable",
];

/**
 * Finds undocumented topics of a subscription, which most likely never match an event.
 *
 * @returns the warning without the argument's name; `undefined` if all are documented
 */
export function unknownTopics(topics: readonly string[], dialect: Dialect): string | undefined {
  const known: readonly string[] =
    dialect === "hashicorp" ? [...documentedTopics, ...laterTopics] : documentedTopics;
  const isUnknown = topics.map(topicFilter).some(({ name }) => name !== "*" && !known.includes(name));
  return isUnknown
    ? `has a topic that the scheduler does not document, so no event may ever match; expected one of ${known.join(", ")}`
    : undefined;
}

/** A parsed topic of a subscription: `"Node"` or `"Deployment:web"`. */
export interface TopicFilter {
  /** `*` for every topic. */
  readonly name: string;
  /** Selects by key or filter key; `undefined` for all. */
  readonly key: string | undefined;
}

/** Parses a topic of a subscription. */
export function topicFilter(topic: string): TopicFilter {
  const colon = topic.indexOf(":");
  const key = colon === -1 ? "*" : topic.slice(colon + 1);
  return { name: colon === -1 ? topic : topic.slice(0, colon), key: key === "*" ? undefined : key };
}

/** The query value for it. */
export function textOfFilter({ name, key }: TopicFilter): string {
  return key === undefined ? name : `${name}:${key}`;
}

/**
 * Whether filters select an event.
 *
 * @param topic the topic of the event
 */
export function isSelected(
  filters: readonly TopicFilter[],
  topic: string,
  { key, filterKeys }: Event,
): boolean {
  return filters.some(
    (filter) =>
      (filter.name === "*" || filter.name === topic) &&
      (filter.key === undefined || filter.key === key || filterKeys?.includes(filter.key) === true),
  );
}
