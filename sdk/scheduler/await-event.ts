import { CancelledError, InputError, TimeoutError, type TriviumError } from "../base/errors";
import { isObject } from "../base/json";
import { TimeLimit, timerMilliseconds } from "../base/timing";
import type { SchedulerClient } from "./client";
import type { Event } from "./event";
import { type FollowOptions, followEvents } from "./follow";
import type { Gap } from "./history";
import { describeMatch, type EventMatch, isMeant } from "./subscription";

export interface Wait {
  readonly match: EventMatch | ((event: Event) => boolean);
  /** The time limit. Default: no limit. */
  readonly timeoutSeconds?: number | undefined;
  /** Called every few seconds with the elapsed time and the other events. */
  readonly onProgress?: (message: string) => void;
}

const progressInterval = 2_000;

/**
 * @throws TimeoutError, with the other events, if no matching event arrives in time; CancelledError if the
 * signal is aborted
 */
export async function awaitEvent(
  client: SchedulerClient,
  options: FollowOptions,
  { match, timeoutSeconds = 0, onProgress }: Wait,
): Promise<Event> {
  const isFunction = typeof match === "function";
  const isWanted = isFunction ? match : (event: Event) => isMeant(match, event, client.settings.dialect);
  const description = isFunction ? "an event that matches" : describeMatch(match);
  const sightings = new SeenEvents();
  const over = new AbortController();
  const state = { hasBegun: false };
  const begun = performance.now();
  const tell = (): void => {
    const time = `${Math.round((performance.now() - begun) / 1000)} s of ${timeoutSeconds} s`;
    onProgress?.(`waiting for ${description} (${time}): ${sightings.summary}`);
  };
  const limit =
    timeoutSeconds === 0 ? undefined : new TimeLimit(timerMilliseconds(timeoutSeconds), () => over.abort());
  const ticker = onProgress === undefined ? undefined : setInterval(tell, progressInterval);
  tell();
  try {
    const frames = followEvents(client, {
      ...options,
      signal: AbortSignal.any([options.signal, over.signal]),
      onBegun() {
        state.hasBegun = true;
      },
      onGap(gap) {
        sightings.gap = gap;
        options.onGap?.(gap);
      },
      onReconnect(reconnection) {
        sightings.interruption = reconnection.reason;
        options.onReconnect?.(reconnection);
      },
    });
    for await (const { events } of frames) {
      for (const event of events) {
        if (assertAnswer(isWanted(event))) {
          return event;
        }
        sightings.add(event);
      }
    }
  } finally {
    limit?.clear();
    clearInterval(ticker);
  }
  if (options.signal.aborted) {
    throw new CancelledError(`Canceled while waiting for ${description}.`);
  }
  if (!state.hasBegun) {
    throw await neverBegan(client, options, timeoutSeconds, sightings.interruption, description);
  }
  throw new TimeoutError(`Timed out after ${timeoutSeconds} s waiting for ${description}.`, {
    phase: "event",
    timeoutMilliseconds: timeoutSeconds * 1000,
    advice: sightings.describe(),
  });
}

/** In JavaScript, a function can return anything, and a promise would match every event. */
function assertAnswer(answer: unknown): boolean {
  if (isObject(answer) && typeof answer.then === "function") {
    throw new InputError(
      "scheduler.waitForEvent: match must return true or false, not a promise. " +
        "To wait for something else, use `scheduler.events` and call the function in the loop.",
    );
  }
  return Boolean(answer);
}

/** The error of a time limit that ended before the scheduler had accepted the subscription. */
export async function neverBegan(
  client: SchedulerClient,
  options: FollowOptions,
  timeoutSeconds: number,
  interruption: string | undefined,
  awaited = "events",
): Promise<TriviumError> {
  const { meaning, error } = await client.whySilent(options, options.signal);
  if (meaning === "refused") {
    return error;
  }
  const why =
    interruption === undefined
      ? "The scheduler has not sent anything."
      : `The stream did not begin; the last reason: ${interruption.replace(/\.$/, "")}.`;
  return new TimeoutError(`Timed out after ${timeoutSeconds} s waiting for ${awaited}. ${why}`, {
    phase: "event",
    timeoutMilliseconds: timeoutSeconds * 1000,
    advice: error.advice,
  });
}

const mostKinds = 10;
const mostRecent = 3;
const longestName = 100;

/** Counts the events that do not match. Payloads are not kept, because they might contain secrets. */
export class SeenEvents {
  gap: Gap | undefined;
  interruption: string | undefined;
  private readonly kinds = new Map<string, number>();
  private recent: string[] = [];
  private total = 0;

  add({ topic, type, key, namespace, index }: Event): void {
    const kind = `${shortened(topic)}/${shortened(type)}`;
    this.total += 1;
    if (this.kinds.has(kind) || this.kinds.size < mostKinds) {
      this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    }
    const where = namespace === "" ? "" : ` in ${shortened(namespace)}`;
    const which = JSON.stringify(shortened(key));
    this.recent = [...this.recent, `${kind} ${which}${where} at ${index}`].slice(-mostRecent);
  }

  get summary(): string {
    const last = this.recent.at(-1);
    return last === undefined ? "no other seen" : `${this.count} seen, the last ${last}`;
  }

  describe(): string {
    const { gap, interruption } = this;
    const sentences = [
      this.total === 0 ? "No other event was seen in the meantime." : this.describeEvents(),
      gap && `Events between the indexes ${gap.after} and ${gap.next} might have been missed.`,
      interruption && `The connection was interrupted; the last reason: ${interruption.replace(/\.$/, "")}.`,
    ];
    return sentences.filter((sentence) => sentence !== undefined).join(" ");
  }

  private describeEvents(): string {
    const kinds = [...this.kinds].sort(([, left], [, right]) => right - left);
    const counted = kinds.reduce((sum, [, times]) => sum + times, 0);
    const others = this.total - counted;
    const shown = kinds.map(([kind, times]) => `${times} ${kind}`);
    const list = [...shown, ...(others === 0 ? [] : [`${others} of other types`])].join(", ");
    return `Seen in the meantime: ${this.count} (${list}); the last: ${this.recent.join(", ")}.`;
  }

  private get count(): string {
    return this.total === 1 ? "1 event" : `${this.total} events`;
  }
}

function shortened(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName)}...` : name;
}
