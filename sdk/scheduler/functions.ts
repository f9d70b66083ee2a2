import { CancelledError } from "../base/errors";
import { timerMilliseconds } from "../base/timing";
import { awaitEvent } from "./await-event";
import type { Event, Frame } from "./event";
import { Batches, followChunks, followEvents } from "./follow";
import {
  connectToScheduler,
  followOptions,
  parseArguments,
  type StreamOptions,
  streamSchema,
} from "./options";
import {
  describeMatch,
  type EventMatch,
  isMeant,
  matchSchema,
  timeSchema,
  unknownTopics,
} from "./subscription";

/**
 * Follows the scheduler's events, frame by frame: first those in its buffer, then new ones.
 *
 * It ends with `break`, or when `signal` is aborted, without an error. After a lost connection it resumes
 * from the last index and drops repeated events; `onGap` reports where events may be missing. It applies
 * back-pressure: a scheduler may disconnect a slow reader, and the stream then resumes.
 *
 * It is read-only and works in programs and in scripts without Pulumi. To wait for an event once in a
 * program, use the resource {@link EventGate}.
 *
 * @example
 * ```typescript
 * for await (const { index, events } of trivium.scheduler.streamEvents({ topics: ["Node"] })) {
 *   console.log(index, events.map(({ type, key }) => `${type} ${key}`));
 * }
 * ```
 *
 * @throws from the loop: {@link errors.ServiceError} if the scheduler rejects the subscription,
 * {@link errors.TriviumError} if it keeps closing connections without a byte, {@link errors.ConnectionError} if
 *   the first connection fails, {@link errors.ContractError} if it sends invalid frames
 */
export function streamEvents(options: StreamOptions = {}): AsyncIterableIterator<Frame, void, undefined> {
  return follow("scheduler.streamEvents", options);
}

/**
 * Like {@link streamEvents}, but with single events instead of frames.
 *
 * @example
 * ```typescript
 * for await (const event of trivium.scheduler.events({ topics: ["Deployment:web"] })) {
 *   console.log(event.index, event.type, event.payload.Deployment);
 * }
 * ```
 *
 * @throws as {@link streamEvents}
 */
export function events(options: StreamOptions = {}): AsyncIterableIterator<Event, void, undefined> {
  const frames = follow("scheduler.events", options);
  const items = flatten(frames, options.signal);
  return {
    next: () => items.next(),
    async return() {
      // Ends a pending wait, which the generator would finish first.
      await frames.return();
      return items.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* flatten(
  frames: AsyncIterable<Frame>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void, undefined> {
  for await (const frame of frames) {
    for (const event of frame.events) {
      yield event;
      if (signal?.aborted === true) {
        return;
      }
    }
  }
}

function follow(functionName: string, options: StreamOptions): Batches<Frame> {
  const left = new AbortController();
  async function* chunks() {
    const checked = parseArguments(functionName, (z) => z.strictObject(streamSchema(z)), options);
    const { signal } = options;
    const over = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
    const client = await connectToScheduler(functionName, options, over);
    yield* followChunks(client, followOptions(checked, options, over));
  }
  return new Batches(chunks(), left);
}

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

/** The event to wait for, and the options of {@link streamEvents}. */
export interface WaitForEventOptions extends StreamOptions {
  /**
   * Which event to wait for: its members, or a predicate.
   *
   * @default the first one
   */
  readonly match?: EventMatch | ((event: Event) => boolean);
  /**
   * How long to wait: a number of seconds, or a duration.
   *
   * @default no limit
   */
  readonly timeout?: string | number;
}

/**
 * Waits for an event. Events in the scheduler's buffer count too; to ignore older ones, set `index`.
 *
 * It is read-only and works in programs and in scripts without Pulumi. To wait once in a program, and not in
 * every preview, use the resource {@link EventGate}.
 *
 * @example
 * ```typescript
 * const { payload } = await trivium.scheduler.waitForEvent({
 *   topics: ["Deployment:web"],
 *   match: ({ payload }) => (payload.Deployment as { Status: string }).Status === "successful",
 *   timeout: "10m",
 * });
 * ```
 *
 * @throws {@link errors.TimeoutError} if none arrives in time, with the events that did;
 * {@link errors.CancelledError} when `signal` is aborted; as {@link streamEvents}
 */
export async function waitForEvent(options: WaitForEventOptions = {}): Promise<Event> {
  const functionName = "scheduler.waitForEvent";
  const { match: wanted = {}, signal = new AbortController().signal } = options;
  const checked = parseArguments(
    functionName,
    (z) =>
      z.strictObject({
        ...streamSchema(z),
        match: z
          .union(
            [matchSchema(z), z.custom((value) => typeof value === "function")],
            "must be a function, or an object with topic, type, key, namespace and payload",
          )
          .optional(),
        timeout: timeSchema(z).optional(),
      }),
    options,
  );
  const client = await connectToScheduler(functionName, options, signal);
  const doubt = unknownTopics(options.topics ?? [], client.dialect);
  if (doubt !== undefined) {
    client.caller.announce("warning", `${functionName}: topics ${doubt}.`);
  }
  return awaitEvent(client, followOptions(checked, options, signal), {
    description: typeof wanted === "function" ? "an event that matches" : describeMatch(wanted),
    isWanted: typeof wanted === "function" ? wanted : (event) => isMeant(wanted, event, client.dialect),
    timeoutSeconds: checked.timeout,
  });
}
