import { CancelledError, TimeoutError } from "../base/errors";
import type { SchedulerClient } from "./client";
import type { Event } from "./event";
import { type FollowOptions, followEvents } from "./follow";
import { Sightings } from "./sightings";
import { milliseconds } from "./stream-arguments";

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
