import type { Event, Frame } from "./event";
import { exactIndex, withIndex } from "./exact-numbers";

/** A range of indexes in which events might have been missed. */
export interface Gap {
  /** The last index before the gap; at first, the index to start from. */
  readonly after: number;
  /**
   * The first index after the gap. It is less than `after` if the scheduler restarted its index, or has not
   * yet reached the index to start from.
   */
  readonly next: number;
}

/** How many events are recognized when they are sent again, in addition to all events of the latest index. */
const remembered = 1024;
/** Identifies an event by index, topic, type, key and namespace. */
const identityMembers = 5;
type IdentityMember = string | number | bigint;

/**
 * The position in a stream, over all its connections.
 *
 * It resumes from the last index, not the one after it: frames can share an index, and a connection can fail
 * between them. Repeated events are then dropped, as many times as earlier connections sent them.
 * @internal
 */
export class History {
  index: number | bigint;
  /**
   * The identities of the newest events, flattened because an object for each event would burden the garbage
   * collector.
   */
  private latest: IdentityMember[] = [];
  private former: IdentityMember[] = [];
  /** How often each event was seen before this connection. */
  private repeatable = new Map<string, number>();
  private position: "begin" | "resume" | "within";

  private hasDropped = false;

  /** @param sendsNewest whether a scheduler that has not reached the index sends its newest, older event */
  constructor(
    index: number | bigint,
    private readonly sendsNewest: boolean,
    private readonly onGap?: (gap: Gap) => void,
  ) {
    this.index = index;
    this.position = index > 0 ? "begin" : "within";
  }

  /** @param hasDropped whether the scheduler reports that it has dropped events */
  reconnected(hasDropped: boolean): void {
    this.hasDropped ||= hasDropped;
    this.repeatable = new Map();
    const members = [...this.former, ...this.latest];
    for (let position = 0; position < members.length; position += identityMembers) {
      const identity = members.slice(position, position + identityMembers).join("\n");
      this.repeatable.set(identity, (this.repeatable.get(identity) ?? 0) + 1);
    }
    if (this.position === "within" && this.index > 0) {
      this.position = "resume";
    }
  }

  /** @returns the events that were not seen before, if any */
  note(frame: Frame): Frame | undefined {
    const { position, index: before } = this;
    this.position = "within";
    const index = exactIndex(frame);
    const isBehind = this.sendsNewest && position === "begin" && index < before;
    const events = isBehind ? frame.events : this.unseen(frame);
    if (events.length === 0) {
      return undefined;
    }
    const fresh =
      events.length === frame.events.length ? frame : withIndex({ index: frame.index, events }, index);
    this.remember(fresh);
    if (this.hasDropped || (position !== "within" && index !== before)) {
      this.hasDropped = false;
      this.onGap?.({ after: Number(before), next: frame.index });
    }
    return isBehind ? undefined : fresh;
  }

  private remember(frame: Frame): void {
    const index = exactIndex(frame);
    if (index !== this.index && this.latest.length >= remembered * identityMembers) {
      this.former = this.latest;
      this.latest = [];
    }
    this.index = index;
    for (const event of frame.events) {
      this.latest.push(exactIndex(event), event.topic, event.type, event.key, event.namespace);
    }
  }

  private unseen(frame: Frame): readonly Event[] {
    const { events } = frame;
    const different = events.length === 1 ? events : withoutCopies(events);
    if (this.repeatable.size > 0 && exactIndex(frame) > this.index) {
      this.repeatable.clear();
    }
    return this.repeatable.size === 0 ? different : different.filter((event) => !this.isRepeated(event));
  }

  private isRepeated(event: Event): boolean {
    const identity = identityOf(event);
    const times = this.repeatable.get(identity) ?? 0;
    if (times > 0) {
      this.repeatable.set(identity, times - 1);
    }
    return times > 0;
  }
}

function identityOf(event: Event): string {
  return [exactIndex(event), event.topic, event.type, event.key, event.namespace].join("\n");
}

/** An event that matches two filters of a subscription is sent twice in one frame, as identical copies. */
function withoutCopies(events: readonly Event[]): readonly Event[] {
  const differ = (name: (event: Event) => string): boolean =>
    new Set(events.map(name)).size === events.length;
  if (differ(({ key }) => key) || differ(identityOf)) {
    return events;
  }
  const seen = new Set<string>();
  return events.filter((event) => {
    const payload = payloadOf(event);
    const whole = `${identityOf(event)}\n${payload}`;
    const isCopy = payload !== "" && seen.has(whole);
    seen.add(whole);
    return !isCopy;
  });
}

/** Empty if the payload is nested too deeply; such a payload never equals another one. */
function payloadOf({ payload }: Event): string {
  try {
    return JSON.stringify(payload);
  } catch {
    return "";
  }
}
