import type { Event, Frame } from "./event";

/** Events may have been missed between these two indexes. */
export interface Gap {
  /** The last index seen before; at the beginning the one to start from. */
  readonly after: number;
  /**
   * The first index seen since. Smaller than `after` when the scheduler has begun to count anew, or has not reached the
   * index to start from.
   */
  readonly next: number;
}

/**
 * What is new of a frame; the gap may lie right before it.
 *
 * @internal
 */
export interface News {
  readonly frame: Frame | undefined;
  readonly gap: Gap | undefined;
}

const nothingNew: News = { frame: undefined, gap: undefined };

/** So many events, and all of the latest index, are recognised when they are sent again. */
const remembered = 1024;
/** An event is recognised by its index, topic, type, key and namespace. */
const identityMembers = 5;
type IdentityMember = string | number;

/**
 * How far a stream has been read, over all its connections. A stream is resumed with the last index, not the one
 * after it: several frames may share an index, and a connection may be cut between them. What comes again is then
 * left out.
 *
 * Only what was seen over an earlier connection can come again, and only as often as it was seen: one index may hold
 * several events of one object, which differ in nothing but their payloads.
 *
 * @internal
 */
export class History {
  /** The index to resume from. */
  index: number;
  /**
   * The members of the latest events' identities, one after the other, and those before them, which are forgotten when
   * those are many. An object for each event would only be copied by the garbage collector.
   */
  private latest: IdentityMember[] = [];
  private former: IdentityMember[] = [];
  /** What was seen before this connection, and how often. */
  private repeatable = new Map<string, number>();
  private position: "begin" | "resume" | "within";

  /** @param index where to begin; 0 for whatever the scheduler still has */
  constructor(index: number) {
    this.index = index;
    this.position = index > 0 ? "begin" : "within";
  }

  /** From now on frames come over a new connection. */
  reconnected(): void {
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

  /** Notes a frame and finds out what is new of it. */
  note(frame: Frame): News {
    const { position, index: before } = this;
    this.position = "within";
    if (position === "begin" && frame.index < before) {
      // Asked for an index that it has not reached, a scheduler sends its newest events, older though they are. From
      // these it goes on, over other connections too.
      this.remember(frame);
      return { frame: undefined, gap: { after: before, next: frame.index } };
    }
    const events = this.unseen(frame);
    if (events.length === 0) {
      return nothingNew;
    }
    const fresh = events.length === frame.events.length ? frame : { index: frame.index, events };
    this.remember(fresh);
    return {
      frame: fresh,
      gap: position !== "within" && frame.index !== before ? { after: before, next: frame.index } : undefined,
    };
  }

  private remember({ index, events }: Frame): void {
    if (index !== this.index && this.latest.length >= remembered * identityMembers) {
      this.former = this.latest;
      this.latest = [];
    }
    this.index = index;
    for (const { index, topic, type, key, namespace } of events) {
      this.latest.push(index, topic, type, key, namespace);
    }
  }

  private unseen({ index, events }: Frame): readonly Event[] {
    const different = events.length === 1 ? events : withoutCopies(events);
    if (this.repeatable.size > 0 && index > this.index) {
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

function identityOf({ index, topic, type, key, namespace }: Event): string {
  return [index, topic, type, key, namespace].join("\n");
}

/** An event that matches two filters of a subscription is sent twice in one frame, wholly alike. */
function withoutCopies(events: readonly Event[]): readonly Event[] {
  if (new Set(events.map(({ key }) => key)).size === events.length) {
    return events;
  }
  const firsts = new Map<string, Event>();
  const payloads = new Map<string, Set<string>>();
  return events.filter((event) => {
    const identity = identityOf(event);
    const first = firsts.get(identity);
    if (first === undefined) {
      firsts.set(identity, event);
      return true;
    }
    const known = payloads.get(identity) ?? new Set([payloadOf(first)]);
    payloads.set(identity, known);
    const payload = payloadOf(event);
    const isCopy = payload !== "" && known.has(payload);
    known.add(payload);
    return !isCopy;
  });
}

/** A payload as text; empty when it is too deep for that, so that it is like no other. */
function payloadOf({ payload }: Event): string {
  try {
    return JSON.stringify(payload);
  } catch {
    return "";
  }
}
