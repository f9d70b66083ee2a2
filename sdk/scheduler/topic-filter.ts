import type { Event } from "./event";

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
