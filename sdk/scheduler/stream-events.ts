import { connectToScheduler } from "./connection";
import type { Event, Frame } from "./event";
import type { Batches } from "./batches";
import { followEvents } from "./follow";
import { followOptions, parseArguments, type StreamOptions, streamSchema } from "./stream-options";

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
  return endable(options.signal, (signal) => follow("scheduler.streamEvents", options, signal));
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
  return endable(options.signal, async (signal) =>
    flatten(await follow("scheduler.events", options, signal), signal),
  );
}

async function follow(
  functionName: string,
  options: StreamOptions,
  signal: AbortSignal,
): Promise<Batches<Frame>> {
  const checked = parseArguments(functionName, (z) => z.strictObject(streamSchema(z)), options);
  const client = await connectToScheduler(functionName, options, signal);
  return followEvents(client, followOptions(checked, options, signal));
}

async function* flatten(
  frames: AsyncIterable<Frame>,
  signal: AbortSignal,
): AsyncGenerator<Event, void, undefined> {
  for await (const frame of frames) {
    for (const event of frame.events) {
      yield event;
      if (signal.aborted) {
        return;
      }
    }
  }
}

/**
 * Wraps a generator in an iterable that can be left at any time: the caller's signal or `return` ends a
 * pending wait, whereas a generator alone would only end after it.
 *
 * @param start called for the first item, with a signal that is aborted with the caller's, or when the
 *   iterable is left
 * @internal
 */
export function endable<Item>(
  signal: AbortSignal | undefined,
  start: (signal: AbortSignal) => Promise<Endable<Item>>,
): AsyncIterableIterator<Item, void, undefined> {
  const left = new AbortController();
  let starting: Promise<Endable<Item>> | undefined;
  let items: Endable<Item> | undefined;
  return {
    next() {
      if (left.signal.aborted) {
        return Promise.resolve({ done: true, value: undefined });
      }
      if (items !== undefined) {
        return items.next();
      }
      // What is no signal is refused with all the other arguments.
      starting ??= start(
        signal instanceof AbortSignal ? AbortSignal.any([signal, left.signal]) : left.signal,
      );
      return starting.then((started) => {
        items = started;
        return started.next();
      });
    },
    async return() {
      left.abort();
      await (await starting?.catch(() => undefined))?.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

type Endable<Item> = Required<Pick<AsyncIterator<Item, void, undefined>, "next" | "return">>;
