import type { SchedulerDialect } from "./dialect";
import type { Event, Frame } from "./event";
import { type EventMatch, matches } from "./match";
import { isSelected, textOfFilter, type TopicFilter, topicFilter } from "./topics";

/**
 * Translates a subscription to the wire, and events back to the documented names, so that a program is
 * independent of the dialect.
 *
 * An event of a topic that the wire merges into another one has its own topic if the subscription includes
 * that topic or all; otherwise it has the other topic.
 */
export class Translation {
  /** The topics for the request; everything if `undefined`. */
  readonly wireTopics: readonly string[] | undefined;
  private readonly filters: readonly TopicFilter[];
  /** The topics on the wire of which the subscription only includes a part. */
  private readonly narrowed: ReadonlySet<string>;
  private readonly documentedTypes: ReadonlyMap<string, string>;

  /** @param topics of the subscription, by their documented names; `undefined` for all */
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

  /**
   * Translates a frame.
   *
   * @returns `undefined` if no event of it is in the subscription
   */
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

/** Whether an event matches: by the documented names or, for a type, by the name on the wire. */
export function isMeant(match: EventMatch, event: Event, dialect: SchedulerDialect): boolean {
  if (matches(match, event)) {
    return true;
  }
  const folded = dialect.foldedTopics.get(event.topic);
  const wireType = dialect.types.get(event.type);
  const isTranslated = folded !== undefined || wireType !== undefined;
  const sent = { ...event, topic: folded?.topic ?? event.topic, type: wireType ?? event.type };
  return isTranslated && (match.type ?? undefined) !== undefined && matches(match, sent);
}
