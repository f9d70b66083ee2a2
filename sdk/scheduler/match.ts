import { isObject } from "../base/json";
import type { EventTopic, EventType } from "./event";

/**
 * Which events are meant: those that have all of these. An empty one means every event. They are the words of the
 * documents in both dialects; with a `type`, those that the product itself uses are understood as well.
 */
export interface EventMatch {
  /** Such as `"Deployment"`. */
  readonly topic?: EventTopic | null | undefined;
  /** Such as `"DeploymentStatusUpdate"`. */
  readonly type?: EventType | null | undefined;
  /** The subject: a node's id, a job's name. */
  readonly key?: string | null | undefined;
  /** The subject's namespace. */
  readonly namespace?: string | null | undefined;
  /**
   * What the payload must contain, at any depth: `{ Deployment: { Status: "successful" } }`. Of objects only the members
   * that are named count; of lists each item must be contained in some item.
   */
  readonly payload?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * The members of an {@link EventMatch} that are texts.
 *
 * @internal
 */
export const matchMembers = ["topic", "type", "key", "namespace"] as const;

/**
 * Whether an event is one of those that are meant.
 *
 * @internal
 */
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

/**
 * What is meant, in words: `an event with topic "Node" and key "n1"`.
 *
 * @internal
 */
export function describeMatch(match: EventMatch): string {
  const parts = matchMembers
    .filter((member) => (match[member] ?? undefined) !== undefined)
    .map((member) => `${member} ${JSON.stringify(match[member])}`);
  // Its value may be a secret.
  const all = (match.payload ?? undefined) === undefined ? parts : [...parts, "a certain payload"];
  return all.length === 0 ? "an event" : `an event with ${all.join(" and ")}`;
}
