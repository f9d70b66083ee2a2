import { CancelledError } from "../base/errors";
import { timerMilliseconds } from "../base/runtime";
import { connectToScheduler } from "./connection";
import type { Event } from "./event";
import { followEvents } from "./follow";
import {
  followOptions,
  parseArguments,
  type StreamOptions,
  streamSchema,
  timeSchema,
} from "./stream-options";

/** When to stop, whichever comes first. At least one must be given. */
export interface ReadUntil {
  /** After this number of events. */
  readonly count?: number;
  /** When no event has arrived for this time while connected: a number of seconds, or a duration. */
  readonly idle?: string | number;
  /** After this time: a number of seconds, or a duration. */
  readonly timeout?: string | number;
}

/** When to stop, and the options of {@link streamEvents}. */
export interface ReadEventsOptions extends StreamOptions {
  /** When to stop. */
  readonly until: ReadUntil;
}

/**
 * Reads events until a limit is reached, for example all events in the scheduler's buffer.
 *
 * @example
 * ```typescript
 * const events = await trivium.scheduler.readEvents({ topics: ["Job"], until: { idle: "1s" } });
 * ```
 *
 * @returns the events in order, possibly none
 * @throws {@link errors.CancelledError} when `signal` is aborted; as {@link streamEvents}
 */
export async function readEvents(options: ReadEventsOptions): Promise<readonly Event[]> {
  const functionName = "scheduler.readEvents";
  const checked = parseArguments(
    functionName,
    (z) => {
      const until = z
        .strictObject({
          count: z.int().min(1, "must be at least 1").optional(),
          idle: timeSchema(z).optional(),
          timeout: timeSchema(z).optional(),
        })
        .refine(
          ({ count, idle, timeout }) => (count ?? idle ?? timeout) !== undefined,
          "must have `count`, `idle` or `timeout`",
        );
      return z.strictObject({ ...streamSchema(z), until });
    },
    options,
  );
  const { signal = new AbortController().signal } = options;
  const { count = Number.POSITIVE_INFINITY, idle, timeout } = checked.until;
  const client = await connectToScheduler(functionName, options, signal);

  const enough = new AbortController();
  const end = (): void => enough.abort();
  const deadline = timeout === undefined ? undefined : setTimeout(end, timerMilliseconds(timeout));
  let silence: NodeJS.Timeout | undefined;
  const beginSilence = (): void => {
    clearTimeout(silence);
    silence = idle === undefined ? undefined : setTimeout(end, timerMilliseconds(idle));
  };
  let unanswered = 0;
  const follow = followOptions(checked, options, AbortSignal.any([signal, enough.signal]));
  const read: Event[] = [];
  try {
    const frames = followEvents(client, {
      ...follow,
      onConnected() {
        unanswered = 0;
        beginSilence();
      },
      onUnanswered(duration) {
        unanswered += duration;
        if (idle !== undefined && unanswered >= timerMilliseconds(idle)) {
          end();
        }
      },
      onReconnect(reconnection) {
        clearTimeout(silence);
        follow.onReconnect?.(reconnection);
      },
    });
    for await (const { events } of frames) {
      for (const event of events) {
        read.push(event);
        if (read.length >= count) {
          return read;
        }
      }
      beginSilence();
    }
  } finally {
    clearTimeout(deadline);
    clearTimeout(silence);
  }
  if (signal.aborted) {
    throw new CancelledError(`Cancelled while reading events, after ${read.length} events.`);
  }
  return read;
}
