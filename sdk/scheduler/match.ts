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
}

/**
 * The members of an {@link EventMatch}.
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
  event: Readonly<Record<(typeof matchMembers)[number], string>>,
): boolean {
  return matchMembers.every(
    (member) => (match[member] ?? undefined) === undefined || match[member] === event[member],
  );
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
  return parts.length === 0 ? "an event" : `an event with ${parts.join(" and ")}`;
}
