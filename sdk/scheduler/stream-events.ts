import { connectToScheduler } from "./connection";
import type { Event, Frame } from "./event";
import type { Batches } from "./batches";
import { followEvents } from "./follow";
import { followOptions, parseArguments, type StreamOptions, streamSchema } from "./stream-options";

/**
 * Follows the scheduler's events, frame by frame: first those that it still holds, then those that come.
 *
 * It goes on until it is left (`break`), or `signal` is aborted, which ends the loop without an error. A connection
 * that ends is made again from the last index on, and what then comes twice is left out; `onGap` tells where events
 * may be missing. It reads no faster than the loop: a scheduler may disconnect a reader that is too slow, which is
 * one more connection to be resumed.
 *
 * It only reads, and works in scripts without Pulumi as well as in programs. A program that shall wait for an event
 * once uses the resource {@link EventGate}.
 *
 * @example
 * ```typescript
 * for await (const { index, events } of trivium.scheduler.streamEvents({ topics: ["Node"] })) {
 *   console.log(index, events.map(({ type, key }) => `${type} ${key}`));
 * }
 * ```
 *
 * @throws from the loop: {@link errors.ServiceError} when the scheduler refuses the subscription,
 *   {@link errors.TriviumError} when it keeps closing connections without a byte, {@link errors.ConnectionError} when it
 *   cannot be reached in the first place, {@link errors.ContractError} when it sends what are no frames
 */
export function streamEvents(options: StreamOptions = {}): AsyncIterableIterator<Frame, void, undefined> {
  return endable(options.signal, (signal) => follow("scheduler.streamEvents", options, signal));
}

/**
 * Follows the scheduler's events one by one; in everything else like {@link streamEvents}.
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
 * Makes an iterable of a generator that waits for what may never come. To leave it, by the caller's signal or by
 * `return`, ends a wait that is under way: a generator alone would only end after it.
 *
 * @param start called when the first item is asked for, with a signal that is aborted when the caller's is, or when
 *   the iterable is left
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
