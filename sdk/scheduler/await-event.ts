import { CancelledError, TimeoutError } from "../base/errors";
import type { SchedulerClient } from "./client";
import type { Event } from "./event";
import { type FollowOptions, followEvents } from "./follow";
import type { Gap } from "./history";
import { milliseconds } from "./stream-options";

/** What to wait for, and how long. */
export interface Wait {
  /** What is waited for, in words: `an event with topic "Node"`. */
  readonly description: string;
  readonly isWanted: (event: Event) => boolean;
  /** How long at most; for ever when absent. */
  readonly timeoutSeconds: number | undefined;
  /** Told every few seconds how long it has been and what has come instead. */
  readonly onProgress?: (message: string) => void;
}

const progressInterval = 2_000;

/**
 * Waits for the first event that is wanted.
 *
 * @throws TimeoutError when there was none in time, saying what came instead; CancelledError when the signal is aborted
 */
export async function awaitEvent(
  client: SchedulerClient,
  options: FollowOptions,
  { description, isWanted, timeoutSeconds, onProgress }: Wait,
): Promise<Event> {
  const sightings = new Sightings();
  const over = new AbortController();
  const begun = performance.now();
  const waited = (): string => {
    const seconds = Math.round((performance.now() - begun) / 1000);
    return timeoutSeconds === undefined ? `${seconds} s` : `${seconds} s of ${timeoutSeconds} s`;
  };
  const tell = (): void => onProgress?.(`waiting for ${description} (${waited()}): ${sightings.summary}`);
  const timer =
    timeoutSeconds === undefined ? undefined : setTimeout(() => over.abort(), milliseconds(timeoutSeconds));
  const ticker = onProgress === undefined ? undefined : setInterval(tell, progressInterval);
  tell();
  try {
    const frames = followEvents(client, {
      ...options,
      signal: AbortSignal.any([options.signal, over.signal]),
      onGap(gap) {
        sightings.missed(gap);
        options.onGap?.(gap);
      },
      onReconnect(reconnection) {
        sightings.interrupted(reconnection.reason);
        options.onReconnect?.(reconnection);
      },
    });
    for await (const { events } of frames) {
      for (const event of events) {
        if (isWanted(event)) {
          return event;
        }
        sightings.add(event);
      }
    }
  } finally {
    clearTimeout(timer);
    clearInterval(ticker);
  }
  if (options.signal.aborted) {
    throw new CancelledError(`Cancelled while waiting for ${description}.`);
  }
  throw new TimeoutError(`There was no ${withoutArticle(description)} within ${timeoutSeconds ?? 0} s.`, {
    phase: "event",
    timeoutMilliseconds: (timeoutSeconds ?? 0) * 1000,
    hint: sightings.describe(),
  });
}

function withoutArticle(description: string): string {
  return description.replace(/^an? /, "");
}

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
