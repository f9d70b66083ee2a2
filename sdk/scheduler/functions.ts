import { CancelledError } from "../base/errors";
import { TimeLimit, timerMilliseconds } from "../base/timing";
import { parseArguments } from "../functions/calling";
import { positiveDuration } from "../resource/fields/kinds";
import { awaitEvent, neverBegan } from "./await-event";
import type { Event, Frame } from "./event";
import { Batches, followChunks, followEvents, type FollowOptions } from "./follow";
import { connectToScheduler, type StreamOptions, streamSchema } from "./options";
import { type EventMatch, matchKind, checkTopics } from "./subscription";

/**
 * Follows the events of the scheduler (Nomad), frame by frame: first the events in the scheduler's buffer,
 * then new ones.
 *
 * To end the stream, use `break` or abort `signal`; neither causes an error. After a lost connection, the
 * stream resumes from the last index and drops repeated events; `onGap` reports where events might be
 * missing. The stream applies back-pressure: if the scheduler disconnects a slow reader, the stream resumes.
 *
 * The function is read-only and works in programs and in scripts without Pulumi. To wait for an event once in
 * a program, use the resource {@link EventGate}.
 *
 * @example
 * ```typescript
 * for await (const { index, events } of trivium.scheduler.streamEvents({ topics: ["Node"] })) {
 *   console.log(index, events.map(({ type, key }) => `${type} ${key}`));
 * }
 * ```
 *
 * @throws from the loop: {@link errors.ServiceError} if the scheduler rejects the subscription,
 * {@link errors.TriviumError} if the scheduler keeps closing connections without sending a byte,
 * {@link errors.ConnectionError} if the first connection fails, {@link errors.ContractError} if the scheduler
 * sends invalid frames
 */
export function streamEvents(options: StreamOptions = {}): AsyncIterableIterator<Frame, void, undefined> {
  return follow("scheduler.streamEvents", options, (frames) => frames);
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
 * @throws the errors of {@link streamEvents}
 */
export function events(options: StreamOptions = {}): AsyncIterableIterator<Event, void, undefined> {
  return follow("scheduler.events", options, function* (frames) {
    for (const { events } of frames) {
      for (const event of events) {
        yield event;
        if (options.signal?.aborted === true) {
          return;
        }
      }
    }
  });
}

/**
 * Like {@link streamEvents}, but keeps numbers as the scheduler wrote them.
 * @internal
 */
export function streamExactly(
  options: StreamOptions,
  index: number | bigint,
): AsyncIterableIterator<Frame, void, undefined> {
  return follow("scheduler.streamEvents", options, (frames) => frames, { index, isExact: true });
}

/** @param itemsOf the items of the frames in one chunk */
function follow<Item>(
  functionName: string,
  options: StreamOptions,
  itemsOf: (frames: Iterable<Frame>) => Iterable<Item>,
  exactly: Pick<FollowOptions, "index" | "isExact"> = {},
): Batches<Item> {
  const left = new AbortController();
  async function* chunks() {
    const checked = parseArguments(functionName, (z) => z.strictObject(streamSchema(z)), options);
    const { signal = left.signal } = options;
    const over = AbortSignal.any([signal, left.signal]);
    const client = await connectToScheduler(functionName, options, over);
    for await (const frames of followChunks(client, { ...checked, ...exactly, signal: over })) {
      yield itemsOf(frames);
    }
  }
  return new Batches(chunks(), left);
}

/** When to stop. At least one limit is required; the first that is reached ends the reading. */
export interface ReadUntil {
  /** Stop after this number of events. */
  readonly count?: number;
  /** Stop when no event has arrived for this time while connected: a number of seconds, or a duration. */
  readonly idle?: string | number;
  /** Stop after this time: a number of seconds, or a duration. */
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
 * @throws {@link errors.CancelledError} if `signal` is aborted; {@link errors.TimeoutError} if the stream has
 * not begun within the time limit; the errors of {@link streamEvents}
 */
export async function readEvents(options: ReadEventsOptions): Promise<readonly Event[]> {
  const functionName = "scheduler.readEvents";
  const checked = parseArguments(
    functionName,
    (z) => {
      const until = z
        .strictObject({
          count: z.int().min(1, "must be at least 1").optional(),
          idle: positiveDuration(z).optional(),
          timeout: positiveDuration(z).optional(),
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
  const endAfter = (seconds: number | undefined): TimeLimit | undefined =>
    seconds === undefined ? undefined : new TimeLimit(timerMilliseconds(seconds), () => enough.abort());
  const deadline = endAfter(timeout);
  let silence: TimeLimit | undefined;
  const beginSilence = (): void => {
    silence?.clear();
    silence = endAfter(idle);
  };
  let unanswered = 0;
  const state: { wasAccepted: boolean; interruption?: string } = { wasAccepted: false };
  const read: Event[] = [];
  try {
    const frames = followEvents(client, {
      ...checked,
      signal: AbortSignal.any([signal, enough.signal]),
      onConnected() {
        state.wasAccepted = true;
        unanswered = 0;
        beginSilence();
      },
      onUnanswered(duration) {
        unanswered += duration;
        if (idle !== undefined && unanswered >= timerMilliseconds(idle)) {
          enough.abort();
        }
      },
      onReconnect(reconnection) {
        state.interruption = reconnection.reason;
        silence?.clear();
        checked.onReconnect?.(reconnection);
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
    deadline?.clear();
    silence?.clear();
  }
  if (signal.aborted) {
    throw new CancelledError(`Canceled while reading events, after ${read.length} events.`);
  }
  if (!state.wasAccepted && unanswered === 0) {
    throw await neverBegan(client, { ...checked, signal }, Number(timeout), state.interruption);
  }
  return read;
}

/** The event to wait for, and the options of {@link streamEvents}. */
export interface WaitForEventOptions extends StreamOptions {
  /**
   * Which event to wait for: members to match, or a predicate.
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
 * Waits for an event. Events in the scheduler's buffer also count; to ignore older ones, set `index`.
 *
 * The function is read-only and works in programs and in scripts without Pulumi. To wait once in a program,
 * and not in every preview, use the resource {@link EventGate}.
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
 * @throws {@link errors.TimeoutError} if no matching event arrives in time (the error names the events that
 * did arrive); {@link errors.CancelledError} if `signal` is aborted; the errors of {@link streamEvents}
 */
export async function waitForEvent(options: WaitForEventOptions = {}): Promise<Event> {
  const functionName = "scheduler.waitForEvent";
  const { match = {}, signal = new AbortController().signal } = options;
  const checked = parseArguments(
    functionName,
    (z) =>
      z.strictObject({
        ...streamSchema(z),
        match: z
          .union(
            [matchKind("documented").argument(z), z.custom((value) => typeof value === "function")],
            "must be a function, or an object with topic, type, key, namespace and payload",
          )
          .optional(),
        timeout: positiveDuration(z).optional(),
      }),
    options,
  );
  const client = await connectToScheduler(functionName, options, signal);
  const doubt = checkTopics(checked.topics ?? [], client.settings.dialect);
  if (doubt) {
    client.caller.announce(
      "warning",
      `${functionName}: topics ${typeof doubt === "string" ? doubt : doubt.warning}.`,
    );
  }
  return awaitEvent(client, { ...checked, signal }, { match, timeoutSeconds: checked.timeout });
}
