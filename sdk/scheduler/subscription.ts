import type { Dialect } from "../base/settings";
import type { SchedulerDialect } from "./dialect";
import type { Event, Frame } from "./event";

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

/** Topics of releases newer than the documentation. */
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

/** Undocumented topics most likely never match. @returns a warning without the argument's name */
export function unknownTopics(topics: readonly string[], dialect: Dialect): string | undefined {
  const known: readonly string[] =
    dialect === "hashicorp" ? [...documentedTopics, ...laterTopics] : documentedTopics;
  const isUnknown = topics.map(topicFilter).some(({ name }) => name !== "*" && !known.includes(name));
  return isUnknown
    ? `has a topic that the scheduler does not document, so no event may ever match; expected one of ${known.join(", ")}`
    : undefined;
}

export interface TopicFilter {
  /** `*` for every topic. */
  readonly name: string;
  /** Selects by key or filter key; `undefined` for all. */
  readonly key: string | undefined;
}

export function topicFilter(topic: string): TopicFilter {
  const colon = topic.indexOf(":");
  const key = colon === -1 ? "*" : topic.slice(colon + 1);
  return { name: colon === -1 ? topic : topic.slice(0, colon), key: key === "*" ? undefined : key };
}

export function textOfFilter({ name, key }: TopicFilter): string {
  return key === undefined ? name : `${name}:${key}`;
}

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

/**
 * Translates subscriptions to the wire and events back, so that programs are independent of the dialect.
 *
 * An event whose topic the wire merges into another keeps its own topic if the subscription includes it or all.
 */
export class Translation {
  /** `undefined` for everything. */
  readonly wireTopics: readonly string[] | undefined;
  private readonly filters: readonly TopicFilter[];
  /** Topics on the wire of which the subscription includes only a part. */
  private readonly narrowed: ReadonlySet<string>;
  private readonly documentedTypes: ReadonlyMap<string, string>;

  /** @param topics by their documented names; `undefined` for all */
  constructor(
    topics: readonly string[] | undefined,
    private readonly dialect: SchedulerDialect,
  ) {
    this.filters = (topics ?? ["*"]).map(topicFilter);
    const folded = this.filters.flatMap(({ name }) => dialect.foldedTopics.get(name)?.topic ?? []);
    this.narrowed = new Set(folded);
    this.wireTopics = folded.length === 0 ? topics : this.foldTopics().map(textOfFilter);
    this.documentedTypes = new Map([...dialect.types].map(([name, wireName]) => [wireName, name]));
  }

  /** @returns `undefined` if no event of the frame is in the subscription */
  read(frame: Frame): Frame | undefined {
    if (this.dialect.types.size === 0 && this.dialect.foldedTopics.size === 0) {
      return frame;
    }
    const events = frame.events.flatMap((event) => this.readEvent(event) ?? []);
    if (events.length === 0) {
      return undefined;
    }
    return events.every((event, position) => event === frame.events[position])
      ? frame
      : { index: frame.index, events };
  }

  private readEvent(event: Event): Event | undefined {
    const sentTopic: string = event.topic;
    const topic = this.topicOf(event, sentTopic);
    const type = this.documentedTypes.get(event.type) ?? event.type;
    if (topic === undefined) {
      return undefined;
    }
    if (topic === sentTopic && type === event.type) {
      return event;
    }
    const members: Readonly<Record<keyof Event, unknown>> = { ...event, topic, type };
    return members as Event;
  }

  private topicOf(event: Event, sentTopic: string): string | undefined {
    for (const [name, { topic, type }] of this.dialect.foldedTopics) {
      if (sentTopic === topic && event.type === type && isSelected(this.filters, name, event)) {
        return name;
      }
    }
    const isAsked = !this.narrowed.has(sentTopic) || isSelected(this.filters, sentTopic, event);
    return isAsked ? sentTopic : undefined;
  }

  /** Without duplicates: an event that two filters select is sent twice. */
  private foldTopics(): readonly TopicFilter[] {
    const asked = this.filters.map(({ name, key }) => ({
      name: this.dialect.foldedTopics.get(name)?.topic ?? name,
      key,
    }));
    return asked.filter(
      ({ name, key }, position) =>
        !asked.some(
          (other, otherPosition) =>
            other.name === name && (other.key === key ? otherPosition < position : other.key === undefined),
        ),
    );
  }
}
