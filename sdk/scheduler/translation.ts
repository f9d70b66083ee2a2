import type { SchedulerDialect } from "./dialect";
import type { Event, Frame } from "./event";
import { type EventMatch, matches } from "./match";
import { isSelected, textOfFilter, type TopicFilter, topicFilter } from "./topics";

/**
 * Translates a subscription into the words of the wire, and what comes of it into those of the documents, so that a
 * program sees the same whatever the scheduler speaks.
 *
 * An event of a topic that the wire folds into another one counts as its own topic wherever the subscription includes
 * that, by its name or as one of all; who asks only for the other topic gets it as that topic's.
 */
export class Translation {
  /** What to ask the scheduler for; everything when `undefined`. */
  readonly wireTopics: readonly string[] | undefined;
  private readonly filters: readonly TopicFilter[];
  /** The topics of the wire of which the subscription, in the words of the documents, means only a part. */
  private readonly narrowed: ReadonlySet<string>;
  private readonly documentedTypes: ReadonlyMap<string, string>;

  /** @param topics of the subscription, in the words of the documents; `undefined` for all */
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
   * @returns `undefined` when nothing in it was asked for
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

  /** Without repetition: an event that two filters select is sent twice. */
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

/**
 * Whether an event is one of those that are meant: in the words of the documents, or, where a match names a type, in
 * those in which the scheduler has sent it.
 */
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
