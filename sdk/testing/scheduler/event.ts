import { anything, listOf, name, object, recordOf, text } from "../forms";
import type { SchedulerDialect } from "./dialect";

/** An event to send over the scheduler's stream. */
export interface EmittedEvent {
  /**
   * Such as `Node` or `Deployment`; any other text goes out as well. In the hashicorp dialect `NodeDrain` goes out as
   * `Node`, of which such events are there.
   */
  readonly topic: string;
  /** Such as `NodeRegistration`. In the hashicorp dialect `NodeEvent` goes out as `NodeStreamEvent`, its name there. */
  readonly type: string;
  /** Identifies the subject. */
  readonly key: string;
  /** Default: empty for nodes and for tokens and policies, which belong to no namespace, otherwise `default`. */
  readonly namespace?: string;
  /** Further texts by which subscribers can select it. Default none, sent as null. */
  readonly filterKeys?: readonly string[];
  /** As sent, with its one member: `{ Node: { ... } }`. Default `{}`. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** What a seed returns about an event. */
export const eventForm = object<EmittedEvent>({
  topic: name,
  type: name,
  key: text,
  namespace: text.optional(),
  filterKeys: listOf(text).optional(),
  payload: recordOf(anything).optional(),
});

/** An event with the names it has on the wire. */
export interface WireEvent {
  readonly Topic: string;
  readonly Type: string;
  readonly Key: string;
  readonly Namespace: string;
  readonly FilterKeys: readonly string[] | null;
  readonly Index: number;
  readonly Payload: Readonly<Record<string, unknown>>;
}

/** What is sent as one line. */
export interface WireFrame {
  readonly Index: number;
  readonly Events: readonly WireEvent[];
}

export function toWireEvent(event: EmittedEvent, index: number, dialect: SchedulerDialect): WireEvent {
  const { type, key, filterKeys, payload = {} } = event;
  const topic = dialect.topics.get(event.topic) ?? event.topic;
  return {
    Topic: topic,
    Type: dialect.types.get(type) ?? type,
    Key: key,
    Namespace: event.namespace ?? (dialect.topicsWithoutNamespace.includes(topic) ? "" : "default"),
    FilterKeys: filterKeys === undefined ? null : [...filterKeys],
    Index: index,
    Payload: structuredClone(payload),
  };
}

/** A frame as it is written. */
export function frameText({ Index, Events }: WireFrame, { memberOrder }: SchedulerDialect): string {
  return memberOrder === "alphabetical"
    ? JSON.stringify({ Events: Events.map(inAlphabeticalOrder), Index })
    : JSON.stringify({ Index, Events });
}

function inAlphabeticalOrder(event: WireEvent): object {
  return Object.fromEntries(Object.entries(event).sort(([one], [other]) => (one < other ? -1 : 1)));
}
