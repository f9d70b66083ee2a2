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

/** Topics of later releases of the product, which its documents of that time do not list. */
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
 * Says which topics of a subscription are none of the documented ones: most likely no event of them ever comes.
 *
 * @returns the warning without the argument's name; `undefined` when all are known
 */
export function unknownTopics(topics: readonly string[], dialect: Dialect): string | undefined {
  const known: readonly string[] =
    dialect === "hashicorp" ? [...documentedTopics, ...laterTopics] : documentedTopics;
  const isUnknown = topics.map(topicFilter).some(({ name }) => name !== "*" && !known.includes(name));
  return isUnknown
    ? `has a topic that the scheduler's documents do not list, so that no event may ever come. They list ${known.join(", ")}`
    : undefined;
}

/** One topic of a subscription, taken apart: `"Node"` or `"Deployment:web"`. */
export interface TopicFilter {
  /** `*` for every topic. */
  readonly name: string;
  /** Selects by key or filter key; `undefined` for all. */
  readonly key: string | undefined;
}

/** Takes a topic of a subscription apart. */
export function topicFilter(topic: string): TopicFilter {
  const colon = topic.indexOf(":");
  const key = colon === -1 ? "*" : topic.slice(colon + 1);
  return { name: colon === -1 ? topic : topic.slice(0, colon), key: key === "*" ? undefined : key };
}

/** The text that asks for it. */
export function textOfFilter({ name, key }: TopicFilter): string {
  return key === undefined ? name : `${name}:${key}`;
}

/**
 * Whether filters select an event.
 *
 * @param topic as which the event counts
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
