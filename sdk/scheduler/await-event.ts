import { CancelledError, TimeoutError } from "../base/errors";
import { timerMilliseconds } from "../base/runtime";
import type { SchedulerClient } from "./client";
import type { Event } from "./event";
import { type FollowOptions, followEvents } from "./follow";
import type { Gap } from "./history";

export interface Wait {
  /** A description: `an event with topic "Node"`. */
  readonly description: string;
  readonly isWanted: (event: Event) => boolean;
  readonly timeoutSeconds: number | undefined;
  /** Called every few seconds with the elapsed time and the other events. */
  readonly onProgress?: (message: string) => void;
}

const progressInterval = 2_000;

/** @throws TimeoutError if none arrives in time, with the other events; CancelledError if the signal is aborted */
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
    timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => over.abort(), timerMilliseconds(timeoutSeconds));
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
  throw new TimeoutError(`Timed out after ${timeoutSeconds ?? 0} s waiting for ${description}.`, {
    phase: "event",
    timeoutMilliseconds: (timeoutSeconds ?? 0) * 1000,
    advice: sightings.describe(),
  });
}

const mostKinds = 10;
const mostRecent = 3;
const longestName = 100;
const mostCounted = 1_000;
const otherKinds = "of other types";

/** Counts the events that do not match. Payloads are not kept: they may contain secrets. */
export class Sightings {
  private readonly counts = new Map<string, number>();
  private recent: string[] = [];
  private total = 0;
  private lastGap: Gap | undefined;
  private lastTrouble: string | undefined;

  add({ topic, type, key, namespace, index }: Event): void {
    const kind = `${shortened(topic)}/${shortened(type)}`;
    this.total += 1;
    const counted = this.counts.has(kind) || this.counts.size < mostCounted ? kind : otherKinds;
    this.counts.set(counted, (this.counts.get(counted) ?? 0) + 1);
    const where = namespace === "" ? "" : ` in ${shortened(namespace)}`;
    const which = JSON.stringify(shortened(key));
    this.recent = [...this.recent, `${kind} ${which}${where} at ${index}`].slice(-mostRecent);
  }

  missed(gap: Gap): void {
    this.lastGap = gap;
  }

  interrupted(reason: string): void {
    this.lastTrouble = reason;
  }

  get summary(): string {
    const last = this.recent.at(-1);
    return last === undefined ? "no other seen" : `${count(this.total)} seen, the last ${last}`;
  }

  describe(): string {
    const sentences = [this.total === 0 ? "No other event was seen in the meantime." : this.describeEvents()];
    if (this.lastGap !== undefined) {
      const { after, next } = this.lastGap;
      sentences.push(`Events between the indexes ${after} and ${next} may have been missed.`);
    }
    if (this.lastTrouble !== undefined) {
      const reason = this.lastTrouble.replace(/\.$/, "");
      sentences.push(`The connection was interrupted; the last reason: ${reason}.`);
    }
    return sentences.join(" ");
  }

  private describeEvents(): string {
    const kinds = [...this.counts].sort(([, left], [, right]) => right - left);
    const shown = kinds.slice(0, mostKinds).map(([kind, times]) => `${times} ${kind}`);
    const more = kinds.length > mostKinds ? [`and ${kinds.length - mostKinds} more types`] : [];
    return `Seen in the meantime: ${count(this.total)} (${[...shown, ...more].join(", ")}); the last: ${this.recent.join(", ")}.`;
  }
}

function shortened(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName)}...` : name;
}

function count(events: number): string {
  return events === 1 ? "1 event" : `${events} events`;
}
