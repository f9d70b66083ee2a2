import type { Event } from "./event";
import type { Gap } from "./history";

const mostKinds = 10;
const mostRecent = 3;
/** Names of topics, types and keys are shown up to here; kinds beyond so many are one. */
const longestName = 100;
const mostCounted = 1_000;
const otherKinds = "of other kinds";

/**
 * Keeps count of events that were not the one that is waited for, to be able to say what came instead. Nothing of
 * their payloads, which may hold secrets.
 */
export class Sightings {
  private readonly counts = new Map<string, number>();
  private recent: string[] = [];
  private total = 0;
  private lastGap: Gap | undefined;
  private lastTrouble: string | undefined;

  /** Counts an event. */
  add({ topic, type, key, namespace, index }: Event): void {
    const kind = `${shortened(topic)}/${shortened(type)}`;
    this.total += 1;
    const counted = this.counts.has(kind) || this.counts.size < mostCounted ? kind : otherKinds;
    this.counts.set(counted, (this.counts.get(counted) ?? 0) + 1);
    const where = namespace === "" ? "" : ` in ${shortened(namespace)}`;
    const which = JSON.stringify(shortened(key));
    this.recent = [...this.recent, `${kind} ${which}${where} at ${index}`].slice(-mostRecent);
  }

  /** Notes that events may have been missed. */
  missed(gap: Gap): void {
    this.lastGap = gap;
  }

  /** Notes what became of a connection. */
  interrupted(reason: string): void {
    this.lastTrouble = reason;
  }

  /** In a few words, for a line of progress. */
  get summary(): string {
    const last = this.recent.at(-1);
    return last === undefined ? "no other seen" : `${count(this.total)} seen, the last ${last}`;
  }

  /** In sentences, for an error. */
  describe(): string {
    const sentences = [this.total === 0 ? "No other event was seen meanwhile." : this.describeEvents()];
    if (this.lastGap !== undefined) {
      const { after, next } = this.lastGap;
      sentences.push(`Events between the indexes ${after} and ${next} may have been missed.`);
    }
    if (this.lastTrouble !== undefined) {
      const reason = this.lastTrouble.replace(/\.$/, "");
      sentences.push(`The connection was interrupted, the last time because: ${reason}.`);
    }
    return sentences.join(" ");
  }

  private describeEvents(): string {
    const kinds = [...this.counts].sort(([, left], [, right]) => right - left);
    const shown = kinds.slice(0, mostKinds).map(([kind, times]) => `${times} ${kind}`);
    const more = kinds.length > mostKinds ? [`and ${kinds.length - mostKinds} more kinds`] : [];
    return `Seen meanwhile: ${count(this.total)} (${[...shown, ...more].join(", ")}); the last: ${this.recent.join(", ")}.`;
  }
}

function shortened(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName)}...` : name;
}

function count(events: number): string {
  return events === 1 ? "1 event" : `${events} events`;
}
