import type * as Zod from "zod";
import { isObject } from "../base/json";
import { type Dialect, isProduct } from "../base/settings";
import { field, type Kind, objectOf, type Validation, type Warning } from "../resource/fields/field";
import { text } from "../resource/fields/kinds";
import type { ArgsOf, MembersOf, Named } from "../resource/fields/rows";
import { exactIndex, withIndex } from "./exact-numbers";
import type { Event, EventTopic, EventType, Frame, NomadTopic } from "./event";

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
const laterTopics: readonly NomadTopic[] = [
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
 * Undocumented topics most likely never match.
 *
 * @internal
 */
export function checkTopics(topics: readonly string[], dialect: Dialect): string | Warning | false {
  if (isProduct[dialect] && topics.some((topic) => topicFilter(topic).key?.includes(":") === true)) {
    return "has a key with a colon, which Nomad rejects";
  }
  const known: readonly string[] = isProduct[dialect]
    ? [...documentedTopics, ...laterTopics]
    : documentedTopics;
  const isUnknown = topics.map(topicFilter).some(({ name }) => name !== "*" && !known.includes(name));
  const warning = `has a topic that the scheduler does not document, so it might never match any event; expected one of ${known.join(", ")}`;
  return isUnknown && { warning };
}

/** @internal */
export interface TopicFilter {
  /** `*` for every topic. */
  readonly name: string;
  /** The key or filter key to select by; `undefined` for all. */
  readonly key: string | undefined;
}

/** @internal */
export function topicFilter(topic: string): TopicFilter {
  const [name = "", ...rest] = topic.split(":");
  const key = rest.length === 0 ? "*" : rest.join(":");
  return { name, key: key === "*" ? undefined : key };
}

/** @internal */
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
 * In Nomad, a wildcard only works if it is the only key of its topic, including the keys of `*`. An event is
 * sent once for each key that selects it (nomad/stream/subscription.go, filter).
 */
function expressible(topics: readonly string[]): { topics: readonly string[]; isBroader: boolean } {
  const distinct = [...new Set(topics)];
  if (distinct.includes("*")) {
    return { topics: ["*"], isBroader: false };
  }
  const wildcards = distinct.filter((topic) => !topic.includes(":"));
  const keysOfAll = distinct.filter((topic) => topic.startsWith("*:"));
  if (keysOfAll.length > 0 && wildcards.length > 0) {
    return { topics: ["*"], isBroader: true };
  }
  const needed = distinct.filter((topic) => {
    const { name, key } = topicFilter(topic);
    const isOfAll = name !== "*" && keysOfAll.includes(`*:${key ?? ""}`);
    return !topic.includes(":") || !(wildcards.includes(name) || isOfAll);
  });
  return { topics: needed, isBroader: false };
}

/** A drain is sent as an event about a node. */
function isMeantBy(filter: TopicFilter, event: Event): boolean {
  const name = filter.name === drain ? "Node" : filter.name;
  return isSelected([{ ...filter, name }], event.topic, event);
}

/** The type that marks drains: Nomad has no topic for them and sends them as events about nodes. */
const drain = "NodeDrain";
/** Nomad's name of the type `NodeEvent`. */
const nodeStreamEvent = "NodeStreamEvent";

/**
 * Translates subscriptions to the wire and events back, so that programs do not depend on the dialect.
 *
 * A drain has its own topic if the subscription includes that topic or all topics.
 */
export class Translation {
  /** `undefined` for everything. */
  readonly wireTopics: readonly string[] | undefined;
  private readonly filters: readonly TopicFilter[];
  /**
   * Whether the scheduler sends more than the subscription selects, because its API cannot express the
   * selection.
   */
  private readonly isBroader: boolean;
  /** Whether the scheduler sends events about nodes only because the subscription names drains. */
  private readonly namesDrains: boolean;

  /** @param topics by their documented names; `undefined` for all */
  constructor(
    topics: readonly string[] | undefined,
    private readonly dialect: Dialect,
  ) {
    this.filters = (topics ?? ["*"]).map(topicFilter);
    this.namesDrains = isProduct[dialect] && this.filters.some(({ name }) => name === drain);
    const renamed = topics?.map((topic) => topic.replace(/^NodeDrain(?=:|$)/, "Node").replace(/:\*$/, ""));
    const wire = isProduct[dialect] && renamed !== undefined ? expressible(renamed) : undefined;
    this.isBroader = wire?.isBroader ?? false;
    this.wireTopics = wire?.topics ?? topics;
  }

  /** @returns `undefined` if no event of the frame is in the subscription */
  read(frame: Frame): Frame | undefined {
    if (!isProduct[this.dialect]) {
      return frame;
    }
    const events = frame.events.flatMap((event) => this.readEvent(event) ?? []);
    if (events.length === 0) {
      return undefined;
    }
    const isWhole = events.length === frame.events.length;
    return isWhole && events.every((event, position) => event === frame.events[position])
      ? frame
      : withIndex({ index: frame.index, events }, exactIndex(frame));
  }

  private readEvent(event: Event): Event | undefined {
    if (this.isBroader && !this.filters.some((filter) => isMeantBy(filter, event))) {
      return undefined;
    }
    const topic = event.topic === "Node" ? this.topicOfNode(event) : event.topic;
    const type = event.type === nodeStreamEvent ? "NodeEvent" : event.type;
    if (topic === undefined) {
      return undefined;
    }
    if (topic === event.topic && type === event.type) {
      return event;
    }
    const members: Readonly<Record<keyof Event, unknown>> = { ...event, topic, type };
    return withIndex(members as Event, exactIndex(event));
  }

  private topicOfNode(event: Event): "Node" | typeof drain | undefined {
    if (event.type === drain && isSelected(this.filters, drain, event)) {
      return drain;
    }
    return !this.namesDrains || isSelected(this.filters, "Node", event) ? "Node" : undefined;
  }
}

const topicKind: Kind<EventTopic, EventTopic> = { argument: (z) => z.string(), response: (z) => z.string() };
const typeKind: Kind<EventType, EventType> = { argument: (z) => z.string(), response: (z) => z.string() };
const anything = (z: Validation) => z.record(z.string(), z.unknown());
const payloadKind: Kind<Record<string, unknown>, Readonly<Record<string, unknown>>> = {
  argument: anything,
  response: anything,
};

const matchRows = {
  /** Such as `"Deployment"`. */
  topic: field(topicKind, { optional: true }),
  /** Such as `"DeploymentStatusUpdate"`. The same type can occur in several topics. */
  type: field(typeKind, { optional: true }),
  /** The key, such as a node ID or a job name. */
  key: text({ optional: true }),
  /** The namespace of the object. */
  namespace: text({ optional: true }),
  /**
   * Values that the payload must contain, at any depth: `{ Deployment: { Status: "successful" } }`. In
   * objects, only the members that are set here are compared. In lists, each item must match an item of the
   * payload's list.
   */
  payload: field(payloadKind, { optional: true }),
};

/**
 * Selects the events that match all of these members; `{}` matches every event. Names are the documented ones
 * in both dialects; for `type`, Nomad's names are accepted too.
 */
export interface EventMatch extends MembersOf<typeof matchRows> {}

/**
 * The event that an {@link EventGate} waits for: the first that matches all of these members. Names are the
 * documented ones in both dialects.
 */
export interface EventGateMatch extends ArgsOf<typeof matchRows>, Named {}

/** @internal */
export const matchKind: (dialect: Dialect) => Kind<EventGateMatch, EventMatch> = objectOf(matchRows);

/** @internal */
export const matchMembers = ["topic", "type", "key", "namespace"] as const;

/** An omitted member matches every event. */
const isOmitted = (member: unknown): boolean => member === undefined || member === null;

/** @internal */
export function matches(
  match: EventMatch,
  event: Readonly<Record<(typeof matchMembers)[number], string>> & { readonly payload: unknown },
): boolean {
  return (
    matchMembers.every((member) => isOmitted(match[member]) || match[member] === event[member]) &&
    (isOmitted(match.payload) || contains(event.payload, match.payload))
  );
}

function contains(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && expected.every((item) => actual.some((each) => contains(each, item)));
  }
  if (isObject(expected)) {
    return (
      isObject(actual) &&
      Object.entries(expected).every(
        ([name, value]) => Object.hasOwn(actual, name) && contains(actual[name], value),
      )
    );
  }
  return actual === expected;
}

/** @internal */
export function describeMatch(match: EventMatch): string {
  const parts = matchMembers
    .filter((member) => !isOmitted(match[member]))
    .map((member) => `${member} ${JSON.stringify(match[member])}`);
  // The payload's value might be a secret.
  const all = isOmitted(match.payload) ? parts : [...parts, "a matching payload"];
  return all.length === 0 ? "an event" : `an event with ${all.join(" and ")}`;
}

/**
 * Whether an event matches, by the documented names or, for a type, by Nomad's names.
 * @internal
 */
export function isMeant(match: EventMatch, event: Event, dialect: Dialect): boolean {
  if (matches(match, event)) {
    return true;
  }
  const topic = event.topic === drain ? "Node" : event.topic;
  const type = event.type === "NodeEvent" ? nodeStreamEvent : event.type;
  return isProduct[dialect] && typeof match.type === "string" && matches(match, { ...event, topic, type });
}

/**
 * An empty list would subscribe to everything.
 * @internal
 */
export function topicsSchema(z: Validation): Zod.ZodType<string[], string[]> {
  const topic = z.string().regex(/^[^:]+(:.+)?$/s, 'must be a topic such as "Node" or "Deployment:web"');
  return z.array(topic).min(1, "must name at least one topic");
}
