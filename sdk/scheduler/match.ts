import { isObject } from "../base/json";
import type { SchedulerDialect } from "./dialect";
import type { Event, EventTopic, EventType } from "./event";

/**
 * The events that match all of these; an empty one matches every event. Names are the documented ones in both
 * dialects; for `type`, the names of the product are accepted too.
 */
export interface EventMatch {
  /** Such as `"Deployment"`. */
  readonly topic?: EventTopic | null | undefined;
  /** Such as `"DeploymentStatusUpdate"`. */
  readonly type?: EventType | null | undefined;
  /** The key: a node id, a job name. */
  readonly key?: string | null | undefined;
  /** The namespace of the object. */
  readonly namespace?: string | null | undefined;
  /**
   * What the payload must contain, at any depth: `{ Deployment: { Status: "successful" } }`. Only the named
   * members of objects are compared; each item of a list must be contained in some item of the payload's
   * list.
   */
  readonly payload?: Readonly<Record<string, unknown>> | null | undefined;
}

/** @internal */
export const matchMembers = ["topic", "type", "key", "namespace"] as const;

/** @internal */
export function matches(
  match: EventMatch,
  event: Readonly<Record<(typeof matchMembers)[number], string>> & { readonly payload: unknown },
): boolean {
  return (
    matchMembers.every(
      (member) => (match[member] ?? undefined) === undefined || match[member] === event[member],
    ) &&
    ((match.payload ?? undefined) === undefined || contains(event.payload, match.payload))
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
    .filter((member) => (match[member] ?? undefined) !== undefined)
    .map((member) => `${member} ${JSON.stringify(match[member])}`);
  // The payload's value may be a secret.
  const all = (match.payload ?? undefined) === undefined ? parts : [...parts, "a matching payload"];
  return all.length === 0 ? "an event" : `an event with ${all.join(" and ")}`;
}

/**
 * Whether an event matches: by the documented names or, for a type, by the name on the wire.
 * @internal
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
